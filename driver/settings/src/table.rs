//! The table: one entry for each variable, with its kind and default, the room that reads it, and one
//! sentence.
//!
//! A new setting is a new entry here, and `pamir_settings::NAME.value()` where it is read. Tables of
//! algorithms are named by their kind (`transport/src/selection/kind.rs`, where a test
//! compares both).

use crate::kind::{Bytes, OptionalWhole, Switch, Text, Whole, Words};
use crate::setting::{Audience, Declared, Setting};

const ANY: usize = usize::MAX;

/// Makes a constant of each entry, and the list of all. `agreed` marks those that all ranks of a job need alike.
macro_rules! settings {
    ($($audience:ident { $($name:ident: $kind:ident = $value:expr, $room:literal, $meaning:literal $(, $agreed:ident)?;)+ })+) => {
        $($(
            #[doc = concat!("`PAMIR_", stringify!($name), "`: ", $meaning)]
            pub static $name: Setting<$kind> = Setting {
                c_name: match std::ffi::CStr::from_bytes_with_nul(
                    concat!("PAMIR_", stringify!($name), "\0").as_bytes(),
                ) {
                    Ok(name) => name,
                    Err(_) => panic!("an identifier holds no zero byte"),
                },
                name: concat!("PAMIR_", stringify!($name)),
                kind: $value,
                audience: Audience::$audience,
                room: $room,
                meaning: $meaning,
                is_agreed: false $(|| stringify!($agreed).len() > 0)?,
            };
        )+)+
        /// Every variable, in the order of the table.
        pub static ALL: &[&dyn Declared] = &[$($(&$name),+),+];
    };
}

const fn text(form: &'static str, default: &'static str) -> Text {
    Text { form, default }
}

/// Rows of a table of algorithms, with an example that the table takes.
const fn rows(form: &'static str) -> Text {
    text(form, "built in")
}

settings! {
    Users {
        ENGINE: Words = Words(&["service", "none", "thread", "node"]), "driver, transport", "Moves transfers on while the program computes: with `service` by a thread that a rank has from the moment when sends stay behind in it as it leaves an MPI call; with `thread` by a thread in each rank from the beginning, for which every MPI call takes a lock; with `node` by two threads of task 0, which move the puts and gets of all tasks of a PAMI program; with `none` only MPI calls do.", agreed;
        INTERRUPTS: Words = Words(&["automatic", "io_uring", "epoll"]), "driver", "The mechanism that wakes the engine's thread: `automatic` takes io_uring where the kernel's one waits for futexes (Linux 6.7), and epoll elsewhere.";
        WAIT: Words = Words(&["long", "brief"]), "driver", "How long a waiting rank keeps its core: `brief`, about a millisecond, leaves it to a second program (`mpiexec --fill-idle` sets it); `long`, up to thirty unless ranks share cores.";
        HUGE_PAGES: Switch = Switch(true), "driver", "Memory that messages are often copied from or to becomes huge pages.";
        INJECTION_SLOTS: Whole = Whole { least: 2, most: 1 << 20, default: 64 }, "driver", "Slots of the injection FIFO towards each rank.";
        INJECTION_THRESHOLD: OptionalWhole = OptionalWhole { least: 0, most: 1 << 20, default: "slots less two" }, "driver", "Descriptors that the injection FIFO takes before others pend.";
        REPLENISH: Text = text("drained, timer, timer:MICROSECONDS, timer-learned, memory-fifo, counted-put, touching-put, touching-put:userfaultfd or touching-put:word", "memory-fifo"), "driver", "The event that moves pending descriptors into the injection FIFO.";
        RESCTRL: Text = text("a directory, or off", "/sys/fs/resctrl"), "driver", "Where the resctrl file system is mounted; with `off` the cache is left alone.";
        DRIVER_REPORT: Switch = Switch(false), "driver", "Each rank prints at `MPI_Finalize` what its injection FIFOs and interrupts have done.";
        NO_BOARDS: Switch = Switch(false), "transport", "Collective operations use messages only, never shared boards.", agreed;
        NO_KERNEL_COPY: Switch = Switch(false), "transport", "Nothing is copied through the kernel (`process_vm_readv`): everything goes in packets.";
        STRIPE_WORKERS: OptionalWhole = OptionalWhole { least: 0, most: 1 << 16, default: "spare processors, at most 3" }, "transport", "Threads of each rank that help it to move large messages.";
        CONTEXTS: Text = text("a list such as solver=2,io=1, with * for all that are not named", "16, or as many as there is room for"), "transport", "Contexts of PAMI clients; MPI always has one.", agreed;
        CLIENTS: Text = text("a table such as solver=tasks:0-3,contexts:2;io=engine:node", "none"), "transport", "What PAMI clients have, by their names: `tasks`, `contexts`, `engine`, `slots`, `criterion` and `path`, as the page about active messages says.", agreed;
        IMMEDIATE_BYTES: Bytes = Bytes(512), "pami", "The most bytes, header and data together, that `PAMI_Send_immediate` takes and a dispatch function gets with its call, as `PAMI_DISPATCH_SEND_IMMEDIATE_MAX` and `PAMI_DISPATCH_RECV_IMMEDIATE_MAX` tell: 48 at least, and one packet at most.";
        TORUS: Text = text("a shape such as 3x3x3", "the most even one"), "transport, pami", "The torus that PAMI programs ask for with `EXT_torus_network`, and along whose dimensions the algorithms `torus` go.", agreed;
        SELECTION_FILE: Text = text("a file, or empty for none", "the user's, otherwise the installation's"), "transport", "The file that says which algorithm serves which sizes.", agreed;
        SELECTION_REPORT: Switch = Switch(false), "transport", "Rank 0 prints at `MPI_Finalize` how often it took each algorithm.";
        BALANCE: Text = text("a list of barrier, allreduce, allgather, alltoall and reduce-scatter, or all, on (barrier) or off", "off"), "transport", "The calls that tell all ranks their caller and their time.";
        BALANCE_CLOCK: Words = Words(&["monotonic", "undelayed", "processor"]), "transport", "The time since the call before that an announced call tells: time that passed, the same without waits for a processor, or time that the rank computed.";
        BALANCE_OCCASIONS: Switch = Switch(true), "mpi", "Tasks (`pamir_tasks_create`) are also levelled when the machine changes; off, by their period and on request only.";
        BALANCE_POLICY: Text = text("a policy such as balanced, document, static or threshold=0.05", "balanced"), "abi", "How partitions are balanced whose program names no policy.";
        EXPLAIN_TYPES: Switch = Switch(false), "abi", "Each datatype, when it is committed, prints its compiled form and the way in which one of it would be sent.";
        EXPLAIN_SENDS: Switch = Switch(false), "mpi", "Each rank prints at `MPI_Finalize` which way its sends of more than one packet went, and why; and where a window is made, how the parts of all ranks are reached.";
        SHARED_HEAP: Whole = Whole { least: 0, most: 2, default: 0 }, "cli, heap", "With 1, large allocations come from memory that the other ranks can map (`mpiexec --shared-heap`); 2 also reports events of the heap.";
        SHARED_HEAP_LEAST: Bytes = Bytes(32 << 10), "heap", "The shortest allocation that comes from the shared heap.";
        CLAIMS: Text = text("a file, or off", "a file of the user's"), "cli", "The file whose locks tell jobs which processors others have.";
        STATUS: Text = text("a folder, or off", "a folder of the user's"), "cli", "The folder in which mpiexec has a socket that tells `pamir jobs` of its job; with `off` it has none.";
        CC: Text = text("a command", "cc"), "cli", "The compiler that mpicc calls.";
        CXX: Text = text("a command", "c++"), "cli", "The compiler that mpicxx calls.";
        FC: Text = text("a command", "gfortran"), "cli", "The compiler that mpifort calls.";
        SEND: Text = rows("rows such as eager:-16K,rendezvous"), "transport", "Which protocol sends which sizes.", agreed;
        MEASURE_ALL: Switch = Switch(false), "transport", "Which way is the fastest for a message is measured where the processor's kind already settles it, too.";
        STRIPES: Text = rows("rows such as two:1M-,one"), "transport", "In how many stripes contiguous messages go.";
        SCATTERED_STRIPES: Text = rows("rows such as two:512K-,one"), "transport", "In how many stripes data with gaps goes.";
        PUT: Text = rows("rows such as memory_fifo:-4K,direct_put"), "transport", "Which protocol PAMI's puts of which sizes take.";
        GET: Text = rows("rows such as memory_fifo:-4K,remote_get"), "transport", "Which protocol PAMI's gets of which sizes take.";
        BARRIER: Text = rows("rows such as dissemination"), "transport", "Which algorithm a barrier takes.", agreed;
        BROADCAST: Text = rows("rows such as binomial:-64K,pipelined_chain"), "transport", "Which algorithm broadcasts which sizes.", agreed;
        REDUCE: Text = rows("rows such as binomial:-64K,reduce_scatter_gather"), "transport", "Which algorithm reduces which sizes.", agreed;
        ALLREDUCE: Text = rows("rows such as recursive_doubling:-64K,ring"), "transport", "Which algorithm of allreduce serves which sizes.", agreed;
        GATHER: Text = rows("rows such as binomial:-4K,linear"), "transport", "Which algorithm gathers which sizes.", agreed;
        GATHERV: Text = rows("rows such as linear"), "transport", "Which algorithm gatherv takes.", agreed;
        SCATTER: Text = rows("rows such as binomial:-4K,linear"), "transport", "Which algorithm scatters which sizes.", agreed;
        SCATTERV: Text = rows("rows such as linear"), "transport", "Which algorithm scatterv takes.", agreed;
        ALLGATHER: Text = rows("rows such as bruck:-64K,ring"), "transport", "Which algorithm of allgather serves which sizes.", agreed;
        ALLGATHERV: Text = rows("rows such as linear:-32K,ring"), "transport", "Which algorithm of allgatherv serves which sizes.", agreed;
        ALLTOALL: Text = rows("rows such as bruck:-256,pairwise"), "transport", "Which algorithm of all-to-all serves which sizes.", agreed;
        ALLTOALLV: Text = rows("rows such as pairwise"), "transport", "Which algorithm of all-to-all with counts serves which sizes.", agreed;
        ALLTOALL_IN_PLACE: Text = rows("rows such as copied_linear:-4K,pairwise_replace"), "transport", "Which algorithm of all-to-all in place serves which sizes.", agreed;
        REDUCE_SCATTER: Text = rows("rows such as recursive_halving:-512K,pairwise"), "transport", "Which algorithm of reduce-scatter serves which sizes.", agreed;
        SCAN: Text = rows("rows such as recursive_doubling"), "transport", "Which algorithm scans which sizes.", agreed;
        EXSCAN: Text = rows("rows such as recursive_doubling"), "transport", "Which algorithm of exclusive scan serves which sizes.", agreed;
        NEIGHBOR: Text = rows("rows such as linear"), "transport", "Which algorithm neighbourhood operations take.", agreed;
    }
    Launcher {
        RANK: OptionalWhole = OptionalWhole { least: 0, most: ANY, default: "none" }, "driver", "The rank's number.";
        SIZE: OptionalWhole = OptionalWhole { least: 1, most: ANY, default: "none" }, "driver, abi", "Ranks of the job.";
        JOB_FD: OptionalWhole = OptionalWhole { least: 0, most: i32::MAX as usize, default: "none" }, "driver", "The descriptor of the job's memory.";
        LAUNCHER: OptionalWhole = OptionalWhole { least: 1, most: i32::MAX as usize, default: "none" }, "driver", "The launcher's process.";
        APPNUM: Whole = Whole { least: 0, most: i32::MAX as usize, default: 0 }, "abi", "Which of the command line's programs the rank runs.";
        SPARE_PROCESSORS: Text = text("a list of processors", "none"), "transport", "Processors that no rank is bound to: this rank's share.";
        PROFILE_COMM: Text = text("a file", "none"), "transport", "The file that ranks add their messages to (`mpiexec --profile-comm`).";
        PROFILE_ITERATIONS: Text = text("a range such as allreduce:10-19", "all"), "transport", "The iterations that the profile is about (`mpiexec --profile-iterations`).";
    }
    Tests {
        TEST_PREFIX: Text = text("a directory", "one that the tests make"), "tests", "The installation under test.";
        TEST_SEED: Text = text("a seed", "a random one"), "tests", "Repeats a test that strikes at random moments.";
        TEST_RUN: Text = text("a marker", "none"), "tests", "Marks the processes of a run.";
        TEST_HWLOC_CHILD: Text = text("anything", "none"), "tests", "Marks the child of a test of the machine.";
        TEST_LIMITS_CHILD: Text = text("anything", "none"), "tests", "Marks the child of a test of the kernel's limits.";
        SEED: Text = text("a seed", "a random one"), "tests", "Repeats a conformance program with random data.";
        CONFORMANCE_PEER: Text = text("anything", "none"), "tests", "Conformance programs run on another implementation.";
        CONFORMANCE_RUN: Text = text("a marker", "none"), "tests", "Marks the processes of a conformance program.";
        BLESS: Text = text("anything", "none"), "tests", "Tests that compare a generated file write it.";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_each_entry_is_whole() {
        let names: HashSet<&str> = ALL.iter().map(|setting| setting.name()).collect();
        assert_eq!(names.len(), ALL.len());
        for setting in ALL {
            let (name, meaning) = (setting.name(), setting.meaning());
            assert!(meaning.ends_with('.') && !meaning.contains('|'), "{name}");
            assert!(!setting.allowed().is_empty() && !setting.default_words().is_empty());
            assert!(!setting.room().is_empty(), "{name}");
        }
    }
}
