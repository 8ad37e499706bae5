/** A shop with Spring Boot: several instances sell from one stock. */
@NullMarked
package dev.holdfast.examples.shop;

import org.jspecify.annotations.NullMarked;
