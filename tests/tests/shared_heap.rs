//! `mpiexec --shared-heap`: unmodified programs whose large blocks their peers map, with realloc,
//! threads and fork; without the option nothing is mapped.

use std::path::Path;
use std::process::Command;

use pamir_tests::installation;
use pamir_tests::run::{Outcome, Run};

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

/// A run of two ranks with the heap.
fn with_heap(option: Option<&str>, program: &Path, argument: Option<&str>) -> Outcome {
    let mut command = Command::new(installation::command("mpiexec"));
    command.arg("--shared-heap").args(option).args(["-n", "2"]);
    command.arg(program).args(argument);
    Run::whole(command)
}

#[test]
fn handlers_of_a_fork_may_use_memory() {
    let program = installation::compile("fork_handlers");
    for place in ["before", "parent", "child"] {
        let outcome = with_heap(None, &program, Some(place));
        assert_eq!(outcome.success(), "right\nright\n", "{place}");
    }
}

/// In one test, since both programs have one name.
#[test]
fn blocks_are_the_heaps_or_those_of_another_malloc_that_the_program_has() {
    let note = "has no effect: the program has another malloc";
    let program = installation::compile("grows");
    let outcome = with_heap(Some("-v"), &program, None);
    assert!(outcome.success().contains("right"), "{outcome:?}");
    assert!(!outcome.errors.contains(note), "{outcome:?}");
    let library = ["-shared", "-fPIC", "-fno-builtin"];
    let library = installation::compile_from("tests/programs", "own_malloc", &library);
    let library = library.to_str().expect("a path in UTF-8");
    let linked = ["-Wl,--no-as-needed", library];
    let program = installation::compile_from("tests/programs", "grows", &linked);
    for (option, says) in [(None, false), (Some("-v"), true)] {
        let outcome = with_heap(option, &program, None);
        assert!(outcome.success().contains("right"), "{outcome:?}");
        assert_eq!(outcome.errors.contains(note), says, "{outcome:?}");
    }
}
