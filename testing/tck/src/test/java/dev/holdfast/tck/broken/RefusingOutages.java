package dev.holdfast.tck.broken;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.tck.Outages;
import dev.holdfast.tck.StoreUnderTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Refuses every request during an outage, with one thing wrong. Thread-safe. */
public final class RefusingOutages implements Outages {
    private final StoreUnderTest store;
    private final OutageDefect defect;
    private volatile boolean refusing;

    /** Outages between clients and a store. */
    public RefusingOutages(StoreUnderTest store, OutageDefect defect) {
        this.store = store;
        this.defect = defect;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.store(context -> {
            LockStore opened = store.open(context);
            Client calls = new Client(opened, context);
            return (LockStore) Proxy.newProxyInstance(
                    LockStore.class.getClassLoader(),
                    new Class<?>[] {LockStore.class},
                    (proxy, method, arguments) -> calls.call(method, arguments));
        });
    }

    @Override
    public void begin(Fault fault) {
        refusing = true;
    }

    @Override
    public void end() {
        refusing = false;
    }

    @Override
    public Map<Fault, String> impossible() {
        return Arrays.stream(Fault.values())
                .filter(fault -> fault != Fault.REFUSED)
                .collect(Collectors.toMap(Function.identity(), fault -> "one fault is enough"));
    }

    /** One client's way to the store. */
    private final class Client {
        private final LockStore opened;
        private final StoreContext context;
        private volatile boolean brokenForGood;

        Client(LockStore opened, StoreContext context) {
            this.opened = opened;
            this.context = context;
        }

        Object call(Method method, Object[] arguments) throws Throwable {
            boolean local =
                    method.getName().equals("traits") || method.getName().equals("close");
            if (!local && (refusing || brokenForGood)) {
                brokenForGood = defect == OutageDefect.STAYS_BROKEN;
                return refuse(method.getName(), arguments);
            }
            try {
                return method.invoke(opened, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }

        private Object refuse(String step, Object[] arguments) {
            AcquireOutcome no = new AcquireOutcome.Contended(Duration.ofSeconds(1));
            if (defect == OutageDefect.SAYS_CONTENDED && step.equals("tryAcquire")) {
                return no;
            }
            if (defect == OutageDefect.SAYS_CONTENDED && step.equals("poll")) {
                return Collections.nCopies(((List<?>) arguments[0]).size(), no);
            }
            if (defect == OutageDefect.SWALLOWS_WHAT_IS_GIVEN_BACK && step.equals("withdraw")) {
                return null;
            }
            if (defect == OutageDefect.SWALLOWS_WHAT_IS_GIVEN_BACK && step.equals("release")) {
                return Collections.nCopies(((List<?>) arguments[0]).size(), ReleaseOutcome.RELEASED);
            }
            if (defect == OutageDefect.STARTS_A_SECOND_TIMEOUT) {
                hang(context.commandTimeout().multipliedBy(2));
            }
            throw new StoreUnavailableException(step, "", new IllegalStateException("refused by the test"));
        }
    }

    private static void hang(Duration time) {
        try {
            boolean unused = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
