package dev.holdfast.tck;

import static dev.holdfast.tck.SuiteRun.failuresOf;
import static dev.holdfast.tck.SuiteRun.topic;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tck.broken.OutageDefect;
import dev.holdfast.tck.broken.RefusingOutages;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The outage contract is worth something only if it fails stores that behave badly in an outage. */
final class BrokenOutageTest {

    @Test
    void soundStorePasses() {
        assertThat(failuresOf(topic(Sound.class, OutageContract.CallsInAnOutage.class)))
                .isEmpty();
        assertThat(failuresOf(topic(Sound.class, OutageContract.NothingLeft.class)))
                .isEmpty();
    }

    @Test
    void storeThatSaysContendedWhenItDoesNotKnowIsCaught() {
        assertThat(failuresOf(topic(SaysContended.class, OutageContract.CallsInAnOutage.class)))
                .containsExactly("everyCallEndsInTimeAndHonestlyWhileConnectionsAreRefused()");
    }

    @Test
    void storeThatStartsASecondTimeoutIsCaught() {
        assertThat(failuresOf(topic(StartsASecondTimeout.class, OutageContract.CallsInAnOutage.class)))
                .containsExactly("everyCallEndsInTimeAndHonestlyWhileConnectionsAreRefused()");
    }

    @Test
    void storeThatStaysBrokenIsCaught() {
        assertThat(failuresOf(topic(StaysBroken.class, OutageContract.Recovery.class)))
                .contains("clientsRecoverFromRefusedConnections()");
    }

    @Test
    void storeThatSwallowsWhatIsGivenBackIsCaught() {
        assertThat(failuresOf(topic(SwallowsWhatIsGivenBack.class, OutageContract.NothingLeft.class)))
                .containsExactly("nothingIsLeftOfWhatWasGivenUpWhileConnectionsWereRefused()");
    }

    /** Not found by Maven, because of its name; run by the tests above. */
    abstract static class Refused extends OutageContract {
        private final OutageDefect defect;
        private final Outages outages;

        Refused(OutageDefect defect) {
            this.defect = defect;
            this.outages = new RefusingOutages(this, defect);
        }

        @Override
        public String url() {
            return "memory:tck-broken-outages";
        }

        @Override
        public Outages outages() {
            return outages;
        }

        /** What a broken store does not do within a second or so, it never does; a sound one may be slow. */
        @Override
        public Duration patience() {
            return defect == OutageDefect.NONE ? super.patience() : Duration.ofMillis(1_500);
        }

        @Override
        public Duration recoveryTime() {
            return defect == OutageDefect.NONE ? super.recoveryTime() : Duration.ofMillis(500);
        }
    }

    static final class Sound extends Refused {
        Sound() {
            super(OutageDefect.NONE);
        }
    }

    static final class SaysContended extends Refused {
        SaysContended() {
            super(OutageDefect.SAYS_CONTENDED);
        }
    }

    static final class StartsASecondTimeout extends Refused {
        StartsASecondTimeout() {
            super(OutageDefect.STARTS_A_SECOND_TIMEOUT);
        }
    }

    static final class StaysBroken extends Refused {
        StaysBroken() {
            super(OutageDefect.STAYS_BROKEN);
        }
    }

    static final class SwallowsWhatIsGivenBack extends Refused {
        SwallowsWhatIsGivenBack() {
            super(OutageDefect.SWALLOWS_WHAT_IS_GIVEN_BACK);
        }
    }
}
