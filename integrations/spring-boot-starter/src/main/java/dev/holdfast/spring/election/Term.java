package dev.holdfast.spring.election;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.spring.DeposedEvent;
import dev.holdfast.spring.ElectedEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.Lifecycle;

/**
 * One election of this instance, and the beans that run while it leads. Its states:
 * {@code IDLE → STANDING ⇄ LEADING}, and from both back to {@code IDLE}. Thread-safe.
 */
final class Term {
    private static final Log log = LogFactory.getLog(Term.class);

    private enum State {
        IDLE,
        STANDING,
        LEADING
    }

    private final String name;
    private final Election election;
    private final List<Lifecycle> beans;
    private final ApplicationEventPublisher events;

    /** Guarded by this. */
    private State state = State.IDLE;

    Term(String name, Holdfast locks, List<Lifecycle> beans, ApplicationEventPublisher events) {
        this.name = name;
        this.election = locks.election(name);
        this.beans = beans;
        this.events = events;
    }

    synchronized void stand() {
        if (state == State.IDLE) {
            state = State.STANDING;
            election.campaign(this::elected, this::deposed);
        }
    }

    /** Stops what runs, then resigns: in the other order two instances would run for a moment. */
    void leave() {
        boolean led;
        synchronized (this) {
            led = state == State.LEADING;
            state = State.IDLE;
            if (led) {
                stopBeans();
            }
        }
        election.resign();
        if (led) {
            events.publishEvent(new DeposedEvent(name, Optional.empty()));
        }
    }

    private void elected(Lease lease) {
        synchronized (this) {
            if (state != State.STANDING) {
                return;
            }
            state = State.LEADING;
            try {
                beans.forEach(Lifecycle::start);
            } catch (RuntimeException failure) {
                log.error(
                        "This instance was elected for '" + name
                                + "', but a bean of it did not start; it resigns and does"
                                + " not stand again until it is restarted",
                        failure);
                stopBeans();
                state = State.IDLE;
                election.resign();
                return;
            }
        }
        events.publishEvent(new ElectedEvent(name, lease));
    }

    private void deposed(LossReason reason) {
        synchronized (this) {
            if (state != State.LEADING) {
                return;
            }
            state = State.STANDING;
            stopBeans();
        }
        events.publishEvent(new DeposedEvent(name, Optional.of(reason)));
    }

    private void stopBeans() {
        List<Lifecycle> reverse = new ArrayList<>(beans);
        Collections.reverse(reverse);
        for (Lifecycle bean : reverse) {
            try {
                if (bean.isRunning()) {
                    bean.stop();
                }
            } catch (RuntimeException failure) {
                log.error("A bean of the election '" + name + "' did not stop", failure);
            }
        }
    }
}
