//! Variables of the environment: bad values end a job in one line, unknown names are told once, and
//! zero is off.

use std::process::Command;

use pamir_tests::installation::{self, compile};
use pamir_tests::run::{Outcome, Run, mpiexec};

fn run(ranks: usize, variables: &[(&str, &str)]) -> Outcome {
    let mut command = mpiexec(ranks, &compile("barrier"));
    command.envs(variables.iter().copied());
    Run::whole(command)
}

#[test]
fn a_bad_value_ends_the_job_in_one_line() {
    for (name, value, allowed) in [
        ("PAMIR_ENGINE", "threads", "service, none, thread or node"),
        ("PAMIR_NO_BOARDS", "perhaps", "0 (off, no, false)"),
        ("PAMIR_INJECTION_SLOTS", "few", "a whole number from 2"),
        ("PAMIR_WAIT", "short", "long or brief"),
        ("PAMIR_BALANCE", "gather", "allgather"),
        ("PAMIR_TORUS", "2xtwo", "3x3x3"),
        ("PAMIR_SCAN", "liner", "recursive_doubling"),
    ] {
        let outcome = run(4, &[(name, value)]);
        assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
        assert_eq!(outcome.errors.lines().count(), 1, "{outcome:?}");
        for part in [name, value, allowed] {
            assert!(outcome.errors.contains(part), "{part}: {outcome:?}");
        }
        assert_eq!(outcome.output, "");
    }
}

#[test]
fn a_bad_value_that_only_ranks_see_is_told_by_one_of_them() {
    let program = compile("barrier");
    for value in ["PAMIR_ENGINE=threads", "PAMIR_TORUS=2xtwo"] {
        let script = format!("{value} exec {}", program.display());
        let mut command = mpiexec(4, std::path::Path::new("/bin/sh"));
        command.args(["-c", &script]);
        let outcome = Run::whole(command);
        assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
        let (name, told) = (value.split('=').next(), "pamir: ");
        assert_eq!(outcome.errors.matches(told).count(), 1, "{outcome:?}");
        assert!(
            outcome.errors.contains(name.unwrap_or_default()),
            "{outcome:?}"
        );
        assert_eq!(outcome.output, "");
    }
}

#[test]
fn a_bad_value_ends_a_program_without_a_launcher_in_one_line() {
    for (name, value) in [("PAMIR_ENGINE", "threads"), ("PAMIR_TORUS", "2xtwo")] {
        let mut command = Command::new(compile("barrier"));
        command.env(name, value);
        let outcome = Run::whole(command);
        assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
        assert_eq!(outcome.errors.lines().count(), 1, "{outcome:?}");
        assert!(outcome.errors.contains(name), "{outcome:?}");
    }
}

#[test]
fn an_unknown_variable_is_told_once_with_the_nearest_name() {
    let outcome = run(4, &[("PAMIR_ALREDUCE", "ring")]);
    assert!(outcome.status.success(), "{outcome:?}");
    assert_eq!(outcome.output, "met 4\n");
    let told = "PAMIR_ALREDUCE is no variable of Pamir's; did you mean PAMIR_ALLREDUCE?";
    assert_eq!(outcome.errors.matches(told).count(), 1, "{outcome:?}");
    assert_eq!(outcome.errors.lines().count(), 1, "{outcome:?}");
}

#[test]
fn a_program_without_a_launcher_tells_of_unknown_variables_itself() {
    let mut command = Command::new(compile("barrier"));
    command.env("PAMIR_TORRUS", "2x2");
    let outcome = Run::whole(command);
    let told = "pamir: PAMIR_TORRUS is no variable of Pamir's; did you mean PAMIR_TORUS?\n";
    assert!(outcome.status.success(), "{outcome:?}");
    assert_eq!(outcome.errors, told);
}

/// Whether barriers went over a board.
fn posts(switch: Option<&str>) -> bool {
    let mut command = mpiexec(2, &compile("selection"));
    command.arg("barrier");
    command.env("PAMIR_SELECTION_FILE", "");
    command.env("PAMIR_SELECTION_REPORT", "1");
    command.envs(switch.map(|value| ("PAMIR_NO_BOARDS", value)));
    let outcome = Run::whole(command);
    assert!(outcome.status.success(), "{outcome:?}");
    assert!(outcome.errors.contains("pamir: barrier: "), "{outcome:?}");
    outcome.errors.contains("posted")
}

#[test]
fn boards_are_off_with_one_and_on_with_zero() {
    assert!(posts(None));
    assert!(posts(Some("0")));
    assert!(posts(Some("off")));
    assert!(!posts(Some("1")));
}

#[test]
fn the_command_shows_each_variable_with_its_value_and_origin() {
    let mut command = Command::new(installation::command("pamir"));
    command.args(["info", "--variables"]);
    command.env("PAMIR_NO_BOARDS", "0");
    command.env_remove("PAMIR_ENGINE");
    let outcome = Run::whole(command);
    let text = outcome.success();
    let words = |name: &str| {
        let mut lines = text.lines().map(|line| line.split_whitespace());
        let line = lines.find(|line| line.clone().next() == Some(name));
        line.into_iter().flatten().skip(1).collect::<Vec<_>>()
    };
    assert_eq!(words("PAMIR_NO_BOARDS"), ["0", "environment"]);
    assert_eq!(words("PAMIR_ENGINE"), ["service", "default"]);
    for setting in pamir_settings::document::of(pamir_settings::Audience::Users) {
        assert!(!words(setting.name()).is_empty(), "{}", setting.name());
    }
}
