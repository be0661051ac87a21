//! `pamir`: one command, a file for each subcommand.
//!
//! What: [`main`] parses the command line and runs the subcommand.
//! Why: what administrators and tuners ask of an installation stands together.
//! Step before: a shell. Step after: the subcommand's file.
//! Invariant: a subcommand is registered once, in `Subcommand` and its `run`.

pub mod info;
pub mod tune;

use clap::Parser;

/// Pamir: MPI for the ranks of one machine.
#[derive(Debug, Parser)]
#[command(name = "pamir", version, about, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    /// Show the version, the machine, and what its kernel allows.
    Info(info::Arguments),
    /// Measure this machine and write the table of algorithms for it.
    Tune(tune::Arguments),
    /// Be a rank of a measurement.
    #[command(hide = true)]
    Measure(tune::measure::Arguments),
}

impl Subcommand {
    fn run(&self) -> u8 {
        match self {
            Subcommand::Info(arguments) => info::run(arguments),
            Subcommand::Tune(arguments) => tune::run(arguments),
            Subcommand::Measure(arguments) => tune::measure::run(arguments),
        }
    }
}

/// Runs the command; returns its exit code.
pub fn main() -> u8 {
    Arguments::parse().subcommand.run()
}
