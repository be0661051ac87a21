//! Interrupt criteria: what makes the unit move pending descriptors into the FIFO.
//!
//! Before: a descriptor exceeded the threshold, and its FIFO establishes the criterion. After: it
//! is met, the processor is interrupted, and the FIFO is replenished ("Replenishing descriptors
//! in an injection FIFO", interrupt criteria).
//!
//! | criterion | established by | met when | interrupt |
//! |---|---|---|---|
//! | `drained` (none of the document's) | nothing | the engine retires the last descriptor | the engine's own step |
//! | `timer` | a deadline | the period is over | the step of the engine |
//! | `timer-learned` | a deadline made of the history of draining | as above | as above |
//! | `memory-fifo` | a replenish descriptor | its packet reaches the local reception FIFO | the packet handler |
//! | `counted-put` | a replenish descriptor with a dedicated counter | the counter hits zero | hit-zero |
//! | `touching-put:userfaultfd` | a replenish descriptor | a protected page is touched | the page fault |
//! | `touching-put:word` | a replenish descriptor | the notification word is touched | the word |
//! | `touching-put` | a replenish descriptor | as `userfaultfd` where the kernel allows it, else as `word` | |
//!
//! A `counted-put` that finds only the shared counter left, which never reports, is made a
//! `touching-put`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::injection::descriptor::Operation;

/// The longest period that a timer may be set to.
pub const LONGEST_PERIOD: Duration = Duration::from_secs(1);

/// When a FIFO is replenished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// When it has run empty.
    Drained,
    /// When a period is over; without one, when the time is over that draining takes by the fastest
    /// one so far ([`super::timer::Timer::new`]).
    Timer(Option<Duration>),
    /// When the time is over that draining it has taken so far.
    LearnedTimer,
    /// When the packet of a replenish descriptor arrives.
    #[default]
    MemoryFifo,
    /// When the counter of a replenish descriptor hits zero.
    CountedPut,
    /// When a replenish descriptor touches memory.
    TouchingPut(Touch),
}

/// What a touching put touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touch {
    /// Memory that truly interrupts where the kernel gives it, the word elsewhere.
    #[default]
    Automatic,
    /// A notification word, which the engine looks at after each put: it costs nothing, and the kernel cannot refuse it.
    Word,
    /// Memory that truly interrupts ([`crate::injection::touch_notification::TouchNotification`]), which costs two
    /// switches between threads.
    Memory,
}

/// A word that names no criterion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{word:?} is no interrupt criterion: use drained, timer, timer:MICROSECONDS, timer-learned, memory-fifo, counted-put, touching-put, touching-put:userfaultfd or touching-put:word"
)]
pub struct UnknownCriterion {
    word: String,
}

impl FromStr for Criterion {
    type Err = UnknownCriterion;

    fn from_str(word: &str) -> Result<Self, UnknownCriterion> {
        let unknown = || UnknownCriterion {
            word: word.to_owned(),
        };
        Ok(match word {
            "drained" => Self::Drained,
            "timer" => Self::Timer(None),
            "timer-learned" => Self::LearnedTimer,
            "memory-fifo" => Self::MemoryFifo,
            "counted-put" => Self::CountedPut,
            "touching-put" => Self::TouchingPut(Touch::Automatic),
            "touching-put:word" => Self::TouchingPut(Touch::Word),
            "touching-put:userfaultfd" => Self::TouchingPut(Touch::Memory),
            other => {
                let period = other.strip_prefix("timer:").and_then(microseconds);
                Self::Timer(Some(period.ok_or_else(unknown)?))
            }
        })
    }
}

/// A period in microseconds, which may have decimal places.
fn microseconds(text: &str) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    let longest = LONGEST_PERIOD.as_secs_f64() * 1e6;
    let period = (0.0..=longest).contains(&number);
    period.then(|| Duration::from_nanos((number * 1e3).round() as u64))
}

/// As [`Criterion::from_str`] reads it.
impl fmt::Display for Criterion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Drained => "drained",
            Self::Timer(None) => "timer",
            Self::Timer(Some(period)) => {
                let microseconds = period.as_nanos() as f64 / 1e3;
                return write!(formatter, "timer:{microseconds}");
            }
            Self::LearnedTimer => "timer-learned",
            Self::MemoryFifo => "memory-fifo",
            Self::CountedPut => "counted-put",
            Self::TouchingPut(Touch::Automatic) => "touching-put",
            Self::TouchingPut(Touch::Word) => "touching-put:word",
            Self::TouchingPut(Touch::Memory) => "touching-put:userfaultfd",
        };
        formatter.write_str(word)
    }
}

impl Criterion {
    /// Each kind, with the period that it has by itself; touching memory that the kernel may
    /// refuse is left out.
    pub const ALL: [Self; 6] = [
        Self::Drained,
        Self::Timer(None),
        Self::LearnedTimer,
        Self::MemoryFifo,
        Self::CountedPut,
        Self::TouchingPut(Touch::Word),
    ];

    /// How its replenish descriptor moves its word; none if it has no such descriptor.
    pub fn operation(self) -> Option<Operation> {
        match self {
            Self::MemoryFifo => Some(Operation::MemoryFifo),
            Self::CountedPut | Self::TouchingPut(_) => Some(Operation::DirectPut),
            Self::Drained | Self::Timer(_) | Self::LearnedTimer => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_criteria() {
        for (word, criterion) in [
            ("drained", Criterion::Drained),
            ("timer", Criterion::Timer(None)),
            ("timer:7", Criterion::Timer(Some(Duration::from_micros(7)))),
            (
                "timer:0.25",
                Criterion::Timer(Some(Duration::from_nanos(250))),
            ),
            ("timer-learned", Criterion::LearnedTimer),
            ("memory-fifo", Criterion::MemoryFifo),
            ("counted-put", Criterion::CountedPut),
            ("touching-put", Criterion::TouchingPut(Touch::Automatic)),
            ("touching-put:word", Criterion::TouchingPut(Touch::Word)),
            (
                "touching-put:userfaultfd",
                Criterion::TouchingPut(Touch::Memory),
            ),
        ] {
            assert_eq!(word.parse(), Ok(criterion));
            assert_eq!(criterion.to_string(), word);
        }
        for word in [
            "",
            "timer:",
            "timer:soon",
            "timer:-1",
            "timer:inf",
            "Drained",
            "put",
        ] {
            let refused = Criterion::from_str(word).unwrap_err();
            assert!(refused.to_string().contains("memory-fifo"), "{refused}");
        }
    }
}
