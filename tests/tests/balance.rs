//! Balancing in running jobs: announced synchronisations.

use pamir_tests::installation::compile;
use pamir_tests::run::{Run, mpiexec};

fn announced(ranks: usize, how: &str, variable: Option<&str>) -> String {
    let mut command = mpiexec(ranks, &compile("announced"));
    command.arg(how);
    command.env_remove("PAMIR_BALANCE");
    if let Some(kinds) = variable {
        command.env("PAMIR_BALANCE", kinds);
    }
    Run::whole(command).success().to_owned()
}

#[test]
fn announced_calls_make_one_history_at_all_ranks() {
    for (how, kinds) in [
        ("sync", None),
        ("barrier", Some("barrier")),
        ("allreduce", Some("allreduce")),
    ] {
        for ranks in [1, 2, 4, 5] {
            assert_eq!(announced(ranks, how, kinds), format!("announced {ranks}\n"));
        }
    }
}

#[test]
fn calls_that_nobody_asked_about_announce_nothing() {
    assert_eq!(announced(2, "none", None), "announced 2\n");
    assert_eq!(announced(2, "none", Some("allreduce")), "announced 2\n");
}

#[test]
fn a_variable_that_makes_no_sense_is_refused() {
    let mut command = mpiexec(2, &compile("announced"));
    command.env("PAMIR_BALANCE", "bcast");
    let outcome = Run::whole(command);
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(
        outcome.errors.contains("PAMIR_BALANCE names \"bcast\""),
        "{outcome:?}"
    );
}
