/** What Spring Boot finds and sets up; not for applications to name. */
@NullMarked
package dev.holdfast.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
