//! Options of other launchers: those with nothing to do here, and those that are refused.
//!
//! Why they are in the table: scripts write them daily. An option that could only matter on several machines, or
//! names a mechanism of another library, is accepted, and `-v` says so; what would change what the job
//! does, and is not there, is refused before anything starts.
//! Sources: `mpiexec.hydra -help` of MPICH and Intel MPI; mpirun(1) of Open MPI 4 and 5.

use super::option::{Action, LaunchOption, OptionGroup, option};

/// The group, last in the help.
pub const GROUP: OptionGroup = OptionGroup {
    title: "Accepted from other launchers",
    options: OPTIONS,
};

const OPTIONS: &[LaunchOption] = &[
    option(
        Action::ForeignSetting,
        &["mca", "gmca", "omca", "prtemca", "pmixmca"],
        &["KEY", "VALUE"],
        "A setting of Open MPI: noted on standard error, not used.",
    ),
    option(
        Action::ForeignFlag,
        &[
            "allow-run-as-root",
            "enable-x",
            "disable-x",
            "info",
            "print-all-exitcodes",
            "disable-hostname-propagation",
            "silent-abort",
            "display-allocation",
            "display-topo",
            "noprefix",
            "abort-on-non-zero-status",
            "disable-recovery",
            "get-stack-traces",
            "report-state-on-timeout",
            "show-progress",
            "do-not-resolve",
            "keep-fqdn-hostnames",
            "leave-session-attached",
            "debug-daemons",
            "no-ompi-server",
        ],
        &[],
        "Nothing to do here: accepted; -v says so.",
    ),
    option(
        Action::ForeignValue,
        &[
            "launcher",
            "bootstrap",
            "launcher-exec",
            "rmk",
            "topolib",
            "membind",
            "iface",
            "nameserver",
            "localhost",
            "usize",
            "demux",
            "prefix",
            "default-hostfile",
            "launch-agent",
            "tune",
            "am",
            "personality",
            "order-nodes",
        ],
        &["VALUE"],
        "Nothing to do here: accepted with its value; -v says so.",
    ),
    option(
        Action::Refused,
        &[
            "disable-auto-cleanup",
            "enable-recovery",
            "continuous",
            "nolocal",
            "preload-binary",
            "xml",
            "set-cwd-to-session-dir",
        ],
        &[],
        "Would change what the job does, and is not there: refused.",
    ),
    option(
        Action::Refused,
        &[
            "gpus-per-proc",
            "max-restarts",
            "with-ft",
            "preload-files",
            "path",
            "gtool",
        ],
        &["VALUE"],
        "The same, with a value: refused.",
    ),
];
