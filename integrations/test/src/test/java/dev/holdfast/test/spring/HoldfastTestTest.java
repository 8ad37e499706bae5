package dev.holdfast.test.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.Holdfast;
import dev.holdfast.test.TestLocks;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ContextConfiguration;

/** Uses nothing but JUnit and Spring, so that it runs with Spring Boot 3 and JUnit 5, too. */
public class HoldfastTestTest {

    /** Code under test. */
    static class Checkout {
        private final Holdfast locks;

        Checkout(Holdfast locks) {
            this.locks = locks;
        }

        boolean tryConfirm(int order) {
            return locks.lock("orders/" + order).tryAcquire().isPresent();
        }
    }

    /** The example of the Javadoc. The first test leaves a fault and a lease behind, which the second does not see. */
    @HoldfastTest
    @ContextConfiguration(classes = Checkout.class)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class CheckoutTest {
        @Autowired
        TestLocks locks;

        @Autowired
        Checkout checkout;

        @Test
        @Order(1)
        void refusesWhileAnotherInstanceHasTheOrder() {
            locks.anotherClientTakes("orders/42");
            assertFalse(checkout.tryConfirm(42));
        }

        @Test
        @Order(2)
        void nothingIsLeftOfTheTestBefore() {
            assertTrue(locks.events().all().isEmpty());
            assertTrue(checkout.tryConfirm(42));
        }
    }

    /** A client of the application's own, as the starter registers it, stays away. */
    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        @ConditionalOnMissingBean
        Holdfast holdfast() {
            throw new IllegalStateException("a real client was made in a test");
        }

        @Bean
        Checkout checkout(Holdfast locks) {
            return new Checkout(locks);
        }
    }

    @HoldfastTest
    @SpringBootTest(classes = Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
    static class WholeApplicationTest {
        @Autowired
        ApplicationContext context;

        @Autowired
        TestLocks locks;

        @Test
        void hasOneClientWhichTheTestControls() {
            assertEquals(1, context.getBeansOfType(Holdfast.class).size());
            assertTrue(context.getBean(Checkout.class).tryConfirm(1));
            locks.lose("orders/1");
        }
    }
}
