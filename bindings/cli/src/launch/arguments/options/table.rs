//! The table of options, and how one is found in it.
//!
//! Before: a word of the command line. After: [`super::super::parse`] carries the option out, or says which one was meant.
//! Invariant: no spelling occurs twice (tested).

use super::option::{Action, LaunchOption, OptionGroup, option};
use super::{foreign, placement};

/// All options, grouped.
pub const OPTION_GROUPS: &[OptionGroup] = &[
    OptionGroup {
        title: "Ranks",
        options: &[
            option(
                Action::Ranks,
                &["n", "np", "c"],
                &["N"],
                "Start N ranks of the program (1).",
            ),
            option(
                Action::RanksPerNode,
                &["ppn", "npernode", "ranks-per-node", "N"],
                &["N"],
                "Most ranks a node: refused where the nodes (one, unless --nodes says more) would need \
                 more.",
            ),
            option(
                Action::Nodes,
                &["nodes"],
                &["K[:cyclic]"],
                "Divide the ranks into K nodes, blocks of ranks in a row, or in turn (cyclic). \
                 Ranks of different nodes share no memory: their messages go over a network.",
            ),
            option(
                Action::Network,
                &["network"],
                &["NETWORK"],
                "Join nodes by unix (sockets of this machine, the default), tcp, or TCP at an IP \
                 address of this machine.",
            ),
            option(
                Action::Oversubscribe,
                &["oversubscribe"],
                &[],
                "Allow more ranks than cores (the default).",
            ),
            option(
                Action::NoOversubscribe,
                &["nooversubscribe", "no-oversubscribe"],
                &[],
                "Refuse more ranks than cores (than hardware threads with hwthread binding).",
            ),
            option(
                Action::Hosts,
                &["host", "hosts", "H"],
                &["LIST"],
                "Hosts, separated by commas; each has to be this machine.",
            ),
            option(
                Action::HostFile,
                &["hostfile", "machinefile", "machine", "f"],
                &["FILE"],
                "File of hosts, one a line; each has to be this machine.",
            ),
            option(
                Action::ConfigFile,
                &["configfile", "app"],
                &["FILE"],
                "Read the rest of the command line from FILE: a line for each program, as between \
                 colons; `#` begins a comment, quotes hold words together.",
            ),
        ],
    },
    placement::GROUP,
    OptionGroup {
        title: "Balancing",
        options: &[
            option(
                Action::Balance,
                &["balance"],
                &[],
                "Move ranks between cores while they run until no core has more to do than the \
                 others; for more ranks than cores, without a change of the program.",
            ),
            option(
                Action::BalanceReport,
                &["balance-report"],
                &[],
                "Print the measurements and decisions of balancing.",
            ),
            option(
                Action::BalanceRecord,
                &["balance-record"],
                &["FILE"],
                "Write each rank's computing time in each cycle, and the moves, to FILE, for pamir \
                 report.",
            ),
            option(
                Action::FillIdle,
                &["fill-idle"],
                &["COMMAND"],
                "Let the shell run COMMAND on the same cores while ranks wait; it ends with the \
                 job.",
            ),
            option(
                Action::FillBy,
                &["fill-by"],
                &["WAY"],
                "The way to keep COMMAND away from the ranks: class (the kernel lets it run where no \
                 rank wants to), gaps (mpiexec stops it outside of the gaps that it foresees), or \
                 auto (the default: class, and gaps where ranks go on late).",
            ),
        ],
    },
    OptionGroup {
        title: "Environment and directory",
        options: &[
            option(
                Action::Export,
                &["x"],
                &["NAME[=VALUE]"],
                "Export a variable to the ranks of this program.",
            ),
            option(
                Action::Environment,
                &["env"],
                &["NAME", "VALUE"],
                "Set a variable for the ranks of this program.",
            ),
            option(
                Action::EnvironmentList,
                &["envlist"],
                &["NAMES"],
                "Pass only these variables (separated by commas) to this program.",
            ),
            option(
                Action::EnvironmentNone,
                &["envnone"],
                &[],
                "Pass no variable of mpiexec's own environment to this program.",
            ),
            option(
                Action::EnvironmentAll,
                &["envall"],
                &[],
                "Pass the whole environment to this program (the default).",
            ),
            option(
                Action::GlobalEnvironment,
                &["genv"],
                &["NAME", "VALUE"],
                "Set a variable for the ranks of every program.",
            ),
            option(
                Action::GlobalEnvironmentList,
                &["genvlist"],
                &["NAMES"],
                "Pass only these variables (separated by commas) to every program.",
            ),
            option(
                Action::GlobalEnvironmentNone,
                &["genvnone"],
                &[],
                "Pass no variable of mpiexec's own environment.",
            ),
            option(
                Action::GlobalEnvironmentAll,
                &["genvall"],
                &[],
                "Pass the whole environment (the default).",
            ),
            option(
                Action::Directory,
                &["wdir", "wd", "dir"],
                &["DIR"],
                "Start the ranks of this program in DIR.",
            ),
        ],
    },
    OptionGroup {
        title: "Output and end",
        options: &[
            option(
                Action::TagOutput,
                &["l", "tag-output", "prepend-rank"],
                &[],
                "Begin each line of output with the rank: `[3] `.",
            ),
            option(
                Action::PrependPattern,
                &["prepend-pattern"],
                &["PATTERN"],
                "Begin each line of output with PATTERN, as for -outfile-pattern.",
            ),
            option(
                Action::TimestampOutput,
                &["timestamp-output"],
                &[],
                "Begin each line of output with the time: `[2026-01-31 12:00:00] `.",
            ),
            option(
                Action::MergeErrors,
                &["merge-stderr-to-stdout"],
                &[],
                "Let the ranks' standard error go where their standard output goes.",
            ),
            option(
                Action::OutputPattern,
                &["outfile-pattern"],
                &["PATTERN"],
                "Write each rank's standard output to a file of its own, in which %r is the rank, \
                 %h the host, and %g and %p are 0.",
            ),
            option(
                Action::ErrorPattern,
                &["errfile-pattern"],
                &["PATTERN"],
                "Write each rank's standard error to a file of its own, named in the same way.",
            ),
            option(
                Action::OutputName,
                &["output-filename"],
                &["NAME[:copy]"],
                "Write each rank's output and errors to NAME.RANK.out and NAME.RANK.err, making \
                 directories; with :copy also to mpiexec's own.",
            ),
            option(
                Action::InputTo,
                &["stdin", "s"],
                &["RANK"],
                "Give standard input to this rank (0), to all, or to none.",
            ),
            option(
                Action::Timeout,
                &["timeout"],
                &["SECONDS"],
                "End the job after this time with exit code 124.",
            ),
            option(
                Action::Quiet,
                &["q", "quiet"],
                &[],
                "Print only errors that keep the job from starting.",
            ),
            option(
                Action::Verbose,
                &["v", "verbose"],
                &[],
                "Tell each start and each end.",
            ),
            option(Action::Help, &["help", "h", "?"], &[], "Print this help."),
            option(
                Action::Version,
                &["version", "V"],
                &[],
                "Print the version.",
            ),
        ],
    },
    foreign::GROUP,
];

/// The option with this spelling (without dashes).
pub fn find(name: &str) -> Option<&'static LaunchOption> {
    all().find(|option| option.names.contains(&name))
}

/// All options in the order of help.
pub fn all() -> impl Iterator<Item = &'static LaunchOption> {
    OPTION_GROUPS.iter().flat_map(|group| group.options)
}

/// A spelling with as many dashes as people put before it.
pub fn dashed(name: &str) -> String {
    if name.len() <= 2 || matches!(name, "env" | "genv") {
        format!("-{name}")
    } else {
        format!("--{name}")
    }
}

/// The spelling nearest to what was typed, for an error's advice.
pub fn nearest(typed: &str) -> Option<&'static str> {
    all()
        .flat_map(|option| option.names)
        .map(|name| (edit_distance(typed, name), *name))
        .filter(|(distance, name)| *distance <= 2 && *distance < name.len())
        .min()
        .map(|(_, name)| name)
}

fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, one) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(one != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
