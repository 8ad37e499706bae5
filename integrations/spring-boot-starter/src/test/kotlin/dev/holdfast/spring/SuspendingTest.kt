package dev.holdfast.spring

import dev.holdfast.Holdfast
import dev.holdfast.Lease
import dev.holdfast.LeaseLostException
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** Locked functions that suspend: two clients, of which the test has the second. */
class SuspendingTest {

    /** One call of a locked function, as the test sees it. */
    class Call {
        val entered = CompletableDeferred<Lease>()
        val mayEnd = CompletableDeferred<String>()
        val left = CompletableDeferred<Unit>()
    }

    open class Shop {
        @Locked(name = ["item:#{#item}"])
        open suspend fun sell(item: String, call: Call, lease: Lease?): String {
            call.entered.complete(lease!!)
            try {
                return call.mayEnd.await()
            } finally {
                call.left.complete(Unit)
            }
        }

        @Locked(name = ["item:#{#item}"], waitFor = "0s")
        open suspend fun sellAtOnce(item: String, call: Call) {
            call.left.complete(Unit)
        }

        @Locked(name = ["item:#{#item}"], waitFor = "0s", onContended = OnContended.SKIP)
        open suspend fun sellIfFree(item: String): String? = item

        @Locked(name = ["item:#{#item}"], waitFor = "0s", onContended = OnContended.SKIP)
        open suspend fun dustIfFree(item: String, call: Call) {
            call.left.complete(Unit)
        }
    }

    open class Flowing {
        @Locked(name = ["flow"])
        open suspend fun flow(): Flow<String> = flowOf("a", "b")
    }

    open class Promising {
        @Locked(name = ["future"])
        open suspend fun future(): CompletableFuture<String> = CompletableFuture()
    }

    open class Deferring {
        @Locked(name = ["deferred"])
        open fun later(): Deferred<String> = CompletableDeferred()
    }

    open class Counting {
        @Locked(name = ["count"], onContended = OnContended.SKIP)
        open suspend fun count(): Int = 1
    }

    @Test
    fun `lock is held while the function is suspended and released when it has returned`() = runBlocking<Unit> {
        val call = Call()
        val running = async(Dispatchers.Default) { shop.sell("book", call, null) }
        assertThat(call.entered.await().name()).isEqualTo("item:book")
        assertThat(taken("book")).isTrue()
        call.mayEnd.complete("sold")
        assertThat(running.await()).isEqualTo("sold")
        assertThat(taken("book")).isFalse()
    }

    @Test
    fun `lock is released after an exception, which the caller gets`() = runBlocking<Unit> {
        val call = Call()
        supervisorScope {
            val running = async(Dispatchers.Default) { shop.sell("lamp", call, null) }
            call.entered.await()
            assertThat(taken("lamp")).isTrue()
            call.mayEnd.completeExceptionally(UnsupportedOperationException("no lamps today"))
            assertThat(failure { running.await() })
                .isInstanceOf(UnsupportedOperationException::class.java)
                .hasMessage("no lamps today")
        }
        assertThat(taken("lamp")).isFalse()
    }

    @Test
    fun `lock is released after a cancellation, which reaches the function`() = runBlocking<Unit> {
        val call = Call()
        val running = async(Dispatchers.Default) { shop.sell("chair", call, null) }
        val lease = call.entered.await()
        assertThat(taken("chair")).isTrue()
        running.cancelAndJoin()
        call.left.await()
        Awaitility.await().until { !taken("chair") }
        // Kept until here, because a lease that nobody has any more would be released, too.
        assertThat(lease.isHeld).isFalse()
    }

    @Test
    fun `loss is told to the caller`() = runBlocking<Unit> {
        val call = Call()
        supervisorScope {
            val running = async(Dispatchers.Default) { shop.sell("table", call, null) }
            val lease = call.entered.await()
            assertThat(other.evict("item:table", "test")).isEqualTo(1)
            Awaitility.await().until { !lease.isHeld }
            call.mayEnd.complete("sold")
            assertThat(failure { running.await() })
                .isInstanceOf(LeaseLostException::class.java)
                .hasMessageContaining("item:table")
        }
    }

    /** All coroutines share the thread of the test: if one blocked it, nobody would give the lock back. */
    @Test
    fun `no thread waits for the lock`() = runBlocking<Unit> {
        val before = other.lock("item:desk").tryAcquire().orElseThrow()
        val call = Call()
        val running = async { shop.sell("desk", call, null) }
        yield()
        assertThat(call.entered.isCompleted).isFalse()
        before.close()
        call.entered.await()
        call.mayEnd.complete("sold")
        assertThat(running.await()).isEqualTo("sold")
    }

    @Test
    fun `contended call throws or is skipped and does not run`() = runBlocking<Unit> {
        other.lock("item:sofa").tryAcquire().orElseThrow().use {
            val call = Call()
            assertThat(failure { shop.sellAtOnce("sofa", call) })
                .isInstanceOf(LockContendedException::class.java)
                .hasMessageContaining("Shop.sellAtOnce did not run")
            assertThat(call.left.isCompleted).isFalse()
            assertThat(shop.sellIfFree("sofa")).isNull()
            shop.dustIfFree("sofa", call)
            assertThat(call.left.isCompleted).isFalse()
        }
        assertThat(shop.sellIfFree("sofa")).isEqualTo("sofa")
    }

    @Test
    fun `what goes on after the function has returned is refused at the start`() {
        assertThat(problem(Flowing())).hasMessageContaining("Flowing.flow returns a kotlinx.coroutines.flow.Flow")
        assertThat(problem(Promising()))
            .hasMessageContaining("Promising.future returns a java.util.concurrent.CompletableFuture")
        assertThat(problem(Deferring())).hasMessageContaining("Deferring.later returns a kotlinx.coroutines.Deferred")
    }

    @Test
    fun `result that is never null and may be skipped is refused at the start`() {
        assertThat(problem(Counting())).hasMessageContaining("Counting.count returns java.lang.Integer, which is never null")
    }

    private suspend fun failure(work: suspend () -> Unit): Throwable =
        try {
            work()
            throw AssertionError("nothing was thrown")
        } catch (expected: Exception) {
            expected
        }

    private fun <B : Any> problem(bean: B): Throwable {
        var problem: Throwable? = null
        Apps.inMemory().withBean(bean.javaClass, { bean }).run { problem = Apps.problem(it.startupFailure) }
        return problem!!
    }

    private fun taken(item: String): Boolean {
        val lease = other.lock("item:$item").tryAcquire()
        lease.ifPresent(Lease::close)
        return lease.isEmpty
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop::class)
    open class App

    companion object {
        private lateinit var context: ConfigurableApplicationContext
        private lateinit var other: Holdfast
        private lateinit var shop: Shop

        @BeforeAll
        @JvmStatic
        fun start() {
            context = SpringApplicationBuilder(App::class.java)
                .web(WebApplicationType.NONE)
                .properties(
                    "holdfast.url=memory:suspending",
                    "spring.autoconfigure.exclude=" + Apps.storesOfBoot(),
                    "spring.main.banner-mode=off",
                )
                .run()
            shop = context.getBean(Shop::class.java)
            other = Holdfast.connect("memory:suspending")
        }

        @AfterAll
        @JvmStatic
        fun stop() {
            other.close()
            context.close()
        }
    }
}
