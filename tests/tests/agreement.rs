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
    for (variable, value) in [("PAMIR_ALLREDUCE", "ring"), ("PAMIR_NO_BOARDS", "1")] {
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
    for (variable, value) in [("PAMIR_NO_BOARDS", "0"), ("PAMIR_SEND", "eager:-64K")] {
        assert_eq!(two_programs(variable, value).success(), "summed 2\n");
    }
}

#[test]
fn ranks_that_a_script_makes_differ_do_not_start() {
    let script = std::env::temp_dir().join(format!("pamir-differ-{}", std::process::id()));
    let text = "#!/bin/sh\n[ $PAMIR_RANK = 1 ] && export PAMIR_BARRIER=linear\nexec \"$@\"\n";
    std::fs::write(&script, text).expect("there is room for a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&script, executable).expect("it is this test's");
    let mut launcher = mpiexec(2, &script);
    launcher.arg(compile("sum"));
    let outcome = Run::whole(launcher);
    std::fs::remove_file(&script).expect("it is this test's");
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    let told = "PAMIR_BARRIER has another value in this rank than in others";
    assert!(outcome.errors.contains(told), "{outcome:?}");
}
