package dev.holdfast.test.spring;

import dev.holdfast.test.TestLocks;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Resets the locks after each test method, because contexts are shared by tests. */
final class LocksReset implements TestExecutionListener {

    @Override
    public void afterTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(TestLocks.class).ifAvailable(TestLocks::reset);
        }
    }
}
