//! Fortran: the programs of `tests/conformance/fortran` with all three interfaces, and what compilers shall say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pamir_tests::installation::{command, prefix, sources};
use pamir_tests::run::Run;

/// Whether there is a gfortran that the installation has modules for; says so where there is none.
fn is_there() -> bool {
    // `--version` is the compiler's own answer and needs no modules; what would be run does.
    let asked = Command::new(command("mpifort")).arg("-show").output();
    let is_there = asked.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!(
            "skipped: {} has no Fortran (no gfortran was there)",
            prefix().display()
        );
    }
    is_there
}

/// A folder of a test's own for what compilers write.
fn folder(test: &str) -> PathBuf {
    let folder = sources().join("target/test/fortran").join(test);
    std::fs::create_dir_all(&folder).expect("target/ is writable");
    folder
}

/// Compiles a program of `tests/programs` without linking.
fn compile(folder: &Path, source: &str, arguments: &[&str]) -> Output {
    let source = sources().join("tests/programs").join(source);
    let mut compiler = Command::new(command("mpifort"));
    compiler.args(arguments).arg("-c").arg(source);
    compiler
        .current_dir(folder)
        .output()
        .expect("mpifort can be run")
}

#[test]
fn every_program_is_right_with_all_interfaces_on_one_two_and_three_ranks() {
    if !is_there() {
        return;
    }
    let mut runner = Command::new(sources().join("tests/conformance/run"));
    runner.arg("--prefix").arg(prefix());
    runner
        .arg("--build")
        .arg(folder("programs"))
        .arg("fortran/*");
    let outcome = Run::whole(runner);
    let last = outcome.success().lines().last().unwrap_or_default();
    assert!(last.ends_with(" passed, 0 failed"), "{outcome:?}");
    // Each program on three numbers of ranks, most with three interfaces: a number that a runner without programs misses.
    let passed: usize = last.split(' ').next().unwrap().parse().unwrap();
    assert!(passed >= 330, "{outcome:?}");
}

/// The names by which flang is called, the newest first.
fn flangs() -> impl Iterator<Item = String> {
    let numbered = (17..=30).rev();
    let numbered =
        numbered.flat_map(|major| [format!("flang-{major}"), format!("flang-new-{major}")]);
    ["flang".to_string(), "flang-new".to_string()]
        .into_iter()
        .chain(numbered)
}

/// The module `mpi_f08` alone, whose descriptors are the compiler's own: this is where compilers differ.
#[test]
fn every_program_is_right_with_flang() {
    let is_installed = |compiler: &String| {
        let asked = Command::new(compiler).arg("--version").output();
        asked.is_ok_and(|output| output.status.success())
    };
    let Some(compiler) = flangs().find(is_installed) else {
        eprintln!("skipped: there is no flang");
        return;
    };
    let mut modules = Command::new(command("pamir"));
    modules.args(["fortran", "--compiler", &compiler]);
    Run::whole(modules).success();
    let mut runner = Command::new(sources().join("tests/conformance/run"));
    runner.arg("--prefix").arg(prefix());
    runner.arg("--build").arg(folder("programs"));
    runner.args(["--fortran-compiler", &compiler]);
    runner.args(["--interface", "mpi_f08", "--ranks", "3", "--", "fortran/*"]);
    let outcome = Run::whole(runner);
    let last = outcome.success().lines().last().unwrap_or_default();
    assert!(last.ends_with(" passed, 0 failed"), "{outcome:?}");
}

#[test]
fn a_strict_compiler_has_nothing_to_say() {
    if !is_there() {
        return;
    }
    let folder = folder("strict");
    for (source, also) in [
        ("fortran_strict_f08.f90", ["-std=f2018", "-Wextra"]),
        ("fortran_strict_mpi.f90", ["-std=f2018", "-Wextra"]),
        // Of a header with constants nobody uses all, which is what -Wextra asks for.
        ("fortran_strict_header.f", ["-std=legacy", "-Wsurprising"]),
    ] {
        let mut strict = vec!["-Wall", "-Werror", "-fcheck=all", "-O2"];
        strict.extend(also);
        let output = compile(&folder, source, &strict);
        assert!(output.status.success(), "{source}: {output:?}");
        assert!(output.stderr.is_empty(), "{source}: {output:?}");
    }
}

#[test]
fn integers_of_eight_bytes_are_refused() {
    if !is_there() {
        return;
    }
    let folder = folder("wide");
    for source in ["fortran_strict_f08.f90", "fortran_strict_header.f"] {
        let output = compile(&folder, source, &["-fdefault-integer-8"]);
        assert!(!output.status.success(), "{source}: {output:?}");
        assert!(!output.stderr.is_empty(), "{source}: {output:?}");
    }
}
