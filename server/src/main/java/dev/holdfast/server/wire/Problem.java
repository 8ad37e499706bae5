package dev.holdfast.server.wire;

import java.util.LinkedHashMap;
import java.util.Map;

/** A request that is not answered with what it asked for; an answer of the kind {@code application/problem+json}. */
public final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What kind of problem it is. */
    private final Code code;

    /** Members besides the usual ones; strings and numbers. */
    private final transient Map<String, Object> more = new LinkedHashMap<>();

    /** The kinds of problems. Clients go by these words. */
    public enum Code {
        /** The request makes no sense as HTTP or JSON. */
        MALFORMED(400, "malformed", "The request is malformed"),
        /** The request is not authenticated. */
        UNAUTHORIZED(401, "unauthorized", "Credentials are needed"),
        /** The client may not do this. */
        FORBIDDEN(403, "forbidden", "Not allowed"),
        /** There is no such page, lock or lease. */
        NOT_FOUND(404, "not-found", "Not found"),
        /** This server did not make that lease id. */
        LEASE_UNKNOWN(404, "lease-unknown", "No such lease"),
        /** The path does not know the method. */
        METHOD(405, "method-not-allowed", "Method not allowed"),
        /** Somebody else has the lock. */
        CONTENDED(409, "contended", "Somebody else has the lock"),
        /** The lease has ended. */
        LEASE_LOST(410, "lease-lost", "The lease is not held any more"),
        /** The body is too long. */
        TOO_LARGE(413, "too-large", "Too large"),
        /** The path is too long. */
        URI_TOO_LONG(414, "too-large", "Too large"),
        /** The body is no JSON. */
        MEDIA_TYPE(415, "media-type", "The body must be application/json"),
        /** Another instance has the session that the lease lives in. */
        LEASE_ELSEWHERE(421, "lease-elsewhere", "The lease belongs to another instance"),
        /** The request is readable, but a value is not possible. */
        INVALID(422, "invalid", "Not possible"),
        /** The name is in use as another kind or capacity. */
        MISMATCH(422, "mismatch", "The name is in use as another kind"),
        /** A limit for this client is reached. */
        TOO_MANY(429, "too-many", "Too many"),
        /** The headers are too long. */
        HEADERS_TOO_LARGE(431, "too-large", "Too large"),
        /** A defect of this server. */
        INTERNAL(500, "internal", "A defect in the server"),
        /** The store cannot be used as it is set up. */
        MISCONFIGURED(500, "store-misconfigured", "The store refuses this server"),
        /** Nobody knows whether the request took effect. */
        CANNOT_TELL(503, "cannot-tell", "The store did not answer"),
        /** The server as a whole has too much to do, or stops. */
        UNAVAILABLE(503, "unavailable", "The server cannot take this request now");

        private final int status;
        private final String word;
        private final String title;

        Code(int status, String word, String title) {
            this.status = status;
            this.word = word;
            this.title = title;
        }

        /** {@return the HTTP status} */
        public int status() {
            return status;
        }

        /** {@return the word that clients go by} */
        public String word() {
            return word;
        }
    }

    /**
     * Makes a problem.
     *
     * @param code what kind of problem
     * @param detail what was wrong and what to do, in a sentence
     */
    public Problem(Code code, String detail) {
        super(detail, null, false, false);
        this.code = code;
    }

    /**
     * Adds a member.
     *
     * @param name its name
     * @param value its value
     * @return this problem
     */
    public Problem with(String name, Object value) {
        more.put(name, value);
        return this;
    }

    /** {@return a member that was added, as text; empty if there is none} */
    String member(String name) {
        return String.valueOf(more.getOrDefault(name, ""));
    }

    /** {@return what kind of problem it is} */
    public Code code() {
        return code;
    }

    /** {@return the answer's body} */
    public String toJson() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("title", code.title);
        body.put("status", code.status);
        body.put("code", code.word);
        body.put("detail", String.valueOf(getMessage()));
        body.putAll(more);
        return Json.write(body);
    }
}
