//! How programs were linked: without a run path, with `-lmpi`, with functions that are not there yet.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use pamir_tests::installation::{command, prefix, sources};
use pamir_tests::run::{Outcome, Run};

/// Links a program without the wrapper, with the installation's `lib` and these arguments.
fn linked(name: &str, source: &str, arguments: &[&str]) -> PathBuf {
    let directory = sources().join("target/test/linking");
    std::fs::create_dir_all(&directory).unwrap();
    let program = directory.join(format!("{name}.{}", std::process::id()));
    let file = program.with_extension("c");
    std::fs::write(&file, source).unwrap();
    let library = prefix().join("lib");
    let outcome = Command::new("cc")
        .arg("-I")
        .arg(prefix().join("include"))
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(&library)
        .args(arguments)
        .env_remove("LD_RUN_PATH")
        .output()
        .unwrap();
    assert!(outcome.status.success(), "{outcome:?}");
    program
}

const MEETS: &str = "#include <mpi.h>\n#include <stdio.h>\n\
    int main(void) { int size; MPI_Init(0, 0); MPI_Comm_size(MPI_COMM_WORLD, &size);\n\
    MPI_Barrier(MPI_COMM_WORLD); printf(\"met %d\\n\", size); return MPI_Finalize(); }\n";

/// The whole run of `mpiexec -n 2` with further options.
fn run(options: &[&str], program: &Path) -> Outcome {
    let mut mpiexec = Command::new(command("mpiexec"));
    mpiexec.args(["-n", "2"]).args(options).arg(program);
    Run::whole(mpiexec)
}

#[test]
fn programs_without_a_run_path_find_the_library() {
    let program = linked("bare", MEETS, &["-lmpi_abi"]);
    for options in [
        &[][..],
        &["--nodes", "2"],
        &["-genvnone"],
        &["-genv", "LD_LIBRARY_PATH", "/nowhere:"],
    ] {
        let outcome = run(options, &program);
        assert_eq!(outcome.success(), "met 2\nmet 2\n", "{options:?}");
    }
}

#[test]
fn the_users_libraries_come_first() {
    let directory = sources().join("target/test/linking");
    let own = directory.join(format!("own.{}", std::process::id()));
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("libmpi_abi.so.1"), "no library").unwrap();
    let program = linked("own-first", MEETS, &["-lmpi_abi"]);
    let outcome = run(
        &["-x", &format!("LD_LIBRARY_PATH={}", own.display())],
        &program,
    );
    assert_eq!(outcome.status.code(), Some(127), "{outcome:?}");
}

#[test]
fn makefiles_may_write_lmpi() {
    let whole = prefix().join("lib/libmpi.so");
    for (name, arguments) in [("lmpi", "-lmpi"), ("path", whole.to_str().unwrap())] {
        let program = linked(name, MEETS, &[arguments]);
        assert_eq!(run(&[], &program).success(), "met 2\nmet 2\n");
        // It is found by its own name, which the tree has whatever it was linked by.
        let bytes = std::fs::read(&program).unwrap();
        let names = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
        assert!(names(b"libmpi_abi.so.1\0") && !names(b"libmpi.so\0"));
    }
}

/// The first function of the table's chapters that are left for later.
fn left_for_later() -> Option<String> {
    let table =
        std::fs::read_to_string(sources().join("bindings/interface/table/functions.txt")).unwrap();
    let (_, chapter) = table.split_once(" later] ")?;
    let function = chapter.lines().find(|line| line.starts_with("MPI_"))?;
    function.split('(').next().map(str::to_string)
}

#[test]
fn what_is_left_for_later_is_told_at_the_start() {
    let Some(function) = left_for_later() else {
        return;
    };
    let calls = format!(
        "#include <mpi.h>\nvoid *wanted = (void *)&{function};\n\
         int main(void) {{ MPI_Init(0, 0); return MPI_Finalize(); }}\n"
    );
    let program = linked("later", &calls, &["-lmpi_abi"]);
    let told = |options: &[&str]| {
        let outcome = run(options, &program);
        outcome.success();
        outcome.errors.contains(&function)
    };
    assert!(told(&["-v"]));
    assert!(!told(&[]));
}
