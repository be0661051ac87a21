//! `mpicc`, also installed as `mpicxx` and `mpic++`. All of it is in [`pamir_cli::wrapper`].

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    pamir_cli::wrapper::main(&name, &arguments.collect::<Vec<_>>()).into()
}
