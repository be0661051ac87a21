//! `pamir explain-send` and `PAMIR_EXPLAIN_SENDS` say which way messages go, and why.

use std::process::Command;

use pamir_tests::installation::{command, compile};
use pamir_tests::run::{Run, mpiexec};

/// What `pamir explain-send` prints, with these variables set.
fn explained(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut pamir = Command::new(command("pamir"));
    pamir
        .arg("explain-send")
        .args(arguments)
        .args(["--messages", "200"])
        .env("PAMIR_SELECTION_FILE", "")
        .envs(variables.iter().copied());
    Run::whole(pamir).success().to_owned()
}

/// The value of a line of the explanation.
fn line<'t>(text: &'t str, name: &str) -> &'t str {
    let mut lines = text.lines();
    let found = lines.find_map(|line| line.trim_start().strip_prefix(name));
    found.unwrap_or_else(|| panic!("{name}: {text}")).trim()
}

#[test]
fn a_measured_message_says_what_was_tried_and_learned() {
    let text = explained(&["64K", "--rewritten"], &[("PAMIR_MEASURE_ALL", "1")]);
    assert!(
        text.contains("to rank 1, 65536 bytes, the sender waits: 200 messages"),
        "{text}"
    );
    assert_eq!(line(&text, "row"), "eager_measured");
    let why = line(&text, "why");
    assert!(
        why.starts_with("trial of at once, alone, together: ") && why.ends_with("so far"),
        "{why}"
    );
    let went = line(&text, "went");
    for protocol in ["eager ", "rendezvous_copy ", "rendezvous_together "] {
        assert!(went.contains(protocol), "{went}");
    }
    let counts = went.split(", ").filter_map(|way| way.split_once(' '));
    let counts = counts.map(|(_, count)| count.parse::<u32>().unwrap());
    assert_eq!(counts.sum::<u32>(), 200);
}

#[test]
fn a_row_and_the_kernel_settle_the_way() {
    let text = explained(&["1M"], &[("PAMIR_SEND", "rendezvous_copy:4096-")]);
    assert_eq!(line(&text, "went"), "rendezvous_copy 200");
    assert_eq!(line(&text, "why"), "the row names one protocol");
    let text = explained(&["1M"], &[("PAMIR_NO_KERNEL_COPY", "on")]);
    let profile = line(&text, "profile");
    assert!(profile.starts_with("no copies by the kernel"), "{text}");
    let striped = [("PAMIR_SEND", "striped"), ("PAMIR_STRIPE_WORKERS", "0")];
    let text = explained(&["1M"], &striped);
    assert_eq!(line(&text, "went"), "striped 200");
    let moved_by_workers = [("PAMIR_STRIPES", "two"), ("PAMIR_STRIPE_WORKERS", "1")];
    let text = explained(&["1M"], &moved_by_workers);
    assert_eq!(line(&text, "went"), "striped 200");
    let text = explained(&["8"], &[]);
    assert!(
        text.starts_with("up to ") && text.lines().count() == 1,
        "{text}"
    );
}

#[test]
fn a_program_says_of_its_own_messages_where_they_went() {
    let mut job = mpiexec(2, &compile("selection"));
    job.arg("send")
        .env("PAMIR_SELECTION_FILE", "")
        .env("PAMIR_SEND", "eager:4096-")
        .env("PAMIR_EXPLAIN_SENDS", "1");
    let outcome = Run::whole(job);
    assert_eq!(outcome.success(), "right send 2\n");
    let errors = &outcome.errors;
    assert!(errors.contains("pamir: sends of rank 0\n"), "{errors}");
    let mut went = errors
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("went     "));
    assert!(went.any(|way| way.starts_with("eager ")), "{errors}");
}

#[test]
fn a_size_that_is_none_is_refused() {
    let mut pamir = Command::new(command("pamir"));
    pamir.args(["explain-send", "64Q"]);
    let outcome = Run::whole(pamir);
    assert!(
        outcome.errors.contains("a size is a number of bytes"),
        "{}",
        outcome.errors
    );
    assert_eq!(outcome.status.code(), Some(2));
}
