//! Large messages through the kernel: whoever is not in a call is not needed, and nobody waits for who waits.

use pamir_tests::installation::compile;
use pamir_tests::run::{Outcome, Run, mpiexec};

/// Runs `absent` in a mode; the ranks tell each other through a file, which MPI knows nothing of.
fn absent(test: &str, mode: &str, settings: &[(&str, &str)]) -> Outcome {
    let directory =
        std::env::temp_dir().join(format!("pamir-{}-absent-{test}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let mut command = mpiexec(2, &compile("absent"));
    command.arg(mode).arg(&directory);
    command.envs(settings.iter().copied());
    let outcome = Run::whole(command);
    std::fs::remove_dir_all(&directory).expect("the directory is still there");
    outcome
}

fn assert_right(outcome: &Outcome, mode: &str) {
    let right = format!("right {mode} ");
    let lines = outcome.success().lines();
    assert_eq!(
        lines.filter(|line| line.starts_with(&right)).count(),
        5,
        "{outcome:?}"
    );
}

#[test]
fn a_send_goes_on_while_its_origin_calls_nothing() {
    assert_right(&absent("send", "origin", &[]), "origin");
}

#[test]
fn a_receive_goes_on_while_its_target_calls_nothing() {
    // Two processors are taken for granted: with one, the target copies alone.
    if std::thread::available_parallelism().map_or(1, usize::from) > 1 {
        assert_right(&absent("receive", "target", &[]), "target");
    }
}

#[test]
fn a_send_goes_on_with_an_engine_thread_too() {
    let settings = [("PAMIR_ENGINE", "thread")];
    assert_right(&absent("send_with_engine", "origin", &settings), "origin");
}

#[test]
fn ranks_that_send_to_each_other_before_they_receive_go_on() {
    for settings in [&[][..], &[("PAMIR_NO_KERNEL_COPY", "1")]] {
        let mut command = mpiexec(2, &compile("head_to_head"));
        command.envs(settings.iter().copied());
        let outcome = Run::whole(command);
        let lines = outcome.success().lines();
        let right = lines.filter(|line| line.starts_with("right ")).count();
        assert_eq!(right, 10, "{outcome:?}");
    }
}
