/** Distributed locks with fencing tokens: the API, the SPI for stores, the engine and the embedded stores. */
@SuppressWarnings("module")
module dev.holdfast {
    requires static jdk.jfr;
    requires static org.jspecify;

    exports dev.holdfast;
    // For the test kit alone, which runs the engine on virtual time.
    exports dev.holdfast.engine to
            dev.holdfast.test;
    exports dev.holdfast.fence;
    exports dev.holdfast.spi;
    exports dev.holdfast.store.file;
    exports dev.holdfast.store.memory;

    uses dev.holdfast.spi.StoreProvider;

    provides dev.holdfast.spi.StoreProvider with
            dev.holdfast.store.file.FileStoreProvider,
            dev.holdfast.store.memory.MemoryStoreProvider;
}
