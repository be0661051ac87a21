//! Memory: what a rank takes for itself.

use std::process::Command;

use pamir_tests::installation::{self, compile};
use pamir_tests::run::{Run, mpiexec};

/// A rank of two may have this much memory that it shares with nobody, in bytes.
const PRIVATE_BYTES: u64 = 4 << 20;

#[test]
fn a_rank_has_little_memory_of_its_own() {
    let outcome = Run::whole(mpiexec(2, &compile("memory")));
    let lines: Vec<&str> = outcome.success().lines().collect();
    assert_eq!(lines.len(), 2, "{outcome:?}");
    for line in lines {
        let bytes = line.rsplit(' ').next().map(str::parse::<u64>);
        let Some(Ok(bytes)) = bytes else {
            panic!("no number of bytes: {line}");
        };
        println!("{line}");
        assert!(bytes > 0 && bytes < PRIVATE_BYTES, "{line}");
    }
}

/// What each of two ranks says of its heap, and of the settings that it was given.
fn heaps(option: Option<&str>, given: Option<&str>) -> Vec<(String, String)> {
    let mut command = Command::new(installation::command("mpiexec"));
    command
        .args(option)
        .args(["-n", "2"])
        .arg(compile("huge_pages"));
    match given {
        Some(settings) => command.env(SETTINGS, settings),
        None => command.env_remove(SETTINGS),
    };
    let outcome = Run::whole(command);
    let lines = outcome.success().lines();
    let words = lines.filter_map(|line| line.split_once(' ')?.1.split_once(' '));
    let heaps: Vec<_> = words
        .map(|(heap, settings)| (heap.to_string(), settings.to_string()))
        .collect();
    assert_eq!(heaps.len(), 2, "{outcome:?}");
    heaps
}

/// The variable of the C library.
const SETTINGS: &str = "GLIBC_TUNABLES";

#[test]
fn large_blocks_begin_where_huge_pages_do() {
    for given in [None, Some("glibc.cpu.x86_shstk=off")] {
        for (heap, settings) in heaps(None, given) {
            assert_eq!(heap, "aligned", "{settings}");
            assert!(settings.starts_with(given.unwrap_or("glibc.malloc")));
            assert!(settings.contains("glibc.malloc.hugetlb=1"), "{settings}");
        }
    }
}

#[test]
fn who_wants_no_huge_pages_or_has_settings_of_the_allocator_is_left_alone() {
    for (_, settings) in heaps(Some("--no-huge-pages"), None) {
        assert_eq!(settings, "none");
    }
    let given = "glibc.malloc.hugetlb=0";
    for (_, settings) in heaps(None, Some(given)) {
        assert_eq!(settings, given);
    }
}
