//! `pamir`, the command with subcommands. All of it is in [`pamir_cli::command`].

use pamir_cli::launch::plan;
use pamir_driver::topology::{Machine, TopologyError};

fn main() -> std::process::ExitCode {
    pamir_cli::command::main(machine).into()
}

/// This machine; where another one is asked for, the process becomes `pamir-plan`.
fn machine() -> Result<Machine, TopologyError> {
    if plan::elsewhere().is_some() {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        let error = plan::hand_over("pamir-plan", &arguments);
        pamir_cli::results::complain(format_args!("pamir: {error}"));
        std::process::exit(1);
    }
    Machine::from_sysfs()
}
