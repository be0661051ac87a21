//! `mpiexec-plan`, which mpiexec runs to plan for another machine: it alone of the launcher is
//! linked with hwloc. All of it is in [`pamir_cli::launch::plan`].

fn main() -> std::process::ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    pamir_cli::launch::plan::main(&arguments).into()
}
