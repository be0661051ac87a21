//! The installation under test, and programs compiled with it.
//!
//! What: [`prefix`] gives the directory of the installation, [`compile`] a binary.
//! Why: programs meet Pamir through `mpicc`, `mpiexec` and `libmpi_abi.so.1` as installed, not as
//! they lie in cargo's directory.
//! Invariant: an installation made here is as new as the sources, since the build that precedes it
//! costs next to nothing when nothing has changed. `PAMIR_TEST_PREFIX` names another one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The variable that names an installation to test instead of one of the development build.
pub const PREFIX_VARIABLE: &str = "PAMIR_TEST_PREFIX";

/// The root of the sources.
pub fn sources() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("this crate lies in a directory of the workspace")
}

/// The prefix of the installation; made from the development build at the first call.
///
/// # Panics
/// When it cannot be made.
pub fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        if let Some(prefix) = std::env::var_os(PREFIX_VARIABLE) {
            let prefix = PathBuf::from(prefix);
            assert!(
                prefix.join("bin/mpicc").exists(),
                "{PREFIX_VARIABLE} is {}, where no bin/mpicc is",
                prefix.display()
            );
            return prefix;
        }
        let prefix = sources().join("target/pamir-dev");
        let mut install = Command::new(sources().join("scripts/install"));
        install.args(["--profile", "dev", "--prefix"]).arg(&prefix);
        succeed(&mut install);
        prefix
    })
}

/// A command of the installation, such as `mpiexec`.
pub fn command(name: &str) -> PathBuf {
    prefix().join("bin").join(name)
}

/// Compiles `tests/programs/NAME.c` with the installed `mpicc`; returns the binary.
///
/// # Panics
/// When the program does not compile.
pub fn compile(name: &str) -> PathBuf {
    compile_from("tests/programs", name, &[])
}

/// Compiles `FOLDER/NAME.c` with the installed `mpicc` and further arguments, such as libraries;
/// returns the binary.
///
/// # Panics
/// When the program does not compile.
pub fn compile_from(folder: &str, name: &str, arguments: &[&str]) -> PathBuf {
    static SERIAL: AtomicUsize = AtomicUsize::new(0);
    let directory = sources().join("target/test").join(folder);
    std::fs::create_dir_all(&directory).expect("target/ is writable");
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let unfinished = directory.join(format!("{name}.{}.{serial}", std::process::id()));
    let finished = directory.join(name);
    let mut compiler = Command::new(command("mpicc"));
    compiler
        .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"])
        .arg(sources().join(folder).join(format!("{name}.c")))
        .arg("-o")
        .arg(&unfinished)
        .args(arguments);
    succeed(&mut compiler);
    // Another test may be running the binary of this name: it is replaced, never written to.
    std::fs::rename(&unfinished, &finished).expect("both names are in one directory");
    finished
}

fn succeed(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
