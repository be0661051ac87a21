//! Faults: killed ranks, killed launchers, ranks that leave early.
//!
//! What a user is promised: the job ends soon and as a whole, says who failed and how, and leaves
//! nothing behind, whatever moment it happens at.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pamir_tests::installation::compile;
use pamir_tests::processes::named_shared_memory;
use pamir_tests::random::Random;
use pamir_tests::run::{Run, mpiexec};

/// From a rank's death to its launcher's end.
const REPORTED_WITHIN: Duration = Duration::from_secs(10);

/// Rank and process of each line `process RANK PID`.
fn ranks_and_processes(lines: &[String]) -> Vec<(usize, i32)> {
    let numbers = |line: &String| {
        let mut words = line.split_whitespace().skip(1);
        let rank = words.next()?.parse().ok()?;
        Some((rank, words.next()?.parse().ok()?))
    };
    lines
        .iter()
        .map(|line| numbers(line).unwrap_or_else(|| panic!("not a rank and a process: {line}")))
        .collect()
}

/// Kills a rank of the exchange after a moment; `exchanging` waits for the first round before.
fn kill_a_rank(ranks: usize, exchanging: bool, random: &mut Random) {
    let mut run = Run::start(mpiexec(ranks, &compile("exchange")));
    let known = ranks_and_processes(&run.lines("process ", ranks));
    if exchanging {
        run.lines("exchanging ", ranks);
        for (_, process) in &known {
            let files = named_shared_memory(*process);
            assert!(files.is_empty(), "files that could stay behind: {files:?}");
        }
    }
    std::thread::sleep(Duration::from_micros(random.below(30_000)));
    let (rank, process) = known[random.below(ranks as u64) as usize];
    let killed = Instant::now();
    kill(Pid::from_raw(process), Signal::SIGKILL)
        .unwrap_or_else(|error| panic!("rank {rank} was gone before it was killed: {error}"));
    let outcome = run.finish();
    let context = format!("seed {}, {ranks} ranks: {outcome:?}", random.seed());
    let took = outcome.ended.duration_since(killed);
    assert!(took < REPORTED_WITHIN, "{took:?} after the kill; {context}");
    assert_eq!(outcome.status.code(), Some(128 + 9), "{context}");
    let named = format!("rank {rank} of {ranks} on ");
    assert!(outcome.errors.contains(&named), "{named:?}? {context}");
    assert!(outcome.errors.contains("SIGKILL"), "{context}");
    assert!(
        outcome.errors.contains(&format!("(pid {process}, ")),
        "{context}"
    );
}

#[test]
fn a_rank_killed_in_the_middle_of_an_exchange_ends_the_job() {
    let mut random = Random::seeded();
    for ranks in [2, 2, 2, 2, 2, 2, 3, 3, 4, 4, 8] {
        kill_a_rank(ranks, true, &mut random);
    }
}

#[test]
fn a_rank_killed_while_the_job_starts_ends_the_job() {
    let mut random = Random::seeded();
    for ranks in [2, 2, 2, 2, 3, 3, 4, 8] {
        kill_a_rank(ranks, false, &mut random);
    }
}

#[test]
fn a_killed_launcher_takes_its_ranks_along() {
    let mut random = Random::seeded();
    for (program, beginning, ranks) in [
        ("exchange", "process ", 2),
        ("exchange", "exchanging ", 3),
        ("exchange", "exchanging ", 2),
        ("wait", "waiting ", 2),
        ("wait", "waiting ", 5),
    ] {
        let mut run = Run::start(mpiexec(ranks, &compile(program)));
        run.lines(beginning, ranks);
        std::thread::sleep(Duration::from_micros(random.below(30_000)));
        kill(Pid::from_raw(run.launcher()), Signal::SIGKILL).expect("the launcher runs");
        // Panics when a process stays.
        let outcome = run.finish();
        assert_eq!(outcome.status.signal(), Some(9), "seed {}", random.seed());
    }
}

#[test]
fn a_rank_that_leaves_without_finalize_is_reported() {
    for (code, expected) in [("0", 1), ("7", 7)] {
        let mut command = mpiexec(3, &compile("leave"));
        command.arg(code);
        let outcome = Run::whole(command);
        assert_eq!(outcome.status.code(), Some(expected), "{outcome:?}");
        let said = format!("exited with code {code}");
        assert!(outcome.errors.contains("rank 1 of 3 on "), "{outcome:?}");
        assert!(outcome.errors.contains(&said), "{outcome:?}");
        let finalize = outcome.errors.contains("MPI_Finalize");
        assert_eq!(finalize, code == "0", "{outcome:?}");
    }
}
