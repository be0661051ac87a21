//! Windows of whole programs: which way the parts of others are reached, and what a waiting target does for others.

use pamir_tests::installation::compile;
use pamir_tests::run::{Outcome, Run, mpiexec};

/// Runs `window_ways` with some variables set; its numbers were right.
fn ways(times: u32, variables: &[(&str, &str)]) -> Outcome {
    let mut command = mpiexec(2, &compile("window_ways"));
    command.arg(times.to_string());
    command.envs(variables.iter().copied());
    let outcome = Run::whole(command);
    let lines: Vec<String> = (0..3)
        .map(|window| format!("window {window}: {times}"))
        .collect();
    assert_eq!(outcome.success().lines().collect::<Vec<_>>(), lines);
    outcome
}

/// How often a line of the explanation ends so.
fn ends(outcome: &Outcome, end: &str) -> usize {
    let lines = outcome.errors.lines();
    lines.filter(|line| line.ends_with(end)).count()
}

#[test]
fn memory_of_windows_and_of_alloc_mem_is_mapped_and_other_memory_is_copied_by_the_kernel() {
    let outcome = ways(10, &[("PAMIR_EXPLAIN_SENDS", "1")]);
    // Each rank says it of two ranks: of both in two windows, and of itself in the third.
    let mapped = "32 bytes, copied in memory that is mapped here";
    assert_eq!(ends(&outcome, mapped), 10, "{outcome:?}");
    let copied = "32 bytes, copied by the kernel, or up to 64 bytes by the target while it waits on a core of its own";
    assert_eq!(ends(&outcome, copied), 2, "{outcome:?}");
}

#[test]
fn where_the_kernel_does_not_copy_the_target_is_sent_messages() {
    let refused = [("PAMIR_EXPLAIN_SENDS", "1"), ("PAMIR_NO_KERNEL_COPY", "1")];
    let outcome = ways(10, &refused);
    let sent =
        "sent in messages, which the target takes when it calls MPI, or its engine thread does";
    assert_eq!(ends(&outcome, sent), 2, "{outcome:?}");
}

#[test]
fn a_target_that_waits_does_short_accesses_itself() {
    let outcome = ways(20_000, &[("PAMIR_DRIVER_REPORT", "1")]);
    let served = "were done while it waited";
    let lines = outcome.errors.lines().filter(|line| line.ends_with(served));
    let lines: Vec<&str> = lines.collect();
    // Of three windows one has a part that is not mapped.
    assert_eq!(lines.len(), 1, "{outcome:?}");
    assert!(lines[0].contains("rank 1: "), "{}", lines[0]);
}

/// Runs `window_progress`, plainly, and where only messages serve.
fn progress(what: &str) {
    for refused in ["0", "1"] {
        let mut command = mpiexec(2, &compile("window_progress"));
        command.arg(what).env("PAMIR_NO_KERNEL_COPY", refused);
        let outcome = Run::whole(command);
        assert_eq!(outcome.success(), "right\n", "{outcome:?}");
    }
}

#[test]
fn a_short_accumulate_does_not_overtake_a_long_one() {
    progress("order");
}

#[test]
fn one_sided_calls_let_others_get_on() {
    progress("poll");
}

#[test]
fn a_second_exclusive_lock_is_not_kept_waiting_by_who_waits_for_the_first() {
    progress("again");
}

#[test]
fn a_datatype_reaches_pieces_that_were_attached_one_by_one() {
    progress("blocks");
}
