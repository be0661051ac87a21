//! Memory: what a rank takes for itself.

use pamir_tests::installation::compile;
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
