//! Injection FIFOs of four slots under every interrupt criterion, in whole programs.

use pamir_tests::installation::compile;
use pamir_tests::run::{Run, mpiexec};

const CRITERIA: [&str; 7] = [
    "drained",
    "timer:5",
    "timer-learned",
    "memory-fifo",
    "counted-put",
    "touching-put",
    "touching-put:word",
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
fn they_do_where_memory_interrupts_or_the_kernel_is_said_to_refuse_it() {
    const MEMORY: &str = "touching-put:userfaultfd";
    for (through, engine) in [(false, None), (false, Some("thread")), (true, None)] {
        let program = compile("overflow");
        let mut command = if through {
            let mut command = mpiexec(2, &compile("refused"));
            command.arg("userfaultfd").arg(&program);
            command
        } else {
            mpiexec(2, &program)
        };
        command.arg("5000");
        command.env("PAMIR_INJECTION_SLOTS", "4");
        command.env("PAMIR_REPLENISH", MEMORY);
        command.env("PAMIR_DRIVER_REPORT", "1");
        if let Some(engine) = engine {
            command.env("PAMIR_ENGINE", engine);
        }
        let outcome = Run::whole(command);
        if outcome.status.success() {
            assert!(!through, "refused and yet there: {outcome:?}");
            assert_eq!(outcome.success(), "10000 messages in order\n");
            // A FIFO that never was full is not reported: the peer's thread may make room in time.
            assert!(
                engine.is_some() || outcome.errors.contains(MEMORY),
                "{outcome:?}"
            );
        } else {
            let reason = "use PAMIR_REPLENISH=touching-put";
            assert!(outcome.errors.contains(reason), "{outcome:?}");
        }
    }
}

/// The report's lines about injection FIFOs of a program that overflows by `touching-put`; `refused` if the kernel shall
/// give no memory that interrupts.
fn touched(refused: bool) -> String {
    let program = compile("overflow");
    let mut command = if refused {
        let mut command = mpiexec(2, &compile("refused"));
        command.arg("userfaultfd").arg(&program);
        command
    } else {
        mpiexec(2, &program)
    };
    command.arg("5000");
    command.env("PAMIR_REPLENISH", "touching-put");
    command.env("PAMIR_DRIVER_REPORT", "1");
    let outcome = Run::whole(command);
    assert_eq!(outcome.success(), "10000 messages in order\n");
    outcome.errors
}

#[test]
fn a_touching_put_interrupts_by_memory_where_the_kernel_gives_it_and_says_by_what() {
    assert!(touched(true).contains("touching-put by a word"));
    let given = touched(false);
    let by = ["touching-put by userfaultfd", "touching-put by a word"];
    assert!(by.iter().any(|words| given.contains(words)), "{given}");
}

/// The numbers of a report's lines about injection FIFOs: pended, most pending, interrupts,
/// replenished.
fn reported(errors: &str) -> Vec<[u64; 4]> {
    let lines = errors
        .lines()
        .filter(|line| line.contains("injection FIFO to"));
    let numbers = lines.map(|line| {
        let (_, figures) = line.rsplit_once("): ").expect("figures follow the set-up");
        let words = figures
            .split([' ', ','])
            .filter_map(|word| word.parse().ok());
        let all: Vec<u64> = words.collect();
        [all[1], all[2], all[3], all[4]]
    });
    numbers.collect()
}

#[test]
fn the_report_counts_interrupts_and_what_they_moved() {
    let mut command = mpiexec(2, &compile("overflow"));
    command.arg("5000");
    command.env("PAMIR_INJECTION_SLOTS", "8");
    command.env("PAMIR_DRIVER_REPORT", "1");
    let outcome = Run::whole(command);
    assert_eq!(outcome.success(), "10000 messages in order\n");
    let reported = reported(&outcome.errors);
    // Whoever sends while the other one already receives may find room for everything.
    assert!((1..=2).contains(&reported.len()), "{outcome:?}");
    for [pended, most_pending, interrupts, replenished] in reported {
        assert_eq!(pended, replenished);
        assert!(0 < most_pending && most_pending <= pended);
        assert!(0 < interrupts && interrupts < replenished);
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
        ("PAMIR_INJECTION_SLOTS", "1", "from 2"),
        ("PAMIR_INJECTION_THRESHOLD", "63", "at most 62"),
    ] {
        let mut command = mpiexec(2, &compile("overflow"));
        command.env(variable, value);
        let outcome = Run::whole(command);
        assert!(!outcome.status.success(), "{variable}={value}");
        assert!(outcome.errors.contains(reason), "{outcome:?}");
        assert!(outcome.errors.contains(variable), "{outcome:?}");
    }
}
