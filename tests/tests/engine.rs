//! The engine's thread: what goes on while a program computes, and what wakes it.

use std::sync::Mutex;

use pamir_tests::installation::compile;
use pamir_tests::run::{Outcome, Run, mpiexec};

/// The program measures how it gets on: one of them at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Runs `overlap` with an engine thread; through `refused` if the kernel shall give no io_uring.
fn overlap(interrupts: Option<&str>, refused: bool) -> Outcome {
    let program = compile("overlap");
    let mut command = if refused {
        let mut command = mpiexec(2, &compile("refused"));
        command.arg("io_uring_setup").arg(&program);
        command
    } else {
        mpiexec(2, &program)
    };
    command.env("PAMIR_ENGINE", "thread");
    command.env("PAMIR_DRIVER_REPORT", "1");
    if let Some(interrupts) = interrupts {
        command.env("PAMIR_INTERRUPTS", interrupts);
    }
    let _turn = TURN.lock();
    Run::whole(command)
}

/// The transfers were right, and both ranks' threads were woken through `delivery`.
fn assert_woken(outcome: &Outcome, delivery: &str) {
    assert_eq!(outcome.success().lines().count(), 2, "{outcome:?}");
    let woken = format!("engine thread woken through {delivery} by ");
    let counts: Vec<u64> = outcome
        .errors
        .lines()
        .filter_map(|line| line.split_once(&woken))
        .map(|(_, counts)| {
            let numbers = counts.split_whitespace().map(str::parse::<u64>);
            numbers.flatten().sum()
        })
        .collect();
    assert!(
        counts.len() == 2 && !counts.contains(&0),
        "{counts:?} {outcome:?}"
    );
}

/// Both ranks have overlapped.
fn assert_overlap(outcome: &Outcome) {
    for line in outcome.success().lines() {
        println!("{line}");
        let numbers: Vec<f64> = line
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let [_rank, waited, total] = numbers[..] else {
            panic!("not what the program prints: {line}");
        };
        // Without the thread nothing moves while a rank computes, and the wait takes it all.
        assert!(waited < total / 4.0, "{line}");
    }
}

/// Whether this machine's kernel gives an io_uring that Pamir can use.
fn has_ring() -> bool {
    let outcome = overlap(None, false);
    outcome.errors.contains("woken through io_uring")
}

#[test]
fn a_large_transfer_goes_on_while_both_ranks_compute() {
    let outcome = overlap(Some("io_uring"), false);
    if has_ring() {
        assert_overlap(&outcome);
        assert_woken(&outcome, "io_uring");
    } else {
        // A kernel without one says so, and what to do.
        assert!(!outcome.status.success());
        assert!(
            outcome.errors.contains("unset PAMIR_INTERRUPTS"),
            "{outcome:?}"
        );
    }
}

#[test]
fn it_does_by_epoll() {
    assert_woken(&overlap(Some("epoll"), false), "epoll");
}

#[test]
fn it_does_where_io_uring_is_refused() {
    assert_woken(&overlap(None, true), "epoll");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    for (outcome, reason) in [
        (overlap(Some("io_uring"), true), "unset PAMIR_INTERRUPTS"),
        (overlap(Some("signals"), false), "io_uring or epoll"),
    ] {
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.errors.contains(reason), "{outcome:?}");
    }
}

/// Runs `reduce_behind`; how many ranks have found their reductions done, and the report.
fn reduced(ranks: usize, engine: &str) -> (usize, String) {
    let mut command = mpiexec(ranks, &compile("reduce_behind"));
    // With an engine the program is elsewhere for as long as a crowded machine may take.
    command.arg(if engine == "thread" { "20000" } else { "100" });
    command.env("PAMIR_ENGINE", engine);
    command.env("PAMIR_DRIVER_REPORT", "1");
    let _turn = TURN.lock();
    let outcome = Run::whole(command);
    let done = outcome
        .success()
        .lines()
        .filter(|line| line.ends_with("done"));
    (done.count(), outcome.errors.clone())
}

#[test]
fn reductions_are_combined_by_the_engine_while_all_ranks_are_elsewhere() {
    for ranks in [2, 4] {
        let (done, report) = reduced(ranks, "thread");
        assert_eq!(done, ranks, "{report}");
        // A rank that posts last may end some in its own calls.
        assert!(
            report.contains("collectives ended in the engine thread"),
            "{report}"
        );
    }
    let (done, report) = reduced(2, "none");
    assert!(
        done < 2 && !report.contains("ended in the engine"),
        "{report}"
    );
}
