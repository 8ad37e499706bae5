package dev.holdfast.spring.autoconfigure;

import dev.holdfast.LockOptions;
import dev.holdfast.spring.LockMode;
import dev.holdfast.spring.locked.SelfInvocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** The properties of the application's client. */
@ConfigurationProperties("holdfast")
public class HoldfastProperties {

    /** Whether anything of Holdfast is set up. */
    private boolean enabled = true;

    /** URL of the store, such as redis://localhost:6379 or jdbc:postgresql://localhost/shop. Without it, a bean of the application is used. */
    private @Nullable String url;

    /** User at the store, where the URL does not name one. */
    private @Nullable String username;

    /** Password at the store, where the URL does not have one. */
    private @Nullable String password;

    /** Name of the DataSource, RedisConnectionFactory or CuratorFramework bean to use, where there are several. */
    private @Nullable String bean;

    /** Name under which this instance shows as holder or waiter. By default the application's name, host and process. */
    private @Nullable String clientName;

    /** How long one call to the store may take. */
    private Duration commandTimeout = Duration.ofSeconds(2);

    /** Whether the application starts although the store cannot be reached yet. */
    private boolean lazy;

    /** Whether threads stay awake for some microseconds when they wait for something near. */
    private boolean stayAwake = true;

    /** Options of the store, as they can stand behind # in its URL. */
    private Map<String, String> options = new LinkedHashMap<>();

    /** Names of elections in which this instance stands; beans with @OnElected stand without being named here. */
    private List<String> elections = new ArrayList<>();

    /** Locks that are beans: the key is the bean's name and qualifier. */
    private Map<String, NamedLock> locks = new LinkedHashMap<>();

    @NestedConfigurationProperty
    private final Defaults defaults = new Defaults();

    @NestedConfigurationProperty
    private final Locked locked = new Locked();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getUrl() {
        return url;
    }

    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    public @Nullable String getUsername() {
        return username;
    }

    public void setUsername(@Nullable String username) {
        this.username = username;
    }

    public @Nullable String getPassword() {
        return password;
    }

    public void setPassword(@Nullable String password) {
        this.password = password;
    }

    public @Nullable String getBean() {
        return bean;
    }

    public void setBean(@Nullable String bean) {
        this.bean = bean;
    }

    public @Nullable String getClientName() {
        return clientName;
    }

    public void setClientName(@Nullable String clientName) {
        this.clientName = clientName;
    }

    public Duration getCommandTimeout() {
        return commandTimeout;
    }

    public void setCommandTimeout(Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
    }

    public boolean isLazy() {
        return lazy;
    }

    public void setLazy(boolean lazy) {
        this.lazy = lazy;
    }

    public boolean isStayAwake() {
        return stayAwake;
    }

    public void setStayAwake(boolean stayAwake) {
        this.stayAwake = stayAwake;
    }

    public Map<String, String> getOptions() {
        return options;
    }

    public void setOptions(Map<String, String> options) {
        this.options = options;
    }

    public List<String> getElections() {
        return elections;
    }

    public void setElections(List<String> elections) {
        this.elections = elections;
    }

    public Map<String, NamedLock> getLocks() {
        return locks;
    }

    public void setLocks(Map<String, NamedLock> locks) {
        this.locks = locks;
    }

    public Defaults getDefaults() {
        return defaults;
    }

    public Locked getLocked() {
        return locked;
    }

    /** How locks behave that say nothing else. */
    public static class Defaults {
        /** How long the store keeps a lock without a renewal; it is renewed at a third of it. */
        private Duration leaseTime = Duration.ofSeconds(30);

        /** The longest time one lease may be held. By default without limit. */
        private @Nullable Duration maxHold;

        /** How long a released lock stays with this instance while nobody else wants it. */
        private Duration stickyFor = Duration.ZERO;

        /** Whether the thread that acquired a lease is interrupted when the lease is lost. */
        private boolean interruptOnLoss;

        LockOptions toOptions() {
            LockOptions options = LockOptions.defaults()
                    .withLeaseTime(leaseTime)
                    .withStickyFor(stickyFor)
                    .withInterruptOnLoss(interruptOnLoss);
            return maxHold == null ? options : options.withMaxHold(maxHold);
        }

        public Duration getLeaseTime() {
            return leaseTime;
        }

        public void setLeaseTime(Duration leaseTime) {
            this.leaseTime = leaseTime;
        }

        public @Nullable Duration getMaxHold() {
            return maxHold;
        }

        public void setMaxHold(@Nullable Duration maxHold) {
            this.maxHold = maxHold;
        }

        public Duration getStickyFor() {
            return stickyFor;
        }

        public void setStickyFor(Duration stickyFor) {
            this.stickyFor = stickyFor;
        }

        public boolean isInterruptOnLoss() {
            return interruptOnLoss;
        }

        public void setInterruptOnLoss(boolean interruptOnLoss) {
            this.interruptOnLoss = interruptOnLoss;
        }
    }

    /** How methods with @Locked behave. */
    public static class Locked {
        /** Whether @Locked has an effect. Methods with it run without any lock if it is off. */
        private boolean enabled = true;

        /** How long a call waits for its lock where the method does not say. */
        private Duration wait = Duration.ofSeconds(10);

        /** Place of the lock among other advice: smaller is further outside. It must be outside of transactions. */
        private int order = 1000;

        /** What to do about a class that calls its own locked method, past the lock. */
        private SelfInvocation selfInvocation = SelfInvocation.FAIL;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getWait() {
            return wait;
        }

        public void setWait(Duration wait) {
            this.wait = wait;
        }

        public int getOrder() {
            return order;
        }

        public void setOrder(int order) {
            this.order = order;
        }

        public SelfInvocation getSelfInvocation() {
            return selfInvocation;
        }

        public void setSelfInvocation(SelfInvocation selfInvocation) {
            this.selfInvocation = selfInvocation;
        }
    }

    /** A lock that is a bean. */
    public static class NamedLock {
        /** Name of the lock at the store. By default the key. */
        private @Nullable String name;

        /** Exclusive, or one side of a read/write lock. */
        private LockMode mode = LockMode.EXCLUSIVE;

        /** Permits of a semaphore in all; 0 for a lock. */
        private int capacity;

        /** Permits of a semaphore that are taken at once. */
        private int permits = 1;

        /** How long the store keeps the lock without a renewal. By default holdfast.defaults.lease-time. */
        private @Nullable Duration leaseTime;

        /** The longest time one lease may be held. By default holdfast.defaults.max-hold. */
        private @Nullable Duration maxHold;

        public @Nullable String getName() {
            return name;
        }

        public void setName(@Nullable String name) {
            this.name = name;
        }

        public LockMode getMode() {
            return mode;
        }

        public void setMode(LockMode mode) {
            this.mode = mode;
        }

        public int getCapacity() {
            return capacity;
        }

        public void setCapacity(int capacity) {
            this.capacity = capacity;
        }

        public int getPermits() {
            return permits;
        }

        public void setPermits(int permits) {
            this.permits = permits;
        }

        public @Nullable Duration getLeaseTime() {
            return leaseTime;
        }

        public void setLeaseTime(@Nullable Duration leaseTime) {
            this.leaseTime = leaseTime;
        }

        public @Nullable Duration getMaxHold() {
            return maxHold;
        }

        public void setMaxHold(@Nullable Duration maxHold) {
            this.maxHold = maxHold;
        }
    }
}
