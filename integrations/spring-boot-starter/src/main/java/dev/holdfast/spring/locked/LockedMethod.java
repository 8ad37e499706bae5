package dev.holdfast.spring.locked;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * One locked method, read and checked. Immutable.
 *
 * @param method the method of the target class
 * @param where class and method, for messages and labels
 * @param plans what it needs, one for each annotation
 * @param result when its work is done
 * @param parameters the parameters' names, as expressions may use them, with their positions
 * @param leaseParameter the position of the parameter that is given the lease, or -1
 * @param tokenParameter the position of the parameter that is given the token, or -1
 * @param scheduled whether Spring's scheduler calls it
 */
record LockedMethod(
        Method method,
        String where,
        List<LockPlan> plans,
        Result result,
        Map<String, Integer> parameters,
        int leaseParameter,
        int tokenParameter,
        boolean scheduled) {

    /** {@return what a call needs, in the order in which it is taken} */
    List<LockPlan.Need> needs(Holdfast locks, BeanFactory beans, @Nullable Object[] arguments) {
        Map<String, @Nullable Object> values = new HashMap<>();
        parameters.forEach((name, position) -> values.put(name, arguments[position]));
        StandardEvaluationContext context = new StandardEvaluationContext();
        context.setBeanResolver(new BeanFactoryResolver(beans));
        if (plans.size() == 1) {
            return List.of(plans.get(0).need(locks, values, context));
        }
        List<LockPlan.Need> needs = new ArrayList<>();
        for (LockPlan plan : plans) {
            needs.add(plan.need(locks, values, context));
        }
        needs.sort(Comparator.comparing(LockPlan.Need::name));
        return needs;
    }

    /** Puts the lease or its token where the method wants it. */
    void inject(@Nullable Object[] arguments, Lease lease) {
        if (leaseParameter >= 0) {
            arguments[leaseParameter] = lease;
        }
        if (tokenParameter >= 0) {
            arguments[tokenParameter] = lease.token();
        }
    }
}
