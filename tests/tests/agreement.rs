//! Settings that all ranks need alike: what differs is told before anybody waits.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use pamir_tests::installation::{command, compile};
use pamir_tests::run::{Outcome, Run, mpiexec};

fn two_programs(variable: &str, value: &str) -> Outcome {
    let program = compile("sum");
    let mut launcher = Command::new(command("mpiexec"));
    launcher
        .args(["-n", "1", "-x"])
        .arg(format!("{variable}={value}"));
    launcher.arg(&program).args([":", "-n", "1"]).arg(&program);
    Run::whole(launcher)
}

#[test]
fn programs_with_different_tables_are_refused_before_a_rank_starts() {
    for (variable, value) in [
        ("PAMIR_ALLREDUCE", "ring"),
        ("PAMIR_NO_BOARDS", "1"),
        // A rank knows by its own table whether a message may be so long without asking.
        ("PAMIR_SEND", "eager"),
    ] {
        let outcome = two_programs(variable, value);
        assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
        let told = format!(
            "mpiexec: {variable} is {value:?} for one program of the job and not set for another"
        );
        assert!(outcome.errors.starts_with(&told), "{outcome:?}");
        assert_eq!(outcome.errors.lines().count(), 1, "{outcome:?}");
    }
}

#[test]
fn what_means_the_same_or_may_differ_is_taken() {
    for (variable, value) in [("PAMIR_NO_BOARDS", "0"), ("PAMIR_STRIPES", "two")] {
        assert_eq!(two_programs(variable, value).success(), "summed 2\n");
    }
}

/// A job of two ranks, of which a script around the program changes the second one by `change`.
fn differing(name: &str, change: &str) -> Outcome {
    let script = std::env::temp_dir().join(format!("pamir-{name}-{}", std::process::id()));
    let text = format!("#!/bin/sh\n[ $PAMIR_RANK = 1 ] && export {change}\nexec \"$@\"\n");
    std::fs::write(&script, text).expect("there is room for a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&script, executable).expect("it is this test's");
    let mut launcher = mpiexec(2, &script);
    launcher.arg(compile("sum"));
    let outcome = Run::whole(launcher);
    std::fs::remove_file(&script).expect("it is this test's");
    outcome
}

fn check_refused(outcome: &Outcome, variable: &str) {
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    let told = format!("{variable} has another value in this rank than in others");
    assert!(outcome.errors.contains(&told), "{outcome:?}");
}

#[test]
fn ranks_that_a_script_makes_differ_do_not_start() {
    let outcome = differing("variable", "PAMIR_BARRIER=linear");
    check_refused(&outcome, "PAMIR_BARRIER");
}

#[test]
fn ranks_that_find_different_files_of_tables_do_not_start() {
    let home = std::env::temp_dir().join(format!("pamir-home-{}", std::process::id()));
    let directory = home.join("pamir");
    std::fs::create_dir_all(&directory).expect("there is room for a folder");
    let rows = "[[allreduce]]\nalgorithm = \"ring\"\n";
    std::fs::write(directory.join("selection.toml"), rows).expect("there is room for a file");
    let change = format!("XDG_CONFIG_HOME={}", home.display());
    let outcome = differing("file", &change);
    std::fs::remove_dir_all(home).expect("it is this test's");
    check_refused(&outcome, "PAMIR_SELECTION_FILE");
}
