package dev.holdfast.spring.locked;

import dev.holdfast.spring.Locked;
import java.io.Serial;
import java.lang.reflect.Method;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/** Says which methods {@link LockedInterceptor} goes around. */
public final class LockedAdvisor extends DefaultPointcutAdvisor {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Makes the advisor.
     *
     * @param interceptor what goes around the methods
     * @param order its place; smaller is further outside
     */
    public LockedAdvisor(LockedInterceptor interceptor, int order) {
        super(new LockedPointcut(), interceptor);
        setOrder(order);
    }

    private static final class LockedPointcut extends StaticMethodMatcherPointcut {
        LockedPointcut() {
            setClassFilter(type -> AnnotationUtils.isCandidateClass(type, Locked.class));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return LockedMethods.isLocked(method)
                    || LockedMethods.isLocked(
                            org.springframework.aop.support.AopUtils.getMostSpecificMethod(method, targetClass));
        }
    }
}
