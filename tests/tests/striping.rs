//! Large messages in stripes: programs that send many datatypes, and peers that are killed.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pamir_tests::installation::compile;
use pamir_tests::random::Random;
use pamir_tests::run::{Outcome, Run, mpiexec};

/// What makes every longer message go in stripes.
fn forced(stripes: &'static str, workers: &'static str) -> [(&'static str, &'static str); 4] {
    [
        ("PAMIR_SEND", "striped:1000-"),
        ("PAMIR_STRIPES", stripes),
        ("PAMIR_SCATTERED_STRIPES", stripes),
        ("PAMIR_STRIPE_WORKERS", workers),
    ]
}

fn striped(ranks: usize, stripes: &'static str, workers: &'static str) -> Outcome {
    let mut command = mpiexec(ranks, &compile("striping"));
    command
        .env("PAMIR_SELECTION_FILE", "")
        .env("PAMIR_SELECTION_REPORT", "1")
        .envs(forced(stripes, workers));
    Run::whole(command)
}

/// Each end has counted as many stripes that began as were complete; and where there are workers, later messages were
/// divided by what each had moved before.
fn assert_counted(outcome: &Outcome, workers: &str) {
    let lines = outcome.errors.lines();
    let lines: Vec<&str> = lines
        .filter(|line| line.contains("stripes of messages"))
        .collect();
    assert!(!lines.is_empty(), "{outcome:?}");
    let mut by_speed = 0;
    for line in lines {
        let (_, figures) = line.split_once("messages: ").expect("figures follow");
        let figures = figures
            .split([' ', ','])
            .filter_map(|word| word.parse().ok());
        let figures: Vec<u64> = figures.collect();
        assert!(figures[0] > 0 && figures[0] == figures[1], "{line}");
        by_speed += figures[2];
    }
    assert_eq!(by_speed > 0, workers != "0", "{outcome:?}");
}

#[test]
fn every_datatype_arrives_whole_in_stripes() {
    for (ranks, stripes, workers) in [
        (2, "two", "1"),
        (2, "four", "3"),
        (2, "sixteen", "2"),
        (2, "eight", "0"),
        (4, "three", "1"),
        (4, "six", "2"),
        (1, "four", "1"),
    ] {
        let outcome = striped(ranks, stripes, workers);
        assert_eq!(outcome.success(), format!("right {ranks}\n"));
        let report = &outcome.errors;
        for kind in ["stripes", "scattered_stripes"] {
            let line = format!("pamir: {kind}: {stripes} ");
            assert!(report.contains(&line), "{line:?}? {outcome:?}");
        }
        assert!(!report.contains("itself"), "{outcome:?}");
        assert_counted(&outcome, workers);
    }
}

#[test]
fn threads_and_engines_of_a_rank_share_its_stripes() {
    for (name, value) in [("PAMIR_ENGINE", "thread"), ("PAMIR_NO_KERNEL_COPY", "1")] {
        let mut command = mpiexec(2, &compile("striping"));
        command.env(name, value).envs(forced("four", "2"));
        assert_eq!(Run::whole(command).success(), "right 2\n", "{name}");
    }
}

#[test]
fn without_idle_processors_nothing_is_striped_unless_asked_for() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = mpiexec(processors.max(2), &compile("striping"));
    command
        .env("PAMIR_SELECTION_FILE", "")
        .env("PAMIR_SELECTION_REPORT", "1");
    let outcome = Run::whole(command);
    outcome.success();
    assert!(!outcome.errors.contains("stripes: "), "{outcome:?}");
    // Whoever expected stripes is told.
    assert!(
        outcome.errors.contains("large messages in one piece"),
        "{outcome:?}"
    );
}

#[test]
fn nonsense_numbers_of_workers_end_the_job_with_the_reason() {
    let mut command = mpiexec(2, &compile("striping"));
    command.env("PAMIR_STRIPE_WORKERS", "several");
    let outcome = Run::whole(command);
    assert!(!outcome.status.success(), "{outcome:?}");
    let said = "PAMIR_STRIPE_WORKERS is \"several\"";
    assert!(outcome.errors.contains(said), "{outcome:?}");
}

#[test]
fn a_peer_killed_in_the_middle_of_a_striped_message_ends_the_job() {
    let mut random = Random::seeded();
    for (ranks, workers) in [(2, "1"), (2, "3"), (2, "0"), (3, "1"), (4, "2"), (2, "2")] {
        let mut command = mpiexec(ranks, &compile("exchange"));
        command.envs(forced("four", workers));
        let mut run = Run::start(command);
        let processes = run.lines("process ", ranks);
        run.lines("exchanging ", ranks);
        std::thread::sleep(std::time::Duration::from_micros(random.below(20_000)));
        let victim = &processes[random.below(ranks as u64) as usize];
        let process = victim.split_whitespace().nth(2);
        let process = process.and_then(|text| text.parse().ok());
        let process = Pid::from_raw(process.expect("lines are \"process RANK PID\""));
        kill(process, Signal::SIGKILL).expect("it runs until it is killed");
        // Panics when the job does not end, or leaves a process.
        let outcome = run.finish();
        let context = format!("seed {}, {ranks} ranks: {outcome:?}", random.seed());
        assert_eq!(outcome.status.code(), Some(128 + 9), "{context}");
        assert!(outcome.errors.contains("SIGKILL"), "{context}");
    }
}
