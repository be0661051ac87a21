//! The service thread: what stays behind in a rank goes on while its program makes no call.

use std::sync::atomic::{AtomicUsize, Ordering};

use pamir_tests::installation::compile;
use pamir_tests::run::{Outcome, Run, mpiexec};

/// Longer than any machine takes for it; a test that passes takes a fraction of a second.
const PATIENCE: &str = "20000";

/// Runs `left_behind` with variables, for so many milliseconds.
fn left_behind(milliseconds: &str, variables: &[(&str, &str)]) -> Outcome {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let name = format!("pamir-left-behind-{}-{run}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir(&directory).expect("there is room for a directory");
    let mut command = mpiexec(2, &compile("left_behind"));
    command.arg(&directory).arg(milliseconds);
    command.env("PAMIR_DRIVER_REPORT", "1");
    command.envs(variables.iter().copied());
    let outcome = Run::whole(command);
    std::fs::remove_dir_all(&directory).expect("it is this test's");
    outcome
}

/// Descriptors that rank 0's service thread has moved, and by how many interrupts.
fn moved(outcome: &Outcome) -> Option<(u64, u64)> {
    let told = |line: &str| {
        let line = line.strip_prefix("pamir: rank 0: ")?;
        let (descriptors, rest) = line.split_once(" descriptors moved by ")?;
        let interrupts = rest.strip_suffix(" interrupts while the program was elsewhere")?;
        Some((descriptors.parse().ok()?, interrupts.parse().ok()?))
    };
    outcome.errors.lines().find_map(told)
}

fn assert_gone(outcome: &Outcome) {
    assert_eq!(outcome.success(), "gone\ngone\ngone\n", "{outcome:?}");
    let (descriptors, interrupts) = moved(outcome).expect("the report tells of it");
    assert!(descriptors > 1000, "{outcome:?}");
    // Each interrupt moves many: that is what it is for.
    assert!(interrupts < descriptors / 4, "{outcome:?}");
}

#[test]
fn sends_that_stay_behind_go_on_while_the_program_computes() {
    assert_gone(&left_behind(PATIENCE, &[]));
}

#[test]
fn the_report_says_how_the_engine_told_that_they_were_complete() {
    let outcome = left_behind(PATIENCE, &[]);
    let line = outcome
        .errors
        .lines()
        .find(|line| line.contains("counter status register"));
    let line = line.unwrap_or_else(|| panic!("no line of counters: {outcome:?}"));
    let figures = line.split(' ').filter_map(|word| word.parse().ok());
    let [complete, looks, shared] = figures.collect::<Vec<u64>>()[..] else {
        panic!("three figures: {line}");
    };
    // More wait at once than there are counters, and a look finds several.
    assert!(looks < complete && shared > 0, "{line}");
}

#[test]
fn they_do_where_several_threads_may_call() {
    assert_gone(&left_behind(PATIENCE, &[("SEVERAL", "1")]));
}

#[test]
fn they_do_by_each_criterion() {
    for criterion in ["memory-fifo", "counted-put", "touching-put", "timer"] {
        assert_gone(&left_behind(PATIENCE, &[("PAMIR_REPLENISH", criterion)]));
    }
}

#[test]
fn without_an_engine_they_wait_for_a_call() {
    let outcome = left_behind("50", &[("PAMIR_ENGINE", "none")]);
    assert_eq!(outcome.success(), "left\nleft\nleft\n", "{outcome:?}");
    assert_eq!(moved(&outcome), None, "{outcome:?}");
}

#[test]
fn a_program_that_leaves_nothing_behind_has_no_thread() {
    let mut command = mpiexec(2, &compile("sum"));
    command.env("PAMIR_DRIVER_REPORT", "1");
    let outcome = Run::whole(command);
    outcome.success();
    assert!(!outcome.errors.contains("engine thread"), "{outcome:?}");
}
