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

/// What a rank says of its memory after large messages, in KiB.
#[derive(Debug)]
struct Pages {
    huge: u64,
    before: u64,
    after: u64,
    settings: String,
}

/// What each of two ranks says, the sender first.
fn pages(option: Option<&str>) -> Vec<Pages> {
    let mut command = Command::new(installation::command("mpiexec"));
    command
        .args(option)
        .args(["-n", "2"])
        .arg(compile("huge_pages"))
        .env_remove("GLIBC_TUNABLES")
        // The kernel copies, whatever the machine's tables say.
        .env("PAMIR_SEND", "rendezvous_copy:16K-");
    let outcome = Run::whole(command);
    let mut lines: Vec<Vec<&str>> = outcome
        .success()
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 2, "{outcome:?}");
    let number = |text: &str| text.parse().expect("a number of KiB");
    let pages = lines.iter().map(|words| Pages {
        huge: number(words[2]),
        before: number(words[4]),
        after: number(words[6]),
        settings: words[8].to_string(),
    });
    pages.collect()
}

/// Whether the kernel collapses pages on request: since Linux 6.1, and unless huge pages are never given.
fn collapses() -> bool {
    let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let release = (numbers.next(), numbers.next());
    setting.is_ok_and(|setting| !setting.contains("[never]")) && release >= (Some(6), Some(1))
}

#[test]
fn buffers_of_many_large_messages_get_huge_pages_and_hardly_more_memory() {
    let pages = pages(None);
    for rank in &pages {
        assert_eq!(rank.settings, "none");
        assert!(rank.after < rank.before + 2048, "{rank:?}");
    }
    assert!(!collapses() || pages[0].huge >= 2048, "{pages:?}");
}

#[test]
fn who_wants_no_huge_pages_has_none() {
    let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    if setting.is_ok_and(|setting| setting.contains("[always]")) {
        return; // The system gives them to everybody.
    }
    for rank in pages(Some("--no-huge-pages")) {
        assert_eq!(rank.huge, 0, "{rank:?}");
    }
}

/// For each of two ranks, KiB of shared memory in a core: while it has two blocks of 4 MiB and one of 512, and without
/// that one.
fn shared_in_cores(option: Option<&str>) -> Vec<[u64; 2]> {
    let mut command = Command::new(installation::command("mpiexec"));
    command.args(option).args(["-n", "2"]).arg(compile("core"));
    let outcome = Run::whole(command);
    let lines = outcome.success().lines();
    let numbers = lines.map(|line| {
        let mut words = line.split(' ').skip(1);
        [(); 2].map(|()| {
            words
                .next()
                .and_then(|word| word.parse().ok())
                .expect("KiB")
        })
    });
    let numbers: Vec<_> = numbers.collect();
    assert_eq!(numbers.len(), 2, "{outcome:?}");
    numbers
}

#[test]
fn a_core_has_nothing_that_all_ranks_share() {
    for [with, without] in shared_in_cores(None) {
        assert_eq!((with, without), (0, 0));
    }
}

#[test]
fn a_core_has_of_the_shared_heap_what_the_program_has() {
    // The ends of what is in use lie within chunks, of which the whole heap has a few thousand.
    let more = (16 << 10) + memory_kib() / 512;
    for [with, without] in shared_in_cores(Some("--shared-heap")) {
        let blocks = 8 << 10;
        assert!((blocks..blocks + more).contains(&without), "{without} KiB");
        let all = blocks + (512 << 10);
        assert!((all..all + more).contains(&with), "{with} KiB");
    }
}

/// The machine's memory, which the heap is as long as.
fn memory_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").expect("Linux has it");
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let number = total.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.expect("its first line")
}
