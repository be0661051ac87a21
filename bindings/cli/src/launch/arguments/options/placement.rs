//! Options that say where ranks go, and what their memory is like there.

use super::option::{Action, LaunchOption, OptionGroup, option};

/// The group, as the help has it.
pub const GROUP: OptionGroup = OptionGroup {
    title: "Placement",
    options: OPTIONS,
};

const OPTIONS: &[LaunchOption] = &[
    option(
        Action::BindTo,
        &["bind-to"],
        &["OBJECT"],
        "Bind each rank to a core (core:N: to N of them), hwthread, l3cache, numa, package \
             (socket), none, or list:PROCESSORS (list:0,2+3: the first rank to 0, the second to 2 \
             and 3). Default: as many cores as OMP_NUM_THREADS says, otherwise an even share of \
             the free cores; with more ranks than cores the ranks share cores, dealt out in rounds.",
    ),
    option(
        Action::MapBy,
        &["map-by"],
        &["OBJECT"],
        "Deal ranks out by slot (core), core, hwthread, l3cache, numa, package (socket), \
             or node; with N cores for each (slot:PE=N); N to each object in turn \
             (ppr:N:package); or put each where a file says that pamir place wrote (file:FILE). \
             Default: core.",
    ),
    option(
        Action::Width,
        &["cpus-per-rank", "cpus-per-proc"],
        &["N"],
        "Give each rank N cores of its own, next to each other: --map-by slot:PE=N.",
    ),
    option(
        Action::PerObject,
        &["ppr"],
        &["N:OBJECT"],
        "N ranks to each object: --map-by ppr:N:OBJECT. Without -n as many ranks as that gives.",
    ),
    option(
        Action::PerPackage,
        &["npersocket"],
        &["N"],
        "N ranks to each package: --map-by ppr:N:package.",
    ),
    option(
        Action::PerNode,
        &["pernode"],
        &[],
        "One rank to each node: --map-by ppr:1:node.",
    ),
    option(
        Action::RankBy,
        &["rank-by"],
        &["ORDER"],
        "Give ranks to the mapped places as they were dealt out (slot, span, node), object by \
             object (fill), or to an object in turn (package, numa, l3cache, core, hwthread).",
    ),
    option(
        Action::RankFile,
        &["rankfile", "rf"],
        &["FILE"],
        "Bind each rank to the cores that FILE says, in lines such as `rank 0=localhost \
             slot=0-3` or `slot=1:0,2` (package 1, its cores 0 and 2).",
    ),
    option(
        Action::ProcessorSet,
        &["cpu-set", "cpu-list"],
        &["LIST"],
        "Use these processors only (0-3,8).",
    ),
    option(
        Action::OldPlacement,
        &[
            "bind-to-core",
            "bind-to-socket",
            "bind-to-none",
            "bycore",
            "byslot",
            "bysocket",
            "bynode",
            "use-hwthread-cpus",
        ],
        &[],
        "Older words for --bind-to core, package, none, and --map-by core, slot, package, \
             node, hwthread.",
    ),
    option(
        Action::ReportBindings,
        &["report-bindings", "display-map"],
        &[],
        "Print where each rank is bound.",
    ),
    option(
        Action::DryRun,
        &["dry-run", "do-not-launch", "donotlaunch"],
        &[],
        "Print where each rank would be bound, and start nothing. HWLOC_SYNTHETIC or \
             HWLOC_XMLFILE may describe another machine to plan for.",
    ),
    option(
        Action::ProfileCommunication,
        &["profile-comm"],
        &["FILE"],
        "Count messages and bytes between each pair of ranks and write them to FILE, for \
             pamir place.",
    ),
    option(
        Action::ProfileIterations,
        &["profile-iterations"],
        &["CALL:FROM-TO"],
        "With --profile-comm: count these iterations apart, as a portion of that name. \
             Iteration 1 begins after the first blocking CALL of all ranks (barrier, \
             allreduce, allgather, alltoall or reduce-scatter) and ends with the second. The time before it is iteration 0, and FROM- has no end.",
    ),
    option(
        Action::SharedHeap,
        &["shared-heap"],
        &[],
        "Take the ranks' large allocations from memory that the other ranks can map, so \
             that large messages are copied once and by both ends (preloads \
             libpamir-heap.so).",
    ),
    option(
        Action::SmallPages,
        &["no-huge-pages"],
        &[],
        "Leave all memory in the pages that the system gives. Otherwise buffers of large \
         messages are put into huge pages once they have been copied often enough to pay \
         for it.",
    ),
];
