//! The engine's thread: what goes on while a program computes.

use pamir_tests::installation::compile;
use pamir_tests::run::{Run, mpiexec};

#[test]
fn a_large_transfer_goes_on_while_both_ranks_compute() {
    let mut command = mpiexec(2, &compile("overlap"));
    command.env("PAMIR_ENGINE", "thread");
    let outcome = Run::whole(command);
    let lines: Vec<&str> = outcome.success().lines().collect();
    assert_eq!(lines.len(), 2, "{outcome:?}");
    for line in lines {
        println!("{line}");
        let numbers: Vec<f64> = line
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let [_rank, waited, total] = numbers[..] else {
            panic!("not what the program prints: {line}");
        };
        // Without the thread nothing moves while a rank computes, and the wait takes it all.
        assert!(waited < total / 4.0, "{line}");
    }
}
