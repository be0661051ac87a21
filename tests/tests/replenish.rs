//! Injection FIFOs of four slots under every interrupt criterion, in whole programs.

use pamir_tests::installation::compile;
use pamir_tests::run::{Run, mpiexec};

const CRITERIA: [&str; 6] = [
    "drained",
    "timer:5",
    "timer-learned",
    "memory-fifo",
    "counted-put",
    "touching-put",
];

fn overflow(ranks: usize, criterion: &str, engine: Option<&str>) {
    let mut command = mpiexec(ranks, &compile("overflow"));
    command.arg("1500");
    command.env("PAMIR_INJECTION_SLOTS", "4");
    command.env("PAMIR_REPLENISH", criterion);
    if let Some(engine) = engine {
        command.env("PAMIR_ENGINE", engine);
    }
    let outcome = Run::whole(command);
    let expected = format!("{} messages in order\n", 1500 * ranks * (ranks - 1));
    assert_eq!(outcome.success(), expected, "{criterion} {engine:?}");
}

#[test]
fn messages_that_overflow_come_in_order_under_every_criterion() {
    for criterion in CRITERIA {
        overflow(2, criterion, None);
        overflow(4, criterion, None);
    }
}

#[test]
fn they_do_with_an_engine_on_a_thread_of_its_own() {
    for criterion in CRITERIA {
        overflow(2, criterion, Some("thread"));
    }
}

#[test]
fn bad_settings_are_refused_with_the_reason() {
    for (variable, value, reason) in [
        ("PAMIR_REPLENISH", "sometimes", "memory-fifo"),
        ("PAMIR_INJECTION_SLOTS", "many", "number"),
        ("PAMIR_INJECTION_SLOTS", "1", "slots - 2"),
        ("PAMIR_INJECTION_THRESHOLD", "63", "at most 62"),
    ] {
        let mut command = mpiexec(2, &compile("overflow"));
        command.env(variable, value);
        let outcome = Run::whole(command);
        assert!(!outcome.status.success(), "{variable}={value}");
        assert!(outcome.errors.contains(reason), "{outcome:?}");
    }
}
