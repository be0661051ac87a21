//! `pamir-plan`: `pamir`, linked with hwloc. `pamir` becomes it where hwloc's variables name another
//! machine.

use pamir_driver::topology::Machine;

fn main() -> std::process::ExitCode {
    pamir_cli::command::main(Machine::discover).into()
}
