//! Layouts: a library refuses a job whose shared memory it does not understand.

use std::os::fd::AsRawFd;
use std::process::Command;

use pamir_driver::job::{Job, JobSpecification};
use pamir_shm::atomic::{AtomicU64, Ordering};
use pamir_shm::segment::header::LAYOUT_VERSION;
use pamir_shm::segment::offset::Offset;
use pamir_tests::installation::compile;
use pamir_tests::run::{Outcome, Run};

/// Where a segment's header has these words, in bytes from its start.
const MAGIC: Offset<AtomicU64> = Offset::new(0);
const VERSION: Offset<AtomicU64> = Offset::new(8);

fn job() -> Job {
    Job::create(&JobSpecification::unbound(1)).expect("a job of one rank can be made")
}

/// Runs a program as the one rank of a job whose launcher is this test.
fn run_in(job: &Job) -> Outcome {
    let mut command = Command::new(compile("barrier"));
    command
        .env("PAMIR_RANK", "0")
        .env("PAMIR_SIZE", "1")
        .env("PAMIR_LAUNCHER", std::process::id().to_string())
        // Not inherited: the rank finds it under /proc, since this process is the launcher.
        .env(
            "PAMIR_JOB_FD",
            job.file_descriptor().as_raw_fd().to_string(),
        );
    Run::whole(command)
}

fn write(job: &Job, word: Offset<AtomicU64>, value: u64) {
    let header = job.segment().get(word).expect("a segment has a header");
    header.store(value, Ordering::Release);
}

fn refused(job: &Job, reason: &[&str]) {
    let outcome = run_in(job);
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(!outcome.output.contains("met"), "{outcome:?}");
    for part in reason {
        assert!(outcome.errors.contains(part), "{part:?}? {outcome:?}");
    }
}

#[test]
fn the_layout_of_this_build_is_accepted() {
    assert_eq!(run_in(&job()).success(), "met 1\n");
}

#[test]
fn another_layout_is_refused_with_both_versions() {
    let job = job();
    write(&job, VERSION, LAYOUT_VERSION + 3);
    refused(
        &job,
        &[
            &format!("layout version {}", LAYOUT_VERSION + 3),
            &format!("reads version {LAYOUT_VERSION}"),
            "mpiexec",
        ],
    );
}

#[test]
fn a_segment_of_somebody_else_is_refused() {
    let job = job();
    write(&job, MAGIC, 0x1234);
    refused(&job, &["0x1234", "not made by Pamir"]);
}
