package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a part of a contract inside a test, to see which of its tests fail. */
final class SuiteRun {
    private SuiteRun() {}

    /** {@return one nested class of a contract} */
    static DiscoverySelector topic(Class<?> contract, Class<?> topic) {
        return selectNestedClass(List.of(contract), topic);
    }

    /** {@return the names of the tests that failed; at least one test has been run} */
    static Set<String> failuresOf(DiscoverySelector selector) {
        Set<String> failures = ConcurrentHashMap.newKeySet();
        Set<String> executed = ConcurrentHashMap.newKeySet();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector)
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                if (test.isTest() && result.getStatus() != TestExecutionResult.Status.ABORTED) {
                                    executed.add(test.getDisplayName());
                                }
                                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                                    failures.add(test.getDisplayName());
                                }
                            }
                        });
        assertThat(executed).as("tests that were run").isNotEmpty();
        return failures;
    }
}
