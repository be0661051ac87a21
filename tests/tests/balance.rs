//! Balancing in running jobs: announced synchronisations, and partitions that move.

use std::process::Command;

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

fn balanced(ranks: usize, arguments: &[&str]) -> Command {
    let mut command = mpiexec(ranks, &compile("balanced"));
    // Ranks that sleep for their items have no processor time to be compared by.
    command.args(arguments).env_remove("PAMIR_BALANCE_POLICY");
    command
}

#[test]
fn a_slow_rank_gives_items_and_none_is_lost() {
    for (ranks, arguments) in [
        (1, &["clock=monotonic"][..]),
        (2, &["balanced clock=monotonic"]),
        (4, &["balanced clock=monotonic"]),
        (3, &["document clock=monotonic", "given"]),
        (2, &["shares=even clock=monotonic", "weights"]),
        (4, &["receivers=2 givers=1 clock=monotonic", "block"]),
        (3, &["clock=monotonic", "weigh"]),
        (4, &["clock=monotonic", "halves"]),
    ] {
        let outcome = Run::whole(balanced(ranks, arguments));
        let members = if arguments.contains(&"halves") {
            ranks / 2
        } else {
            ranks
        };
        let moved = if ranks == 1 { "stayed" } else { "moved" };
        let expected = format!("balanced {members} {moved}\n");
        assert_eq!(outcome.success(), expected, "{arguments:?}");
    }
}

#[test]
fn nothing_moves_where_nothing_should() {
    for policy in ["static", "least-ns=3600000000000 clock=monotonic"] {
        let outcome = Run::whole(balanced(2, &[policy]));
        assert_eq!(outcome.success(), "balanced 2 stayed\n", "{policy}");
    }
}

#[test]
fn data_moves_in_packets_where_the_kernel_does_not_copy() {
    let mut command = balanced(2, &["clock=monotonic"]);
    command.env("PAMIR_NO_KERNEL_COPY", "1");
    assert_eq!(Run::whole(command).success(), "balanced 2 moved\n");
}

#[test]
fn wrong_arguments_are_refused_with_their_class() {
    let outcome = Run::whole(mpiexec(2, &compile("balanced_wrong")));
    assert_eq!(outcome.success(), "refused\nrefused\n");
}

#[test]
fn the_environment_gives_a_policy_to_a_program_that_names_none() {
    let mut command = balanced(2, &[]);
    command.env("PAMIR_BALANCE_POLICY", "static");
    assert_eq!(Run::whole(command).success(), "balanced 2 stayed\n");
}

#[test]
fn a_rank_that_is_killed_in_a_cycle_ends_the_job() {
    let outcome = Run::whole(balanced(4, &["clock=monotonic", "kill"]));
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(outcome.errors.contains("SIGKILL"), "{outcome:?}");
}

#[test]
fn tasks_of_slow_ranks_become_smaller_and_every_part_is_done_once() {
    for (ranks, arguments, share) in [
        (1, &["1"][..], "equal"),
        (2, &["1"], "smaller"),
        (3, &["2"], "smaller"),
        (2, &["0"], "equal"),
        (2, &["0", "request"], "smaller"),
    ] {
        let mut command = mpiexec(ranks, &compile("leveled"));
        command.args(arguments);
        let expected = format!("leveled {ranks} {share}\n");
        assert_eq!(Run::whole(command).success(), expected, "{arguments:?}");
    }
}
