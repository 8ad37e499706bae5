/** The figures in the documentation: a part of a page and a picture, made of the committed results files and nothing else. */
@NullMarked
package dev.holdfast.bench.figures;

import org.jspecify.annotations.NullMarked;
