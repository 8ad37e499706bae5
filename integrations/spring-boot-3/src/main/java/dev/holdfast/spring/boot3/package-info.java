/** What names types of Spring Boot 3 that have other packages in Spring Boot 4. Packed into the starter. */
@NullMarked
package dev.holdfast.spring.boot3;

import org.jspecify.annotations.NullMarked;
