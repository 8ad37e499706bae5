package dev.holdfast.jdbc.session;

import org.jspecify.annotations.Nullable;

/**
 * What the table tells of one name; times in microseconds of the database's clock.
 *
 * @param name the name
 * @param epoch the last that was drawn
 * @param owner who drew it; null after it was given back
 * @param backend the database's number of the session that holds it
 * @param clientName who holds it, for people
 * @param label the holder's note
 * @param since when it was drawn
 * @param now the database's time
 * @param evictedEpoch the last epoch that was taken away by force; 0 if none
 * @param evictedAt when
 * @param evictedBy by whom
 * @param evictedReason why
 */
record Record(
        String name,
        long epoch,
        @Nullable String owner,
        long backend,
        String clientName,
        String label,
        long since,
        long now,
        long evictedEpoch,
        long evictedAt,
        String evictedBy,
        String evictedReason) {}
