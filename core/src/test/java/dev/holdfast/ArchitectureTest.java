package dev.holdfast;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.conditions.ArchConditions.haveModifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps the three rings (users see {@code dev.holdfast}, store authors {@code .spi}, nobody {@code .engine}) and the
 * house rules a class file can show. A rule that matches no class fails.
 */
class ArchitectureTest {
    private static final String API = "dev.holdfast";
    private static final String SPI = "dev.holdfast.spi";
    private static final String ENGINE = "dev.holdfast.engine..";
    private static final String STORES = "dev.holdfast.store..";
    private static final String FENCE = "dev.holdfast.fence..";

    /** The only class of the API that knows the engine. */
    private static final Set<String> ENGINE_USERS = Set.of("HoldfastBuilder");

    /** The only class of the API whose methods name the SPI: what a store module makes and the client calls. */
    private static final Set<String> SPI_BRIDGES = Set.of("StoreFactory");

    /** The only classes that read a clock of the machine; everybody else is handed one. Epochs start from it. */
    private static final Set<String> CLOCK_READERS = Set.of("SystemClock", "SharedMemory", "MachineTime");

    private static final String UNWANTED_NAME = ".*(Manager|Helper|Utils?|Impl)|Base[A-Z].*|Base";

    private static final Path CORE_DIRECTORY = coreDirectory();
    private static final JavaClasses CORE = new ClassFileImporter().importPath(CORE_DIRECTORY);

    @Test
    void spiKnowsNeitherEngineNorStores() {
        noClasses()
                .that()
                .resideInAPackage(SPI)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ENGINE, STORES)
                .check(CORE);
    }

    @Test
    void onlyTheBuilderKnowsTheEngine() {
        noClasses()
                .that(not(resideInAPackage(ENGINE)))
                .and(not(belongToOneOf(ENGINE_USERS)))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ENGINE)
                .check(CORE);
    }

    @Test
    void usersNeedNoTypeOfTheSpi() {
        classes()
                .that()
                .resideInAPackage(API)
                .and()
                .arePublic()
                .and(not(belongToOneOf(SPI_BRIDGES)))
                .should(notShow(SPI))
                .check(CORE);
    }

    @Test
    void engineKnowsNoStore() {
        noClasses()
                .that()
                .resideInAPackage(ENGINE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(STORES)
                .check(CORE);
    }

    @Test
    void storesKnowOnlyApiAndSpi() {
        classes()
                .that()
                .resideInAPackage(STORES)
                .should()
                .onlyDependOnClassesThat(arePlatformOr(API, SPI, STORES))
                .check(CORE);
    }

    @Test
    void fenceKnowsOnlyTheApi() {
        classes()
                .that()
                .resideInAPackage(FENCE)
                .should()
                .onlyDependOnClassesThat(arePlatformOr(API, FENCE))
                .check(CORE);
    }

    @Test
    void coreNeedsOnlyThePlatform() {
        classes()
                .should()
                .onlyDependOnClassesThat(arePlatformOr("dev.holdfast.."))
                .check(CORE);
    }

    @Test
    void exportedClassesAreNotMadeForInheritance() {
        Set<String> exported = exportedPackages();
        classes()
                .that(describe("are in an exported package", type -> exported.contains(type.getPackageName())))
                .and()
                .arePublic()
                .should(be(describe("an interface, record, enum or exception", ArchitectureTest::isOpenByNature))
                        .or(haveModifier(JavaModifier.FINAL)))
                .check(CORE);
    }

    @Test
    void onlyTheSystemClockReadsAClock() {
        noClasses()
                .that(not(belongToOneOf(CLOCK_READERS)))
                .should()
                .accessTargetWhere(describe("a clock of the machine is read", ArchitectureTest::readsClock))
                .check(CORE);
    }

    @Test
    void nothingSleeps() {
        noClasses()
                .should()
                .accessTargetWhere(
                        describe("a thread sleeps", access -> access.getName().equals("sleep")))
                .check(CORE);
    }

    @Test
    void namesComeFromTheDomain() {
        noClasses()
                .should()
                .haveNameMatching("(.*[.$])?(" + UNWANTED_NAME + ")")
                .check(CORE);
    }

    /** Looks at what others can name: supertypes and the types of public members, type arguments included. */
    private static ArchCondition<JavaClass> notShow(String packageName) {
        return new ArchCondition<>("not show a type of " + packageName) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                Stream<JavaClass> supertypes = Stream.concat(
                                type.getSuperclass().stream(), type.getInterfaces().stream())
                        .flatMap(shown -> shown.getAllInvolvedRawTypes().stream());
                Stream<JavaClass> members = type.getMembers().stream()
                        .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC)
                                && !member.getModifiers().contains(JavaModifier.SYNTHETIC))
                        .flatMap(member -> member.getAllInvolvedRawTypes().stream());
                Stream.concat(supertypes, members)
                        .filter(shown -> shown.getPackageName().equals(packageName))
                        .distinct()
                        .forEach(shown -> events.add(
                                SimpleConditionEvent.violated(type, type.getName() + " shows " + shown.getName())));
            }
        };
    }

    private static boolean isOpenByNature(JavaClass type) {
        return type.isInterface() || type.isRecord() || type.isEnum() || type.isAssignableTo(Throwable.class);
    }

    private static boolean readsClock(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        return switch (access.getName()) {
            case "nanoTime", "currentTimeMillis" -> owner.equals("java.lang.System");
            case "now", "systemUTC", "systemDefaultZone", "system" -> owner.startsWith("java.time.");
            default -> false;
        };
    }

    /** Nested and anonymous classes belong to the class around them. */
    private static DescribedPredicate<JavaClass> belongToOneOf(Set<String> simpleNames) {
        return describe("belong to one of " + simpleNames, type -> {
            JavaClass outermost = type;
            while (outermost.getEnclosingClass().isPresent()) {
                outermost = outermost.getEnclosingClass().get();
            }
            return simpleNames.contains(outermost.getSimpleName());
        });
    }

    private static DescribedPredicate<JavaClass> arePlatformOr(String... packages) {
        String[] all = Stream.concat(
                        Stream.of("java..", "javax.crypto..", "jdk.jfr..", "org.jspecify.."), Stream.of(packages))
                .toArray(String[]::new);
        DescribedPredicate<JavaClass> primitives =
                describe("primitive", type -> type.getBaseComponentType().isPrimitive());
        return resideInAnyPackage(all).or(primitives).as("are in %s", String.join(", ", all));
    }

    private static Set<String> exportedPackages() {
        try (InputStream in = Files.newInputStream(CORE_DIRECTORY.resolve("module-info.class"))) {
            return ModuleDescriptor.read(in).exports().stream()
                    .filter(exports -> !exports.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new AssertionError("core has no readable module-info", e);
        }
    }

    private static Path coreDirectory() {
        try {
            return Path.of(Holdfast.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
