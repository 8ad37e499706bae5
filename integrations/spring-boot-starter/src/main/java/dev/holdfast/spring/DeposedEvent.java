package dev.holdfast.spring;

import dev.holdfast.LossReason;
import java.util.Optional;

/**
 * This instance does not lead any more. Published after the beans of the election have been stopped.
 *
 * @param election the name of the election
 * @param reason why the term was lost; empty if the instance resigned because it stops
 */
public record DeposedEvent(String election, Optional<LossReason> reason) {}
