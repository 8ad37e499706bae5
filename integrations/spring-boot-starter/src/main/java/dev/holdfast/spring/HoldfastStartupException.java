package dev.holdfast.spring;

import dev.holdfast.HoldfastException;

/** The application cannot start because of how it uses Holdfast. Spring Boot prints what is wrong and what to do. */
public final class HoldfastStartupException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    private final String problem;

    /** What to do about it. */
    private final String action;

    /**
     * Makes the exception.
     *
     * @param problem what is wrong
     * @param action what to do about it
     */
    public HoldfastStartupException(String problem, String action) {
        super(problem + "; " + action);
        this.problem = problem;
        this.action = action;
    }

    /** {@return what is wrong} */
    public String problem() {
        return problem;
    }

    /** {@return what to do about it} */
    public String action() {
        return action;
    }
}
