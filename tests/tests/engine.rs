//! The engine's thread: what goes on while a program computes, and what wakes it.

use pamir_tests::installation::compile;
use pamir_tests::run::{Outcome, Run, mpiexec};

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
    Run::whole(command)
}

/// Both ranks have overlapped, woken through `delivery`.
fn assert_overlap(outcome: &Outcome, delivery: &str) {
    let lines: Vec<&str> = outcome.success().lines().collect();
    assert_eq!(lines.len(), 2, "{outcome:?}");
    for line in lines {
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
    let woken = format!("engine thread woken through {delivery} by");
    assert_eq!(outcome.errors.matches(&woken).count(), 2, "{outcome:?}");
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
        assert_overlap(&outcome, "io_uring");
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
    assert_overlap(&overlap(Some("epoll"), false), "epoll");
}

#[test]
fn it_does_where_io_uring_is_refused() {
    assert_overlap(&overlap(None, true), "epoll");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    for (outcome, reason) in [
        (overlap(Some("io_uring"), true), "unset PAMIR_INTERRUPTS"),
        (overlap(Some("signals"), false), "use io_uring or epoll"),
    ] {
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.errors.contains(reason), "{outcome:?}");
    }
}
