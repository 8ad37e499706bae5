/** What may happen from several sides while a command is supervised, signals among it, for one thread to take in turn. */
@NullMarked
package dev.holdfast.cli.event;

import org.jspecify.annotations.NullMarked;
