//! `mpiexec --shared-heap`: unmodified programs whose large blocks their peers map, with realloc,
//! threads and fork; without the option nothing is mapped.

use std::process::Command;

use pamir_tests::installation;
use pamir_tests::run::Run;

/// The output of each of `ranks` ranks.
fn lines(options: &[&str], ranks: usize) -> Vec<String> {
    let mut command = Command::new(installation::command("mpiexec"));
    command.args(options).args(["-n", &ranks.to_string()]);
    command.arg(installation::compile("shared_heap"));
    // The kernel's copies are what the heap replaces: all but short messages go that way here.
    command.env("PAMIR_SEND", "rendezvous_copy:16K-");
    let outcome = Run::whole(command);
    outcome.success().lines().map(str::to_string).collect()
}

#[test]
fn peers_map_each_others_heaps() {
    for ranks in [2, 3] {
        let found = lines(&["--shared-heap"], ranks);
        assert_eq!(found.len(), ranks, "{found:?}");
        assert!(found.iter().all(|line| line == "mapped 1"), "{found:?}");
    }
}

#[test]
fn nothing_is_mapped_unless_asked_for() {
    let found = lines(&[], 2);
    assert!(found.iter().all(|line| line == "mapped -1"), "{found:?}");
}
