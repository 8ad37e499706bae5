package dev.holdfast.spring.locked;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spring.HoldfastStartupException;
import dev.holdfast.spring.LockMode;
import dev.holdfast.spring.LockToken;
import dev.holdfast.spring.Locked;
import dev.holdfast.spring.OnContended;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

/** Reads {@link Locked} from methods and checks what can be checked before the first call. Thread-safe. */
public final class LockedMethods {
    private final Environment environment;
    private final Supplier<Duration> defaultWait;
    private final Supplier<LockOptions> defaults;
    private final Map<MethodClassKey, LockedMethod> known = new ConcurrentHashMap<>();

    /**
     * Makes a reader.
     *
     * @param environment resolves placeholders
     * @param defaultWait how long calls wait that say nothing else
     * @param defaults how locks behave that say nothing else
     */
    public LockedMethods(Environment environment, Supplier<Duration> defaultWait, Supplier<LockOptions> defaults) {
        this.environment = environment;
        this.defaultWait = defaultWait;
        this.defaults = defaults;
    }

    static boolean isLocked(Method method) {
        return MergedAnnotations.from(method, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
                .isPresent(Locked.class);
    }

    LockedMethod of(Method called, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(called, targetClass);
        LockedMethod method = known.get(key);
        if (method == null) {
            method = read(AopUtils.getMostSpecificMethod(called, targetClass));
            known.put(key, method);
        }
        return method;
    }

    LockedMethod read(Method method) {
        String where = method.getDeclaringClass().getSimpleName() + "." + method.getName();
        boolean scheduled = AnnotatedElementUtils.hasAnnotation(method, Scheduled.class)
                || AnnotatedElementUtils.hasAnnotation(method, Schedules.class);
        Map<String, Integer> names = names(method);
        List<LockPlan> plans = MergedAnnotations.from(method, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY).stream(
                        Locked.class)
                .map(annotation -> plan(annotation.synthesize(), method, where, scheduled, names))
                .toList();
        int lease = position(method, where, "a parameter of the type Lease", each -> each.getType() == Lease.class);
        int token = position(
                method, where, "a parameter with @LockToken", each -> each.isAnnotationPresent(LockToken.class));
        checkInjection(method, where, plans, lease, token);
        return new LockedMethod(method, where, plans, Result.of(method, where), names, lease, token, scheduled);
    }

    private static Map<String, Integer> names(Method method) {
        Map<String, Integer> names = new LinkedHashMap<>();
        String[] discovered = new DefaultParameterNameDiscoverer().getParameterNames(method);
        for (int i = 0; i < method.getParameterCount(); i++) {
            // Of a Kotlin function that suspends, the last one has no name: it is how the function goes on.
            if (discovered != null && i < discovered.length && discovered[i] != null) {
                names.put(discovered[i], i);
            }
            names.put("p" + i, i);
            names.put("a" + i, i);
        }
        return names;
    }

    private LockPlan plan(
            Locked locked, Method method, String where, boolean scheduled, Map<String, Integer> parameters) {
        if (locked.name().length == 0) {
            throw new HoldfastStartupException("a lock of " + where + " has no name", "give it a name");
        }
        List<NameTemplate> templates = new ArrayList<>();
        for (String name : locked.name()) {
            templates.add(NameTemplate.of(where, name, environment::resolveRequiredPlaceholders, parameters.keySet()));
        }
        checkKind(locked, where);
        boolean skip =
                locked.onContended() == OnContended.SKIP || (locked.onContended() == OnContended.DEFAULT && scheduled);
        if (skip && !Result.canBeSkipped(method)) {
            throw new HoldfastStartupException(
                    where + " returns "
                            + Result.typeOf(method).getName()
                            + (Result.typeOf(method).isPrimitive() ? "" : ", which is never null")
                            + ", so there is nothing to return when a call is skipped because the lock is taken",
                    "return a type that can be null, or choose onContended = THROW");
        }
        Duration wait = duration(locked.waitFor(), "waitFor", where, scheduled ? Duration.ZERO : defaultWait.get());
        Duration atLeast = duration(locked.holdAtLeast(), "holdAtLeast", where, Duration.ZERO);
        return new LockPlan(
                templates,
                locked.mode(),
                locked.capacity(),
                locked.permits(),
                wait,
                options(locked, where, atLeast),
                skip,
                atLeast);
    }

    private LockOptions options(Locked locked, String where, Duration atLeast) {
        LockOptions options =
                defaults.get().withLabel(where.substring(0, Math.min(where.length(), LockOptions.LONGEST_LABEL)));
        try {
            if (!locked.lease().isBlank()) {
                options = options.withLeaseTime(duration(locked.lease(), "lease", where, Duration.ZERO));
            }
            if (!locked.holdAtMost().isBlank()) {
                options = options.withMaxHold(duration(locked.holdAtMost(), "holdAtMost", where, Duration.ZERO));
            }
        } catch (IllegalArgumentException outOfRange) {
            throw new HoldfastStartupException(
                    "a time of the lock of " + where + " is out of range: " + outOfRange.getMessage(), "correct it");
        }
        Duration atMost = options.maxHold().orElse(atLeast);
        if (atLeast.compareTo(atMost) > 0) {
            throw new HoldfastStartupException(
                    where + " holds its lock at least " + atLeast.toMillis() + " ms but at most " + atMost.toMillis()
                            + " ms",
                    "make holdAtLeast the smaller one");
        }
        return options;
    }

    private static void checkKind(Locked locked, String where) {
        boolean semaphore = locked.capacity() != 0;
        if (locked.capacity() < 0 || locked.permits() < 1 || (semaphore && locked.permits() > locked.capacity())) {
            throw new HoldfastStartupException(
                    where + " asks for " + locked.permits() + " of " + locked.capacity() + " permits",
                    "ask for 1 to 'capacity' permits");
        }
        if (!semaphore && locked.permits() != 1) {
            throw new HoldfastStartupException(
                    where + " asks for " + locked.permits() + " permits, but does not say of how many",
                    "set 'capacity' too");
        }
        if (locked.mode() != LockMode.EXCLUSIVE && semaphore) {
            throw new HoldfastStartupException(
                    where + " asks for permits and for a read/write lock", "choose 'mode' or 'capacity'");
        }
        if (locked.name().length > 1 && (semaphore || locked.mode() != LockMode.EXCLUSIVE)) {
            throw new HoldfastStartupException(
                    where + " asks for several names that are not exclusive", "repeat @Locked, once for each name");
        }
    }

    private Duration duration(String text, String attribute, String where, Duration otherwise) {
        String resolved;
        try {
            resolved = environment.resolveRequiredPlaceholders(text).strip();
        } catch (IllegalArgumentException unknown) {
            throw new HoldfastStartupException(
                    attribute + " of " + where + " has a placeholder without a value: " + unknown.getMessage(),
                    "set the property, or give a default as in ${name:2s}");
        }
        if (resolved.isEmpty()) {
            return otherwise;
        }
        try {
            // A number without a unit would be taken for milliseconds, which hardly anybody means.
            if (!Character.isDigit(resolved.charAt(resolved.length() - 1))) {
                Duration parsed = DurationStyle.detectAndParse(resolved);
                if (!parsed.isNegative()) {
                    return parsed;
                }
            }
        } catch (IllegalArgumentException malformed) {
            // Told below.
        }
        throw new HoldfastStartupException(
                attribute + " of " + where + " is '" + resolved + "', which is not a duration",
                "write a number with a unit, such as 500ms, 2s or 5m");
    }

    private static int position(Method method, String where, String what, Predicate<Parameter> wanted) {
        int found = -1;
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (wanted.test(Objects.requireNonNull(parameters[i]))) {
                if (found >= 0) {
                    throw new HoldfastStartupException(where + " has " + what + " twice", "leave one");
                }
                found = i;
            }
        }
        return found;
    }

    private static void checkInjection(Method method, String where, List<LockPlan> plans, int lease, int token) {
        if (lease < 0 && token < 0) {
            return;
        }
        if (plans.size() > 1) {
            throw new HoldfastStartupException(
                    where + " has several @Locked, so it cannot be told whose lease or token its parameter wants",
                    "leave one @Locked, with several names if they are exclusive");
        }
        if (token >= 0) {
            Class<?> type = method.getParameterTypes()[token];
            if (type != long.class && type != Long.class) {
                throw new HoldfastStartupException(
                        "the parameter with @LockToken of " + where + " is a " + type.getName(), "make it a long");
            }
            if (plans.get(0).names().size() > 1) {
                throw new HoldfastStartupException(
                        where + " locks several names, and each has a token of its own",
                        "take a parameter of the type Lease and ask it for token(name)");
            }
        }
    }
}
