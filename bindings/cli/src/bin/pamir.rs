//! `pamir`, the command with subcommands. All of it is in [`pamir_cli::command`].

fn main() -> std::process::ExitCode {
    pamir_cli::command::main().into()
}
