package dev.holdfast.spring.locked;

import dev.holdfast.spring.HoldfastStartupException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * A lock's name with expressions in it. What an expression gives is encoded: only letters, digits and {@code - _ . @} stay
 * as they are. Two expressions have at least one other character between them, so different keys give different names.
 * Immutable.
 */
final class NameTemplate {
    private final String where;
    private final String text;
    private final List<Object> parts;
    private final Set<String> variables;

    private NameTemplate(String where, String text, List<Object> parts, Set<String> variables) {
        this.where = where;
        this.text = text;
        this.parts = parts;
        this.variables = variables;
    }

    /**
     * Reads a template.
     *
     * @param where the method, for messages
     * @param placeholders resolves <code>${…}</code> in the text around expressions
     * @param parameters names that expressions may use
     */
    static NameTemplate of(String where, String text, UnaryOperator<String> placeholders, Set<String> parameters) {
        List<Object> parts = new ArrayList<>();
        Set<String> variables = new LinkedHashSet<>();
        for (Expression part : expressions(parse(where, text))) {
            if (part instanceof LiteralExpression literal) {
                parts.add(resolve(where, text, literal.getExpressionString(), placeholders));
            } else {
                collect(((SpelExpression) part).getAST(), variables);
                parts.add(part);
            }
        }
        checkSeparated(where, text, parts);
        for (String variable : variables) {
            if (!parameters.contains(variable)) {
                throw new HoldfastStartupException(
                        where + " has no parameter '" + variable + "', which its lock's name '" + text
                                + "' uses; it has " + parameters,
                        "correct the name; if the parameters' names are not known, compile with '-parameters' or use"
                                + " #p0, #p1");
            }
        }
        if (parts.stream().noneMatch(part -> part instanceof Expression || !((String) part).isBlank())) {
            throw new HoldfastStartupException("a lock of " + where + " has a blank name", "give it a name");
        }
        return new NameTemplate(where, text, parts, variables);
    }

    private static Expression parse(String where, String text) {
        if (text.isEmpty()) {
            return new LiteralExpression("");
        }
        try {
            return new SpelExpressionParser().parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
        } catch (ParseException malformed) {
            throw new HoldfastStartupException(
                    "the lock's name '" + text + "' of " + where + " cannot be read: " + malformed.getMessage(),
                    "correct the expression inside #{…}");
        }
    }

    private static List<Expression> expressions(Expression parsed) {
        return parsed instanceof CompositeStringExpression several
                ? List.of(several.getExpressions())
                : List.of(parsed);
    }

    private static String resolve(String where, String text, String literal, UnaryOperator<String> placeholders) {
        try {
            return placeholders.apply(literal);
        } catch (IllegalArgumentException unknown) {
            throw new HoldfastStartupException(
                    "the lock's name '" + text + "' of " + where + " has a placeholder without a value: "
                            + unknown.getMessage(),
                    "set the property, or give a default as in ${name:default}");
        }
    }

    private static void collect(SpelNode node, Set<String> variables) {
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            if (!name.equals("this") && !name.equals("root")) {
                variables.add(name);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), variables);
        }
    }

    private static void checkSeparated(String where, String text, List<Object> parts) {
        boolean separated = true;
        for (Object part : parts) {
            if (part instanceof String literal) {
                separated |=
                        literal.codePoints().anyMatch(character -> !KeyEncoding.isPlain(character) && character != '%');
            } else if (separated) {
                separated = false;
            } else {
                throw new HoldfastStartupException(
                        "two different keys could give the same name in '" + text + "' of " + where,
                        "put a separator such as ':' or '/' between the expressions; letters, digits and - _ . @ % are"
                                + " none");
            }
        }
    }

    /**
     * Computes the name for one call.
     *
     * @param arguments the values of all names that expressions may use
     * @throws IllegalArgumentException if a key is null, blank or has no text of its own
     */
    String render(Map<String, @Nullable Object> arguments, StandardEvaluationContext context) {
        for (String variable : variables) {
            context.setVariable(variable, arguments.get(variable));
        }
        StringBuilder name = new StringBuilder();
        for (Object part : parts) {
            if (part instanceof Expression expression) {
                name.append(KeyEncoding.encode(key(expression, context)));
            } else {
                name.append(part);
            }
        }
        return name.toString();
    }

    private String key(Expression expression, StandardEvaluationContext context) {
        Object value;
        try {
            value = expression.getValue(context);
        } catch (EvaluationException failure) {
            throw new IllegalArgumentException(
                    "the lock's name '" + text + "' of " + where + " cannot be computed, so the method did not run: "
                            + failure.getMessage(),
                    failure);
        }
        String key = value instanceof Enum<?> constant ? constant.name() : value == null ? "" : value.toString();
        if (key == null || key.isBlank()) {
            throw refused(expression, value == null ? "null" : "blank");
        }
        if (value != null && !hasText(value)) {
            throw refused(
                    expression, "a " + value.getClass().getName() + ", which has no text that stands for its value");
        }
        return key;
    }

    private IllegalArgumentException refused(Expression expression, String what) {
        return new IllegalArgumentException("the key #{" + expression.getExpressionString() + "} of the lock's name '"
                + text + "' of " + where + " is " + what + ", so the method did not run");
    }

    /** The default text of an object differs between instances that are equal, so it would lock nothing. */
    private static boolean hasText(Object value) {
        if (value instanceof Iterable
                || value instanceof Map
                || value instanceof Optional
                || value instanceof BaseStream
                || value.getClass().isArray()) {
            return false;
        }
        try {
            return value.getClass().getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
