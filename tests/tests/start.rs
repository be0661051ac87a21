//! Starting: many ranks, no launcher, closed descriptors, tools in front of the library.

use std::process::Command;
use std::time::Instant;

use pamir_tests::installation::compile;
use pamir_tests::run::{Run, mpiexec};

#[test]
fn sixty_four_ranks_start_meet_and_end() {
    let program = compile("barrier");
    let begin = Instant::now();
    let outcome = Run::whole(mpiexec(64, &program));
    assert_eq!(outcome.success(), "met 64\n");
    println!("64 ranks: {:?}", outcome.ended.duration_since(begin));
}

#[test]
fn a_program_without_a_launcher_is_one_rank() {
    let outcome = Run::whole(Command::new(compile("barrier")));
    assert_eq!(outcome.success(), "met 1\n");
}

#[test]
fn a_program_that_closes_its_descriptors_still_finds_the_job() {
    let outcome = Run::whole(mpiexec(3, &compile("closed")));
    assert_eq!(outcome.success(), "met 3\n");
}

#[test]
fn a_tool_may_stand_before_the_library() {
    let outcome = Run::whole(mpiexec(2, &compile("interposed")));
    assert_eq!(outcome.success(), "sent 5\n");
}

#[test]
fn more_ranks_than_cores_get_on() {
    let mut command = mpiexec(8, &compile("barrier"));
    command.arg("2000");
    assert_eq!(Run::whole(command).success(), "met 8\n");
    let mut command = mpiexec(8, &compile("sum"));
    command.arg("1000");
    assert_eq!(Run::whole(command).success(), "summed 8\n");
}
