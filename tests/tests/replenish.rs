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

/// The report of ranks that send so many messages before anybody receives, with these variables.
fn report(ranks: usize, messages: &str, variables: &[(&str, &str)]) -> String {
    let mut command = mpiexec(ranks, &compile("overflow"));
    command.arg(messages);
    command.env("PAMIR_DRIVER_REPORT", "1");
    // Nobody makes room meanwhile.
    command.env("PAMIR_ENGINE", "none");
    command.envs(variables.iter().copied());
    let outcome = Run::whole(command);
    outcome.success();
    outcome.errors
}

#[test]
fn each_target_has_a_fifo_of_its_own() {
    let report = report(3, "3000", &[("PAMIR_INJECTION_SLOTS", "8")]);
    let targets = |rank: usize| (0..3).filter(move |target| *target != rank);
    // The last to send may find that others receive already.
    let told = (0..3).filter(|rank| {
        targets(*rank).all(|target| {
            let line = format!("pamir: rank {rank}: injection FIFO to {target} (8 slots, ");
            report.matches(&line).count() == 1
        })
    });
    assert!(told.count() > 0, "{report}");
    assert!(
        (0..3).all(|rank| !report.contains(&format!("rank {rank}: injection FIFO to {rank} ")))
    );
}

#[test]
fn a_client_has_the_fifos_that_stand_beside_its_name() {
    let told = |table: &str| {
        let report = report(2, "3000", &[("PAMIR_CLIENTS", table)]);
        ["(8 slots, counted-put)", "(64 slots, memory-fifo)"].map(|words| report.contains(words))
    };
    assert_eq!(told("MPI=slots:8,criterion:counted-put"), [true, false]);
    assert_eq!(told("other=slots:8,criterion:counted-put"), [false, true]);
}

/// The numbers of descriptors that went into slots, and that pended at most, of the FIFO that pended most.
fn slots_and_pending(slots: &str, threshold: &str) -> (u64, u64) {
    let variables = [
        ("PAMIR_INJECTION_SLOTS", slots),
        ("PAMIR_INJECTION_THRESHOLD", threshold),
    ];
    let report = report(2, "4000", &variables);
    let lines = report.lines().filter_map(|line| line.rsplit_once("): "));
    let numbers = lines.map(|(_, figures)| {
        let words = figures
            .split([' ', ','])
            .filter_map(|word| word.parse().ok());
        let all: Vec<u64> = words.collect();
        (all[2], all[0])
    });
    let (pending, slots) = numbers.max().expect("a FIFO was used");
    (slots, pending)
}

#[test]
fn what_exceeds_the_threshold_pends_and_the_rest_goes_into_slots() {
    let (few, many_pending) = slots_and_pending("64", "8");
    let (more, few_pending) = slots_and_pending("64", "62");
    assert_eq!((few, more), (9, 63), "one more than the threshold");
    assert!(many_pending > few_pending, "{many_pending} {few_pending}");
}

#[test]
fn a_replenish_descriptor_comes_last_and_again_while_some_pend() {
    for criterion in ["memory-fifo", "counted-put", "touching-put:word"] {
        let variables = [
            ("PAMIR_INJECTION_SLOTS", "8"),
            ("PAMIR_REPLENISH", criterion),
        ];
        let report = report(2, "5000", &variables);
        let reported = reported(&report);
        assert!(!reported.is_empty(), "{report}");
        for [pended, _, interrupts, replenished] in reported {
            assert_eq!(pended, replenished, "{criterion}: {report}");
            // Seven go into slots with it, and are gone when it comes; the last ones may be eight.
            let batches = (replenished - 1) / 7;
            assert!(
                (batches..=batches + batches / 8 + 1).contains(&interrupts),
                "{criterion}: {report}"
            );
        }
    }
}

#[test]
fn a_timer_interrupts_only_where_it_moves_and_in_batches() {
    for criterion in ["timer", "timer:5", "timer-learned"] {
        let mut command = mpiexec(2, &compile("overflow"));
        command.arg("2000").env("PAMIR_REPLENISH", criterion);
        command.env("PAMIR_DRIVER_REPORT", "1");
        let outcome = Run::whole(command);
        assert_eq!(outcome.success(), "4000 messages in order\n");
        for [pended, _, interrupts, replenished] in reported(&outcome.errors) {
            assert_eq!(pended, replenished, "{outcome:?}");
            assert!(interrupts <= replenished, "{outcome:?}");
            // A period by itself is what draining takes, so it finds many slots free.
            let batched = criterion == "timer:5" || interrupts * 4 <= replenished;
            assert!(batched, "{criterion}: {outcome:?}");
        }
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
