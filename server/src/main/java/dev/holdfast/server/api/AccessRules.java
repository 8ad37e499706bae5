package dev.holdfast.server.api;

import dev.holdfast.server.NewToken;
import dev.holdfast.server.api.Client.Role;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * Who may do what. One line for each client: its name, its roles, the prefixes of the names that it may use ({@code *} for
 * all), and how it is recognised: by the SHA-256 of its token, or by the common name of its certificate.
 *
 * <pre>
 *   ci       look,lock        builds/,deploy/  sha256:74f7e123ac2516d2…
 *   billing  lock             billing/         certificate:billing.internal
 *   ops      look,lock,evict  *                sha256:6924639197d8323a…
 * </pre>
 *
 * A token is 256 random bits, so that a plain hash of it tells nothing. Immutable.
 */
public final class AccessRules {
    private static final int MOST_LINES = 10_000;
    private static final int TOKEN_BYTES = 32;
    private static final int SHORTEST_TOKEN = 32;
    private static final int LONGEST_TOKEN = 500;
    private static final String TOKEN_PREFIX = "hf_";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");

    private final List<Rule> rules;

    private record Rule(String line, Client client, byte[] tokenHash, String commonName) {}

    private AccessRules(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    /**
     * Makes a token.
     *
     * @param name the client
     * @param roles what it may do: some of look, lock and evict
     * @param prefixes what the names that it may use begin with; {@code *} for all
     * @return the token, and the line for the file
     * @throws IllegalArgumentException if one of them is malformed
     */
    public static NewToken newToken(String name, String roles, String prefixes) {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        String token = TOKEN_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        String line = name + " " + roles + " " + prefixes + " sha256:"
                + HexFormat.of().formatHex(hash(token));
        rule(line);
        return new NewToken(token, line);
    }

    /**
     * Reads a file.
     *
     * @param file the file
     * @return the rules
     * @throws IllegalArgumentException that names the file and the line, if that makes no sense
     */
    public static AccessRules read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("the access file " + file + " is not UTF-8", malformed);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("the access file " + file + " cannot be read", unreadable);
        }
        if (lines.size() > MOST_LINES) {
            throw new IllegalArgumentException("the access file " + file + " has more than " + MOST_LINES + " lines");
        }
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                try {
                    rules.add(rule(line));
                } catch (IllegalArgumentException wrong) {
                    throw new IllegalArgumentException(file + ", line " + (i + 1) + ": " + wrong.getMessage(), wrong);
                }
            }
        }
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("the access file " + file + " names nobody");
        }
        return new AccessRules(rules);
    }

    private static Rule rule(String line) {
        String[] words = line.split("\\s+", -1);
        if (words.length != 4) {
            throw new IllegalArgumentException(
                    "a line is 'NAME ROLES PREFIXES sha256:HASH' or 'NAME ROLES PREFIXES certificate:COMMON-NAME'");
        }
        if (!NAME.matcher(words[0]).matches()) {
            throw new IllegalArgumentException("a client's name has 1 to 64 letters, digits, '.', '_', '@' or '-'");
        }
        List<String> prefixes = words[2].equals("*") ? List.of("") : List.of(words[2].split(",", -1));
        if (!words[2].equals("*") && prefixes.contains("")) {
            throw new IllegalArgumentException("a prefix is empty; write * for all names");
        }
        Client client = new Client(words[0], words[0], roles(words[1]), prefixes);
        if (words[3].startsWith("certificate:")) {
            return new Rule(line, client, new byte[0], words[3].substring("certificate:".length()));
        }
        if (!words[3].matches("sha256:[0-9a-fA-F]{64}")) {
            throw new IllegalArgumentException(
                    "'sha256:' and 64 hexadecimal digits are needed, or 'certificate:' and" + " a common name");
        }
        return new Rule(line, client, HexFormat.of().parseHex(words[3].substring("sha256:".length())), "");
    }

    private static Set<Role> roles(String words) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String word : words.split(",", -1)) {
            roles.add(Arrays.stream(Role.values())
                    .filter(role -> role.name().toLowerCase(Locale.ROOT).equals(word))
                    .findAny()
                    .orElseThrow(() -> new IllegalArgumentException("the roles are look, lock and evict")));
        }
        return roles;
    }

    /** Finds the client with a token; how long it takes does not tell how much of the token is right. */
    public Optional<Client> byToken(String token) {
        if (token.length() < SHORTEST_TOKEN || token.length() > LONGEST_TOKEN) {
            return Optional.empty();
        }
        byte[] given = hash(token);
        Client found = null;
        for (Rule rule : rules) {
            // Every rule is compared, whether it is found early or late.
            if (MessageDigest.isEqual(given, rule.tokenHash)) {
                found = rule.client;
            }
        }
        return Optional.ofNullable(found);
    }

    /** {@return the names of the clients of earlier rules that have another line now, or none} */
    public Set<String> changedSince(AccessRules earlier) {
        Set<String> lines = rules.stream().map(Rule::line).collect(Collectors.toSet());
        return earlier.rules.stream()
                .filter(rule -> !lines.contains(rule.line))
                .map(rule -> rule.client.name())
                .collect(Collectors.toSet());
    }

    /** Finds the client with a certificate that was verified. */
    public Optional<Client> byCertificate(String distinguishedName) {
        return commonName(distinguishedName)
                .flatMap(name -> rules.stream()
                        .filter(rule -> rule.commonName.equals(name))
                        .map(Rule::client)
                        .findFirst());
    }

    /** Parsed, not searched: another part of the name may hold anything, such as an escaped comma and "CN=". */
    private static Optional<String> commonName(String distinguishedName) {
        try {
            Rdn found = null;
            for (Rdn part : new LdapName(distinguishedName).getRdns()) {
                found = part.getType().equalsIgnoreCase("CN") ? part : found;
            }
            return found != null && found.getValue() instanceof String name && !name.isEmpty()
                    ? Optional.of(name)
                    : Optional.empty();
        } catch (InvalidNameException malformed) {
            return Optional.empty();
        }
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java has SHA-256", missing);
        }
    }

    /** {@return the names of the clients} */
    @Override
    public String toString() {
        return rules.stream().map(rule -> rule.client.name()).collect(Collectors.joining(", ", "AccessRules[", "]"));
    }
}
