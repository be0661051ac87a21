//! `mpiexec`, also installed as `mpirun`. All of it is in [`pamir_cli::launch`].

fn main() -> std::process::ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    pamir_cli::launch::main(&arguments).into()
}
