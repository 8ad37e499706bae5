package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever may ask the server while a connection is set up and put back is bounded, as it may have died in silence. */
final class VisitTest {
    private static final int OURS = 1_234;
    private static final int OF_THE_POOL = 0;

    /** What a connection was told that travels to the server, with the bound on its silence at that moment. */
    private final List<String> told = new ArrayList<>();

    private int silenceMillis = OF_THE_POOL;

    private Connection recorded(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "getNetworkTimeout":
                            return silenceMillis;
                        case "setNetworkTimeout":
                            silenceMillis = (int) arguments[1];
                            return null;
                        case "rollback", "setAutoCommit", "close":
                            told.add(method.getName() + " within " + silenceMillis);
                            return method.invoke(real, arguments);
                        default:
                            return method.invoke(real, arguments);
                    }
                });
    }

    @Test
    void connectionIsBoundedBeforeAnythingIsAskedAndUntilNothingIs() throws SQLException {
        Connection real = DriverManager.getConnection("jdbc:h2:mem:");
        real.setAutoCommit(false);
        Visit visit = Visit.begin(recorded(real), OURS, Runnable::run);
        visit.end();

        assertThat(told)
                .containsExactly(
                        "rollback within " + OURS,
                        "setAutoCommit within " + OURS,
                        "setAutoCommit within " + OURS,
                        "close within " + OF_THE_POOL);
    }
}
