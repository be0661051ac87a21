//! `pamir` as a command: what it measures is read again by jobs, and what is wrong is told.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output};

use pamir_transport::selection::KINDS;

fn pamir(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pamir"));
    command.args(arguments).env("PAMIR_SELECTION_FILE", "");
    command.envs(variables.iter().copied()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pamir-test-{}-{name}.toml", std::process::id()))
}

#[test]
fn what_tune_measures_is_in_force_when_its_file_is_named() {
    let file = temporary("tuned");
    let path = file.to_str().unwrap();
    let quick = ["--ranks", "2", "--sizes", "8,2048", "--rounds", "1"];
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
    let kinds = kinds.join(",");
    let options = ["tune", "--kinds", &kinds, "--output", path];
    let output = pamir(&[&options[..], &quick[..]].concat(), &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(&file).unwrap();
    for kind in KINDS {
        assert!(
            written.contains(&format!("[[{}]]", kind.name())),
            "{written}"
        );
    }
    let output = pamir(&["info", "--selection"], &[("PAMIR_SELECTION_FILE", path)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains(path),
        "{}",
        text(&output.stdout)
    );
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_variable_shows_in_the_tables_in_force() {
    let rows = [("PAMIR_ALLREDUCE", "ring:64K-,reduce_broadcast")];
    let output = pamir(&["info", "--selection", "--ranks", "6"], &rows);
    let shown = text(&output.stdout);
    assert!(shown.contains("variables  PAMIR_ALLREDUCE"), "{shown}");
    let begin = shown.find("\nallreduce (").unwrap();
    let expected = "\n  up to 65535      reduce_broadcast\n  above            ring\n";
    assert!(shown[begin..].contains(expected), "{shown}");
}

#[test]
fn bad_tables_and_bad_arguments_are_told() {
    let file = temporary("bad");
    std::fs::write(&file, "[[scan]]\n").unwrap();
    let path = file.to_str().unwrap();
    let output = pamir(&["info", "--selection"], &[("PAMIR_SELECTION_FILE", path)]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("line 1: missing field `algorithm`"),
        "{errors}"
    );
    std::fs::remove_file(file).unwrap();
    for (arguments, expected) in [
        (
            ["tune", "--kinds", "teleport"],
            "there is no kind of instruction \"teleport\"",
        ),
        (
            ["tune", "--ranks", "1"],
            "the number of ranks must be at least 2",
        ),
        (
            ["tune", "--rounds", "0"],
            "the number of rounds must be at least 1",
        ),
    ] {
        let errors = text(&pamir(&arguments, &[]).stderr);
        assert!(errors.contains(expected), "{errors}");
    }
}
