package dev.holdfast.spring.locked;

import dev.holdfast.spring.HoldfastStartupException;
import dev.holdfast.spring.Locked;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Looks at every bean with locked methods while the application starts, and refuses what would run without its lock or be
 * released too early. Without an order of its own it sees each bean after everybody else has wrapped it.
 */
public final class LockedChecks implements BeanPostProcessor, SmartInitializingSingleton {
    private static final Log log = LogFactory.getLog(LockedChecks.class);
    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.interceptor.TransactionInterceptor", LockedChecks.class.getClassLoader());

    private final ConfigurableListableBeanFactory beans;
    private final Supplier<LockedMethods> methods;
    private final Supplier<SelfInvocation> selfInvocation;

    /** The locked methods of each class that was read. */
    private final Map<Class<?>, List<Method>> read = new ConcurrentHashMap<>();

    /**
     * Makes the checks.
     *
     * @param beans where beans are that were made before this one
     * @param methods reads annotations; asked for when the first bean comes
     * @param selfInvocation what to do about calls that go past the lock
     */
    public LockedChecks(
            ConfigurableListableBeanFactory beans,
            Supplier<LockedMethods> methods,
            Supplier<SelfInvocation> selfInvocation) {
        this.beans = beans;
        this.methods = methods;
        this.selfInvocation = selfInvocation;
    }

    /** What cannot be proxied is told before Spring tries. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        read(bean);
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        checkAdvice(bean, beanName);
        return bean;
    }

    /** Beans that the infrastructure itself needs were made before anybody could look. */
    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getSingletonNames()) {
            Object bean = beans.getSingleton(name);
            if (bean != null) {
                checkAdvice(bean, name);
            }
        }
    }

    private List<Method> read(Object bean) {
        Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
        List<Method> known = read.get(type);
        if (known == null) {
            known = AnnotationUtils.isCandidateClass(type, Locked.class) ? lockedMethods(type) : List.of();
            if (!known.isEmpty()) {
                checkType(type);
                for (Method method : known) {
                    checkMethod(method);
                    methods.get().read(method);
                }
                checkOwnCalls(type, known);
            }
            read.put(type, known);
        }
        return known;
    }

    private static List<Method> lockedMethods(Class<?> type) {
        List<Method> found = new ArrayList<>();
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            // Compilers copy annotations to what they add: bridges, and the bodies of Kotlin functions that suspend.
            if (!method.isSynthetic() && method.getDeclaringClass() != Object.class && LockedMethods.isLocked(method)) {
                found.add(method);
            }
        }
        return found;
    }

    private static void checkType(Class<?> type) {
        if (Modifier.isFinal(type.getModifiers())) {
            throw new HoldfastStartupException(
                    type.getName() + " has methods with @Locked but is final, so Spring cannot put a lock around them",
                    "make the class open (in Kotlin, use the kotlin-spring compiler plugin)");
        }
    }

    private static void checkMethod(Method method) {
        int modifiers = method.getModifiers();
        String obstacle = Modifier.isPrivate(modifiers)
                ? "private"
                : Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : null;
        if (obstacle != null) {
            throw new HoldfastStartupException(
                    where(method) + " has @Locked but is " + obstacle + ", so Spring cannot put a lock around it",
                    "make it a method that can be overridden");
        }
    }

    private void checkOwnCalls(Class<?> type, List<Method> locked) {
        SelfInvocation reaction = selfInvocation.get();
        if (reaction == SelfInvocation.IGNORE) {
            return;
        }
        for (OwnCalls.Call call : OwnCalls.in(type, locked)) {
            HoldfastStartupException problem = new HoldfastStartupException(
                    type.getSimpleName() + "." + call.from() + " calls " + call.to()
                            + " of its own object, so its @Locked" + " has no effect there",
                    "move one of the two methods to another bean, or call it through an injected reference to the bean;"
                            + " 'holdfast.locked.self-invocation=warn' lets the application start");
            if (reaction == SelfInvocation.FAIL) {
                throw problem;
            }
            log.warn(problem.getMessage());
        }
    }

    private void checkAdvice(Object bean, String beanName) {
        List<Method> locked = read(bean);
        if (locked.isEmpty()) {
            return;
        }
        Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
        Advisor[] advisors = bean instanceof Advised advised ? advised.getAdvisors() : new Advisor[0];
        int lock = -1;
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i] instanceof LockedAdvisor) {
                lock = i;
            }
        }
        if (lock < 0) {
            throw new HoldfastStartupException(
                    "the bean '" + beanName + "' has methods with @Locked, but Spring made it without a proxy, so they"
                            + " would run without a lock",
                    "look for a message of Spring's that it is 'not eligible for getting processed by all"
                            + " BeanPostProcessors', and make it later; such a bean is needed by the infrastructure itself");
        }
        for (int i = 0; TRANSACTIONS && i < lock; i++) {
            for (Method method : locked) {
                if (Transactions.begin(advisors[i], method, type)) {
                    throw new HoldfastStartupException(
                            where(method)
                                    + " would begin its transaction before it has its lock: it could read what was"
                                    + " there before the last holder's commit, and keeps a connection while it waits",
                            "give transactions a larger order than locks: leave out 'order' of"
                                    + " @EnableTransactionManagement, or set 'holdfast.locked.order' to a smaller number");
                }
            }
        }
    }

    private static String where(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    /** Only touched if spring-tx is there. */
    private static final class Transactions {
        static boolean begin(Advisor advisor, Method method, Class<?> type) {
            return advisor instanceof PointcutAdvisor pointcut
                    && advisor.getAdvice() instanceof TransactionInterceptor
                    && pointcut.getPointcut().getMethodMatcher().matches(method, type);
        }
    }
}
