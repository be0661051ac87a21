//! `pamir`: one command, a file for each subcommand.
//!
//! What: [`main`] parses the command line and runs the subcommand.
//! Why: what administrators and tuners ask of an installation stands together.
//! Step before: a shell. Step after: the subcommand's file.
//! Only `pamir-plan` is linked with hwloc, which takes longer to load than most of the commands
//! need: `pamir` becomes it where another machine is asked for.
//! Invariant: a subcommand is registered once, in `Subcommand` and its `run`.

pub mod explain_send;
pub mod explain_type;
pub mod fortran;
pub mod info;
pub mod jobs;
mod machine;
mod number;
pub mod pin;
pub mod place;
pub mod report;
pub mod simulate_balance;
pub mod tune;
mod whole_job;

use std::io::Write as _;

use clap::{CommandFactory as _, Parser};
use nix::sys::signal::Signal;

use crate::launch::process::child;
use crate::results;
pub use machine::MachineReader;

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
    ///
    /// The machine is its cores, hardware threads, caches, NUMA nodes and huge pages. Each system call
    /// that Pamir can use is tried, so a container's refusal shows.
    Info(info::Arguments),
    /// Show the jobs of this user that run on this machine, or one of them with its ranks.
    ///
    /// A job's number is the process of its mpiexec. A rank is starting until it has called MPI_Init (a program
    /// that never does stays so), running, waiting in a call that sleeps, stopped, finalized, exited, aborted, or
    /// killed. CPU is the processor time of all its threads, MEMORY what is present of its memory, INTERRUPTS how
    /// often its service thread has moved something while the program computed.
    Jobs(jobs::Arguments),
    /// Send messages of a size between two ranks, and show which way they went, and why.
    ExplainSend(explain_send::Arguments),
    /// Show what an MPI datatype compiles to, what moves its blocks, and how it would be sent.
    ///
    /// PAMIR_EXPLAIN_TYPES=1 tells the same of a program's datatypes when it commits them.
    ExplainType(explain_type::Arguments),
    /// Make the modules of MPI for a Fortran compiler, or show for which ones they are there.
    ///
    /// A module file is good for one compiler only, and often for one of its versions. The command compiles mpi and
    /// mpi_f08 with the compiler that is named, into PREFIX/lib/pamir/fortran, where mpifort finds them.
    Fortran(fortran::Arguments),
    /// Run a command on the processing units that a policy gives its rank.
    ///
    /// It serves under Pamir's mpiexec, another one, or srun. Their own binding has to be off (--bind-to
    /// none, --cpu-bind=none). The rank is the value of PAMIR_RANK, OMPI_COMM_WORLD_LOCAL_RANK,
    /// MPI_LOCALRANKID, PMI_RANK or SLURM_LOCALID.
    Pin(pin::Arguments),
    /// Compute which rank should run where, or measure the machine for it.
    ///
    /// The command reads profiles of a job (mpiexec --profile-comm), prints the cost before and after, and
    /// writes a mapping for mpiexec --map-by file:FILE and pamir pin --policy file:FILE. A search that is
    /// interrupted (Ctrl-C, SIGTERM) ends with its best mapping so far; a second signal ends the command.
    Place(Box<place::Arguments>),
    /// Show which rank waited how long in a recorded run, and what was moved.
    ///
    /// It prints load balance (average over maximum of the busy times), communication efficiency (longest
    /// busy times over the run's length), parallel efficiency (their product), the wait of each rank, and
    /// the cycles with the moves after them. Where ranks share cores, busy times are those of cores.
    Report(report::Arguments),
    /// Run a job of thousands of ranks in virtual time under each way to balance it.
    ///
    /// It prints the load balance (average over maximum of the busy time), the wait of all ranks, the
    /// items that changed their owner, and the cost of a decision.
    SimulateBalance(simulate_balance::Arguments),
    /// Measure this machine and write the table of algorithms for it.
    ///
    /// It measures every algorithm of every kind of instruction, and writes the fastest ones as a
    /// selection file. That takes a minute or so for each number of ranks; nothing else should run
    /// meanwhile.
    Tune(tune::Arguments),
    /// Be a rank of a measurement.
    #[command(hide = true)]
    Measure(tune::measure::Arguments),
    /// Be a rank that sends messages to be explained.
    #[command(hide = true)]
    SendSample(explain_send::SampleArguments),
}

impl Subcommand {
    fn run(&self, reader: MachineReader) -> u8 {
        match self {
            Subcommand::Info(arguments) => info::run(arguments, reader),
            Subcommand::Jobs(arguments) => jobs::run(arguments),
            Subcommand::ExplainSend(arguments) => explain_send::run(arguments),
            Subcommand::ExplainType(arguments) => explain_type::run(arguments),
            Subcommand::Fortran(arguments) => fortran::run(arguments),
            Subcommand::Pin(arguments) => pin::run(arguments, reader),
            Subcommand::Place(arguments) => place::run(arguments, reader),
            Subcommand::Report(arguments) => report::run(arguments),
            Subcommand::SimulateBalance(arguments) => simulate_balance::run(arguments),
            Subcommand::Tune(arguments) => tune::run(arguments),
            Subcommand::Measure(arguments) => tune::measure::run(arguments),
            Subcommand::SendSample(arguments) => explain_send::run_sample(arguments),
        }
    }
}

/// The command line's definition, from which `--help` and the manual page are written.
pub fn definition() -> clap::Command {
    Arguments::command()
}

/// Runs the command; returns its exit code.
pub fn main(reader: MachineReader) -> u8 {
    // The default for all, whoever started this: ends of the ranks of measurements are waited for.
    let _ = child::set_default(Signal::SIGCHLD);
    let _ = results::hold_file_size_signal();
    match Arguments::try_parse() {
        Ok(arguments) => arguments.subcommand.run(reader),
        Err(message) => answer(&message),
    }
}

/// Prints help, the version, or what is wrong with the arguments; the exit code.
fn answer(message: &clap::Error) -> u8 {
    let printed = message.print().and_then(|()| std::io::stdout().flush());
    match results::judge(printed) {
        Err(error) if !message.use_stderr() => {
            results::complain(format_args!("pamir: {error}"));
            1
        }
        _ => message.exit_code() as u8,
    }
}
