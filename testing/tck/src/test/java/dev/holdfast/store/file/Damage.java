package dev.holdfast.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;

/** What can happen to the files of a store behind its back. */
enum Damage {
    /** The beginning of an entry whose writer was killed: it says how long it is, and most of it is missing. */
    TORN_ENTRY {
        @Override
        void inflict(StoreFiles files) throws IOException {
            byte[] torn = ByteBuffer.allocate(20)
                    .putInt(100)
                    .putInt(0x1234)
                    .put(new byte[] {1, 2, 3})
                    .array();
            StoreFiles.overwrite(files.journal(), files.journalEnd(), torn);
        }
    },
    ENTRY_CUT_OFF {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.truncate(files.journal(), files.lastEntry() + 20);
        }
    },
    JOURNAL_CUT_OFF_BEHIND_THE_LAST_ENTRY {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.truncate(files.journal(), files.journalEnd());
        }
    },
    JOURNAL_EMPTY {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.truncate(files.journal(), 0);
        }
    },
    GARBAGE_IN_THE_LAST_ENTRY {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.flip(files.journal(), files.journalEnd() - 12);
        }
    },
    GARBAGE_AS_THE_LENGTH_OF_THE_LAST_ENTRY {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.overwrite(files.journal(), files.lastEntry(), (byte) 0, (byte) 0, (byte) 4, (byte) 4);
        }
    },
    LAST_ENTRY_WIPED {
        @Override
        void inflict(StoreFiles files) throws IOException {
            long last = files.lastEntry();
            StoreFiles.overwrite(files.journal(), last, StoreFiles.zeros(files.journalEnd() - last));
        }
    },
    GARBAGE_IN_THE_FIRST_ENTRY {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.flip(files.journal(), 10);
        }
    },
    GARBAGE_BEHIND_THE_END {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.overwrite(files.journal(), files.journalEnd() + 1_000, (byte) 1);
        }
    },
    JOURNAL_IS_GARBAGE {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.scramble(files.journal());
        }
    },
    JOURNAL_DELETED {
        @Override
        void inflict(StoreFiles files) throws IOException {
            Files.delete(files.journal());
        }
    },
    LOCK_FILE_IS_GARBAGE {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.scramble(files.lock());
        }
    },
    LOCK_FILE_EMPTY {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.truncate(files.lock(), 0);
        }
    },
    LOCK_FILE_DELETED {
        @Override
        void inflict(StoreFiles files) throws IOException {
            Files.delete(files.lock());
        }
    },
    JOURNAL_AND_LOCK_FILE_ARE_GARBAGE {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.scramble(files.journal());
            StoreFiles.scramble(files.lock());
        }
    },
    FIRST_EPOCH_SLOT_IS_GARBAGE {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.scramble(files.epochs(0));
        }
    },
    SECOND_EPOCH_SLOT_DELETED {
        @Override
        void inflict(StoreFiles files) throws IOException {
            Files.delete(files.epochs(1));
        }
    },
    FIRST_EPOCH_SLOT_AND_JOURNAL_ARE_GARBAGE {
        @Override
        void inflict(StoreFiles files) throws IOException {
            StoreFiles.scramble(files.epochs(0));
            StoreFiles.scramble(files.journal());
        }
    };

    abstract void inflict(StoreFiles files) throws IOException;
}
