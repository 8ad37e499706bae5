/**
 * Real servers as child processes on loopback, and faults between them and their clients. What is in this package knows
 * no particular server; each kind of server has a package of its own.
 */
@NullMarked
package dev.holdfast.rig;

import org.jspecify.annotations.NullMarked;
