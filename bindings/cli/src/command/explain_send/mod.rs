//! `pamir explain-send`: which way a message of a size goes between two ranks of this machine, and why.
//!
//! What: starts a job whose ranks 0 and 1 send each other messages of that size (`sample.rs`), and prints what rank 0's
//! protocol room says of its own: row, profile of the pair, what was tried and learned, and how many went which way.
//! Why: the way depends on the size, the pair's processors, and what the program does with its buffers; users who compare
//! two runs must see which one they measured. `PAMIR_EXPLAIN_SENDS=1` says the same of a running program.
//! Step before: [`super::main`]. Step after: the reader.
//! Invariant: the messages are sent as MPI's are; nothing is worked out here.

mod sample;

use std::process::{Command, Stdio};

use clap::Args;

use crate::command::number::{MOST_RANKS, whole};
use crate::results;

pub use sample::{Arguments as SampleArguments, run as run_sample};

/// Seconds after which a job that hangs is ended.
const TIMEOUT_SECONDS: &str = "60";

/// Messages that each rank sends where the user names no number.
const FEWEST_MESSAGES: u32 = 4;
const MOST_MESSAGES: u32 = 1000;

/// Bytes that these are together, unless they are the fewest.
const SAMPLE_BYTES: usize = 1 << 30;

/// Arguments of `pamir explain-send`.
#[derive(Debug, Args)]
#[command(after_help = "examples:\n  pamir explain-send 64K\n  \
    pamir explain-send 1M --rewritten\n  PAMIR_SEND=rendezvous_copy:4096- pamir explain-send 16K\n\n\
    For a program's own messages: PAMIR_EXPLAIN_SENDS=1 mpiexec -n 4 ./program")]
pub struct Arguments {
    /// Bytes of a message; K, M and G are powers of 1024.
    #[arg(value_name = "SIZE", value_parser = size)]
    bytes: usize,
    /// Ranks of the job; 0 and 1 send.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = whole::<u32>(2..=MOST_RANKS))]
    ranks: u32,
    /// Messages that each of the two sends; without it 1000, or as many as make 1 GiB, and 4 at least.
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    messages: Option<u32>,
    /// The sender writes its whole buffer before each send, and the receiver reads what has come.
    #[arg(long)]
    rewritten: bool,
}

/// Bytes, with K, M or G behind or nothing.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kib" => Some(10),
        "m" | "mib" => Some(20),
        "g" | "gib" => Some(30),
        _ => None,
    };
    let bytes = digits.parse::<usize>().ok().zip(shift);
    bytes
        .and_then(|(number, shift)| number.checked_mul(1 << shift))
        .filter(|bytes| *bytes <= sample::MOST_BYTES)
        .ok_or_else(|| "a size is a number of bytes up to 1G, such as 8, 64K or 1M".to_owned())
}

/// Prints the explanation; returns the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    results::conclude("pamir explain-send", explained(arguments), 1)
}

/// How many messages each sends: as many as are soon sent, unless the user says.
fn messages(arguments: &Arguments) -> u32 {
    let soon = u32::try_from(SAMPLE_BYTES / arguments.bytes.max(1)).unwrap_or(MOST_MESSAGES);
    let soon = soon.clamp(FEWEST_MESSAGES, MOST_MESSAGES);
    arguments.messages.unwrap_or(soon)
}

fn explained(arguments: &Arguments) -> Result<String, Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(program.with_file_name("mpiexec"));
    command
        .args(["-n", &arguments.ranks.to_string()])
        .args(["--timeout", TIMEOUT_SECONDS])
        .arg(&program)
        .arg("send-sample")
        .args([arguments.bytes.to_string(), messages(arguments).to_string()])
        .args(arguments.rewritten.then_some("--rewritten"))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("the job that sends such messages failed: {}", output.status).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_few_unless_the_user_says() {
        let of = |bytes, messages| Arguments {
            bytes,
            ranks: 2,
            messages,
            rewritten: false,
        };
        for (bytes, expected) in [(0, 1000), (64 << 10, 1000), (64 << 20, 16), (1 << 30, 4)] {
            assert_eq!(messages(&of(bytes, None)), expected);
            assert_eq!(messages(&of(bytes, Some(7))), 7);
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("8", 8),
            ("64K", 64 << 10),
            ("64KiB", 64 << 10),
            ("1m", 1 << 20),
            ("1G", 1 << 30),
        ] {
            assert_eq!(size(text), Ok(bytes));
        }
        for text in ["", "K", "1.5K", "-1", "64Q", "2G", "99999999999999999999"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
