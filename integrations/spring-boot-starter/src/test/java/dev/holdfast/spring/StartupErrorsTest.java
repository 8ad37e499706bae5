package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.spring.autoconfigure.UnlockedAutoConfiguration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** What an application with a mistake in a {@link Locked} says instead of starting. */
@ExtendWith(OutputCaptureExtension.class)
class StartupErrorsTest {

    @Test
    void locksThatAreSwitchedOffAreTold(CapturedOutput output) {
        for (String property : List.of("holdfast.enabled", "holdfast.locked.enabled")) {
            Apps.inMemory()
                    .withConfiguration(AutoConfigurations.of(UnlockedAutoConfiguration.class))
                    .withPropertyValues(property + "=false")
                    .run(context -> assertThat(output)
                            .contains("'" + property + "' is false: methods with @Locked run WITHOUT a lock"));
        }
    }

    @Test
    void methodsThatCannotBeProxied() {
        refused(PrivateMethod.class, "PrivateMethod.pay has @Locked but is private");
        refused(FinalMethod.class, "FinalMethod.pay has @Locked but is final");
        refused(StaticMethod.class, "StaticMethod.pay has @Locked but is static");
        refused(FinalClass.class, "has methods with @Locked but is final");
    }

    @Test
    void beanThatWasMadeWithoutAProxy() {
        Apps.inMemory()
                .withUserConfiguration(TooEarly.class)
                .run(context -> assertThat(
                                Apps.problem(context.getStartupFailure()).problem())
                        .contains("Spring made it without a proxy"));
    }

    @Test
    void primitiveResultsCannotBeSkipped() {
        refused(PrimitiveSkip.class, "PrimitiveSkip.count returns int, so there is nothing to return");
    }

    @Test
    void resultsThatGoOnAfterwards() {
        refused(PlainFuture.class, "PlainFuture.work returns a java.util.concurrent.Future");
        refused(LazyStream.class, "LazyStream.work returns a java.util.stream.Stream");
    }

    @Test
    void malformedNames() {
        refused(BrokenExpression.class, "the lock's name 'order:#{#id' of BrokenExpression.pay cannot be read");
        refused(BrokenSpel.class, "the lock's name 'order:#{#id..x}' of BrokenSpel.pay cannot be read");
        refused(UnknownParameter.class, "UnknownParameter.pay has no parameter 'ordre'");
        refused(UnknownPlaceholder.class, "has a placeholder without a value");
        refused(BlankName.class, "a lock of BlankName.pay has a blank name");
        refused(NoName.class, "a lock of NoName.pay has no name");
        refused(NotSeparated.class, "two different keys could give the same name in '#{#a}#{#b}'");
        refused(WeaklySeparated.class, "two different keys could give the same name in 'x-#{#a}-#{#b}'");
    }

    @Test
    void malformedTimes() {
        refused(WrongWait.class, "waitFor of WrongWait.pay is 'soon', which is not a duration");
        refused(WaitWithoutUnit.class, "waitFor of WaitWithoutUnit.pay is '2', which is not a duration");
        refused(NegativeWait.class, "waitFor of NegativeWait.pay is '-2s', which is not a duration");
        refused(ShortLease.class, "a time of the lock of ShortLease.pay is out of range");
        refused(
                AtLeastBeyondAtMost.class,
                "AtLeastBeyondAtMost.pay holds its lock at least 60000 ms but at most 1000 ms");
    }

    @Test
    void kindsThatDoNotGoTogether() {
        refused(PermitsWithoutCapacity.class, "asks for 2 permits, but does not say of how many");
        refused(TooManyPermits.class, "asks for 3 of 2 permits");
        refused(ReadPermits.class, "asks for permits and for a read/write lock");
        refused(SeveralReads.class, "asks for several names that are not exclusive");
    }

    @Test
    void parametersThatCannotBeInjected() {
        refused(TokenOfSeveral.class, "locks several names, and each has a token of its own");
        refused(TokenAsText.class, "the parameter with @LockToken of TokenAsText.pay is a java.lang.String");
        refused(LeaseOfRepeated.class, "has several @Locked, so it cannot be told whose lease");
        refused(TwoLeases.class, "has a parameter of the type Lease twice");
    }

    @Test
    void transactionOutsideOfTheLock() {
        ApplicationContextRunner app = Apps.withDatabase(Apps.bare(), "jdbc:h2:mem:wrong-order;DB_CLOSE_DELAY=-1")
                .withUserConfiguration(TransactionsFirst.class)
                .withBean(InTransaction.class);
        app.run(context -> assertThat(Apps.problem(context.getStartupFailure()))
                .hasMessageContaining("InTransaction.pay would begin its transaction before it has its lock")
                .hasMessageContaining("holdfast.locked.order"));
        app.withPropertyValues("holdfast.locked.order=5")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void callsOfOwnLockedMethods(CapturedOutput output) {
        for (Class<?> type : new Class<?>[] {
            CallsItself.class,
            CallsItselfWithArguments.class,
            CallsItselfInALambda.class,
            RefersToItself.class,
            CallsInherited.class
        }) {
            refused(type, type.getSimpleName() + ".", " calls pay of its own object");
        }
        app(CallsItself.class)
                .withPropertyValues("holdfast.locked.self-invocation=warn")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).contains("CallsItself.outer calls pay of its own object");
                });
        app(CallsItselfKnowingly.class)
                .withPropertyValues("holdfast.locked.self-invocation=ignore")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).doesNotContain("CallsItselfKnowingly");
                });
        app(CallsThroughTheBean.class).run(context -> assertThat(context).hasNotFailed());
    }

    private static ApplicationContextRunner app(Class<?> bean) {
        return Apps.inMemory().withUserConfiguration(bean);
    }

    private static void refused(Class<?> bean, String... parts) {
        app(bean).run(context -> {
            HoldfastStartupException problem = Apps.problem(context.getStartupFailure());
            assertThat(problem.problem()).contains(parts);
            assertThat(problem.action()).isNotBlank();
        });
    }

    static class PrivateMethod {
        @Locked(name = "a")
        private void pay() {}

        void use() {
            new PrivateMethod().pay();
        }
    }

    static class FinalMethod {
        @Locked(name = "a")
        final void pay() {}
    }

    static class StaticMethod {
        @Locked(name = "a")
        static void pay() {}
    }

    static final class FinalClass {
        @Locked(name = "a")
        void pay() {}
    }

    static class Plain {
        @Locked(name = "a")
        void pay() {}
    }

    /** A post-processor needs the bean before the proxies are there. */
    @Configuration(proxyBeanMethods = false)
    static class TooEarly {
        @Bean
        static Plain plain() {
            return new Plain();
        }

        @Bean
        static Early infrastructure(Plain plain) {
            return new Early();
        }
    }

    static class Early implements BeanPostProcessor, org.springframework.core.PriorityOrdered {
        @Override
        public int getOrder() {
            return 0;
        }
    }

    static class PrimitiveSkip {
        @Locked(name = "a", onContended = OnContended.SKIP)
        int count() {
            return 1;
        }
    }

    static class PlainFuture {
        @Locked(name = "a")
        Future<String> work() {
            return null;
        }
    }

    static class LazyStream {
        @Locked(name = "a")
        Stream<String> work() {
            return Stream.empty();
        }
    }

    static class BrokenExpression {
        @Locked(name = "order:#{#id")
        void pay(String id) {}
    }

    static class BrokenSpel {
        @Locked(name = "order:#{#id..x}")
        void pay(String id) {}
    }

    static class UnknownParameter {
        @Locked(name = "order:#{#ordre.id}")
        void pay(String order) {}
    }

    static class UnknownPlaceholder {
        @Locked(name = "order:${nobody.sets.this}")
        void pay() {}
    }

    static class BlankName {
        @Locked(name = " ")
        void pay() {}
    }

    static class NoName {
        @Locked(name = {})
        void pay() {}
    }

    static class NotSeparated {
        @Locked(name = "#{#a}#{#b}")
        void pay(String a, String b) {}
    }

    static class WeaklySeparated {
        @Locked(name = "x-#{#a}-#{#b}")
        void pay(String a, String b) {}
    }

    static class WrongWait {
        @Locked(name = "a", waitFor = "soon")
        void pay() {}
    }

    static class WaitWithoutUnit {
        @Locked(name = "a", waitFor = "2")
        void pay() {}
    }

    static class NegativeWait {
        @Locked(name = "a", waitFor = "-2s")
        void pay() {}
    }

    static class ShortLease {
        @Locked(name = "a", lease = "1ms")
        void pay() {}
    }

    static class AtLeastBeyondAtMost {
        @Locked(name = "a", holdAtLeast = "1m", holdAtMost = "1s")
        void pay() {}
    }

    static class PermitsWithoutCapacity {
        @Locked(name = "a", permits = 2)
        void pay() {}
    }

    static class TooManyPermits {
        @Locked(name = "a", permits = 3, capacity = 2)
        void pay() {}
    }

    static class ReadPermits {
        @Locked(name = "a", mode = LockMode.READ, capacity = 2)
        void pay() {}
    }

    static class SeveralReads {
        @Locked(
                name = {"a", "b"},
                mode = LockMode.READ)
        void pay() {}
    }

    static class TokenOfSeveral {
        @Locked(name = {"a", "b"})
        void pay(@LockToken long token) {}
    }

    static class TokenAsText {
        @Locked(name = "a")
        void pay(@LockToken String token) {}
    }

    static class LeaseOfRepeated {
        @Locked(name = "a")
        @Locked(name = "b")
        void pay(Lease lease) {}
    }

    static class TwoLeases {
        @Locked(name = "a")
        void pay(Lease lease, Lease other) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true, order = 10)
    static class TransactionsFirst {}

    static class InTransaction {
        @Locked(name = "a")
        @Transactional
        void pay() {}
    }

    static class CallsItself {
        void outer() {
            pay();
        }

        @Locked(name = "a")
        void pay() {}
    }

    static class CallsItselfKnowingly {
        void outer() {
            pay();
        }

        @Locked(name = "a")
        void pay() {}
    }

    static class CallsItselfWithArguments {
        long outer(boolean first, long[] amounts) {
            return 1 + pay(first ? "one" : "two", amounts[0] + 1, (double) amounts.length);
        }

        @Locked(name = "a")
        long pay(String who, long amount, double rate) {
            return amount;
        }
    }

    static class CallsItselfInALambda {
        Runnable outer() {
            return () -> pay();
        }

        @Locked(name = "a")
        void pay() {}
    }

    static class RefersToItself {
        Runnable outer() {
            return this::pay;
        }

        @Locked(name = "a")
        void pay() {}
    }

    static class CallsInherited extends Plain {
        void outer() {
            pay();
        }
    }

    static class CallsThroughTheBean {
        private final ObjectProvider<CallsThroughTheBean> self;

        CallsThroughTheBean(ObjectProvider<CallsThroughTheBean> self) {
            this.self = self;
        }

        void outer(CallsThroughTheBean other) {
            self.getObject().pay();
            other.pay();
        }

        @Locked(name = "a")
        void pay() {}
    }
}
