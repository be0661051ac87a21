//! Programs that poll: who shares a processor lets the others have it, who has one makes no system call.
//!
//! A filter in the polling rank catches its system calls, so nothing here depends on time.

use std::process::Command;

use pamir_driver::topology::Machine;
use pamir_tests::installation::{command, compile};
use pamir_tests::run::Run;

/// The kinds of polling of `polling.c`; the last one computes between its polls.
const KINDS: [&str; 9] = [
    "Test",
    "Testall",
    "Testany",
    "Testsome",
    "Iprobe",
    "Improbe",
    "Request_get_status",
    "Request_get_status_all",
    "work",
];

/// One line a kind, with what it did.
fn told(deed: impl Fn(&str) -> &'static str) -> String {
    KINDS
        .map(|kind| format!("{kind} {}\n", deed(kind)))
        .concat()
}

/// `polling` with so many ranks on one processor.
fn on_one_processor(ranks: &str) -> Command {
    let machine = Machine::from_sysfs().expect("this machine");
    let first = machine.allowed().into_iter().next().expect("a processor");
    let mut run = Command::new("taskset");
    run.args(["-c", &first.to_string()]);
    run.arg(command("mpiexec")).args(["-n", ranks]);
    run.arg(compile("polling"));
    run
}

#[test]
fn who_has_a_processor_alone_makes_no_system_call_while_it_polls() {
    let outcome = Run::whole(on_one_processor("1"));
    assert_eq!(outcome.success(), told(|_| "none"));
}

#[test]
fn who_shares_a_processor_yields_while_it_does_nothing_but_poll() {
    for ranks in ["2", "3"] {
        let outcome = Run::whole(on_one_processor(ranks));
        let deed = |kind: &str| if kind == "work" { "none" } else { "yields" };
        assert_eq!(outcome.success(), told(deed), "{ranks} ranks");
    }
}
