import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the public and protected API of one module with its committed signature file: one line per type and member
 * of every exported package, nullness included. Exported are the packages given on the command line, else those of the
 * module-info, else all.
 *
 * <p>Until the first release there is no older jar to compare with, so this file is the baseline. Reflection is used
 * rather than javap because its answers do not depend on the JDK that builds.
 *
 * <p>Usage: {@code java -classpath CLASSES:DEPENDENCIES ApiSignatures.java CLASSES FILE.api ACCEPT [packages=A,B]}
 */
public final class ApiSignatures {
    private static final Set<String> IMPLIED_METHODS = Set.of("equals(Object)", "hashCode()", "toString()");

    private final Path classes;
    private final Predicate<String> exported;
    private final List<String> leaks = new ArrayList<>();

    private ApiSignatures(Path classes, Set<String> packages) throws IOException {
        this.classes = classes;
        this.exported = packages.isEmpty() ? exportedPackages(classes) : packages::contains;
    }

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        boolean accept = args.length > 2 && !args[2].equals("false");
        ApiSignatures api = new ApiSignatures(Path.of(args[0]), packages(args));
        List<String> now = api.lines();
        if (!api.leaks.isEmpty()) {
            fail("The API mentions types its users cannot see:", api.leaks);
        }
        List<String> committed = Files.exists(file) ? Files.readAllLines(file) : List.of();
        if (now.equals(committed)) {
            System.out.println("API unchanged: " + file.getFileName() + ", " + now.size() + " signatures");
            return;
        }
        if (accept) {
            Files.createDirectories(file.getParent());
            Files.write(file, now);
            System.out.println("Accepted the API in " + file.getFileName() + ": review and commit it.");
            return;
        }
        List<String> changes = new ArrayList<>();
        committed.stream().filter(line -> !now.contains(line)).forEach(line -> changes.add("- " + line));
        now.stream().filter(line -> !committed.contains(line)).forEach(line -> changes.add("+ " + line));
        changes.add("If this change is meant: ./check --accept-api, then commit the file.");
        fail("The API differs from the committed api/" + file.getFileName() + ":", changes);
    }

    private static void fail(String headline, List<String> details) {
        System.err.println("API CHECK FAILED. " + headline);
        details.forEach(detail -> System.err.println("  " + detail));
        System.exit(1);
    }

    private static Set<String> packages(String[] args) {
        String prefix = "packages=";
        return Arrays.stream(args)
                .filter(argument -> argument.startsWith(prefix))
                .flatMap(argument ->
                        Arrays.stream(argument.substring(prefix.length()).split(",", -1)))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
    }

    private static Predicate<String> exportedPackages(Path classes) throws IOException {
        Path descriptor = classes.resolve("module-info.class");
        if (!Files.exists(descriptor)) {
            return name -> true;
        }
        try (var in = Files.newInputStream(descriptor)) {
            Set<String> names = ModuleDescriptor.read(in).exports().stream()
                    .filter(exports -> !exports.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
            return names::contains;
        }
    }

    private List<String> lines() throws Exception {
        if (!Files.isDirectory(classes)) {
            return List.of();
        }
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(classes)) {
            files.map(path -> classes.relativize(path).toString().replace('\\', '/'))
                    .filter(path -> path.endsWith(".class") && !path.endsWith("-info.class"))
                    .forEach(path -> names.add(
                            path.substring(0, path.length() - ".class".length()).replace('/', '.')));
        }
        List<String> lines = new ArrayList<>();
        for (String name : names) {
            // Classes that nobody may name are not loaded: they may need what only some applications have.
            if (!exported.test(name.substring(0, Math.max(0, name.lastIndexOf('.'))))) {
                continue;
            }
            Class<?> type = Class.forName(name, false, ApiSignatures.class.getClassLoader());
            if (isVisible(type)) {
                lines.addAll(linesOf(type));
            }
        }
        return lines;
    }

    private Collection<String> linesOf(Class<?> type) {
        String prefix = type.getCanonicalName() + " :: ";
        Set<String> members = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            if (isApi(type, field.getModifiers(), field.isSynthetic())) {
                members.add(modifiers(field.getModifiers()) + render(field.getAnnotatedType(), prefix) + " "
                        + field.getName());
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            boolean implied = type.isRecord() && isCanonical(constructor, type.getRecordComponents());
            if (!implied && isApi(type, constructor.getModifiers(), constructor.isSynthetic())) {
                members.add(executable(constructor, "", type.getSimpleName(), prefix));
            }
        }
        // A public method of a hidden superclass is as visible as the type's own.
        for (Class<?> owner = type; owner == type || isHidden(owner); owner = owner.getSuperclass()) {
            for (Method method : owner.getDeclaredMethods()) {
                if (!isImplied(type, method) && isApi(type, method.getModifiers(), method.isSynthetic())) {
                    String returns = render(method.getAnnotatedReturnType(), prefix) + " ";
                    members.add(executable(method, returns, method.getName(), prefix));
                }
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(prefix + header(type, prefix));
        members.forEach(member -> lines.add(prefix + member));
        return lines;
    }

    private String header(Class<?> type, String prefix) {
        StringBuilder line = new StringBuilder();
        int shown = type.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC);
        boolean plain = !type.isInterface() && !type.isRecord() && !type.isEnum();
        line.append(modifiers(plain ? type.getModifiers() : shown));
        line.append(type.isSealed() ? "sealed " : "");
        line.append(type.isAnnotation() ? "@interface" : type.isInterface() ? "interface" : "");
        line.append(type.isRecord() ? "record" : type.isEnum() ? "enum" : plain ? "class" : "");
        line.append(typeParameters(type.getTypeParameters(), prefix));
        if (type.isRecord()) {
            line.append(Arrays.stream(type.getRecordComponents())
                    .map(component -> render(component.getAnnotatedType(), prefix) + " " + component.getName())
                    .collect(Collectors.joining(", ", "(", ")")));
        }
        if (plain && type.getSuperclass() != Object.class && !isHidden(type.getSuperclass())) {
            line.append(" extends ").append(render(type.getAnnotatedSuperclass(), prefix));
        }
        line.append(clause(
                " implements ",
                Arrays.stream(type.getAnnotatedInterfaces())
                        .filter(parent -> !isHidden(raw(parent)))
                        .map(parent -> render(parent, prefix))));
        if (type.isSealed()) {
            line.append(clause(
                    " permits ",
                    Arrays.stream(type.getPermittedSubclasses())
                            .map(child -> isVisible(child) ? child.getCanonicalName() : "(hidden)")
                            .distinct()));
        }
        return line.toString();
    }

    private String executable(Executable member, String returns, String name, String prefix) {
        String modifiers = modifiers(member.getModifiers() & ~(Modifier.TRANSIENT | Modifier.VOLATILE));
        String isDefault = member instanceof Method method && method.isDefault() ? "default " : "";
        String variables = typeParameters(member.getTypeParameters(), prefix);
        String throwsClause = clause(
                " throws ", Arrays.stream(member.getAnnotatedExceptionTypes()).map(type -> render(type, prefix)));
        String parameters = Arrays.stream(member.getAnnotatedParameterTypes())
                .map(type -> render(type, prefix))
                .collect(Collectors.joining(", ", "(", ")"));
        if (member.isVarArgs()) {
            parameters = parameters.replaceAll("\\[]\\)$", "...)");
        }
        String gap = variables.isEmpty() ? "" : " ";
        return modifiers + isDefault + variables + gap + returns + name + parameters + throwsClause;
    }

    private static String clause(String keyword, Stream<String> names) {
        String all = names.sorted().collect(Collectors.joining(", "));
        return all.isEmpty() ? "" : keyword + all;
    }

    private String typeParameters(TypeVariable<?>[] variables, String prefix) {
        if (variables.length == 0) {
            return "";
        }
        return Arrays.stream(variables)
                .map(variable -> nullness(variable)
                        + variable.getName()
                        + bounds(" extends ", variable.getAnnotatedBounds(), prefix))
                .collect(Collectors.joining(", ", "<", ">"));
    }

    private String bounds(String keyword, AnnotatedType[] bounds, String prefix) {
        String all = Arrays.stream(bounds).map(bound -> render(bound, prefix)).collect(Collectors.joining(" & "));
        return all.isEmpty() || all.equals("Object") ? "" : keyword + all;
    }

    private String render(AnnotatedType type, String prefix) {
        if (type instanceof AnnotatedArrayType array) {
            return render(array.getAnnotatedGenericComponentType(), prefix)
                    + (nullness(array).isEmpty() ? "" : " @Nullable ") + "[]";
        }
        if (type instanceof AnnotatedTypeVariable variable) {
            return nullness(type) + variable.getType().getTypeName();
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            return "?" + bounds(" extends ", wildcard.getAnnotatedUpperBounds(), prefix)
                    + bounds(" super ", wildcard.getAnnotatedLowerBounds(), prefix);
        }
        Class<?> raw = raw(type);
        boolean isOwn = Files.exists(classes.resolve(raw.getName().replace('.', '/') + ".class"));
        if (isOwn && !(exported.test(raw.getPackageName()) && isVisible(raw))) {
            leaks.add(prefix + raw.getName());
        }
        String name = raw.getCanonicalName().replaceFirst("^java\\.lang\\.(?=[A-Z])", "");
        String arguments = type instanceof AnnotatedParameterizedType parameterized
                ? Arrays.stream(parameterized.getAnnotatedActualTypeArguments())
                        .map(argument -> render(argument, prefix))
                        .collect(Collectors.joining(", ", "<", ">"))
                : "";
        return nullness(type) + name + arguments;
    }

    private static Class<?> raw(AnnotatedType type) {
        return type.getType() instanceof ParameterizedType parameterized
                ? (Class<?>) parameterized.getRawType()
                : (Class<?>) type.getType();
    }

    private static String nullness(AnnotatedElement element) {
        return Arrays.stream(element.getAnnotations())
                .map(annotation -> annotation.annotationType().getName())
                .filter(name -> name.startsWith("org.jspecify."))
                .map(name -> "@" + name.substring(name.lastIndexOf('.') + 1) + " ")
                .sorted()
                .collect(Collectors.joining());
    }

    private static String modifiers(int modifiers) {
        int shown = modifiers & ~(Modifier.SYNCHRONIZED | Modifier.NATIVE | Modifier.STRICT | Modifier.INTERFACE);
        String text = Modifier.toString(shown);
        return text.isEmpty() ? "" : text + " ";
    }

    private static boolean isApi(Class<?> type, int modifiers, boolean isSynthetic) {
        boolean isInheritable = Modifier.isProtected(modifiers) && !Modifier.isFinal(type.getModifiers());
        return !isSynthetic && (Modifier.isPublic(modifiers) || isInheritable);
    }

    private static boolean isImplied(Class<?> type, Method method) {
        String signature = method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(",", "(", ")"));
        boolean isAccessor = type.isRecord()
                && method.getParameterCount() == 0
                && Arrays.stream(type.getRecordComponents())
                        .anyMatch(component -> component.getName().equals(method.getName()));
        boolean isEnumLookup =
                type.isEnum() && Set.of("values()", "valueOf(String)").contains(signature);
        return isAccessor || isEnumLookup || IMPLIED_METHODS.contains(signature);
    }

    private static boolean isCanonical(Constructor<?> constructor, RecordComponent[] components) {
        return Arrays.equals(
                constructor.getParameterTypes(),
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
    }

    private static boolean isHidden(Class<?> type) {
        return type != null && !isVisible(type);
    }

    private static boolean isVisible(Class<?> type) {
        int modifiers = type.getModifiers();
        boolean isOpen = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
        return isOpen
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && (type.getEnclosingClass() == null || isVisible(type.getEnclosingClass()));
    }
}
