//! Counts what this task sends to each other one, by portion of the run.
//!
//! What: messages and bytes of every tagged message, those of collective operations included, for
//! each target. Counting is off unless a profile is asked for ([`Context::count_traffic`]); then
//! short messages take the general way too. When it is off, it costs a look at a null pointer on
//! that way, and nothing at all on the way of short messages.
//! Why portions: a program that sets up for long and then iterates has two patterns, of which one
//! matters. `MPI_Pcontrol` names them by numbers.
//!
//! ```text
//!  send ─▶ Context::send, start_send ─▶ count ─▶ at MPI_Finalize: text for the profile's file
//! ```
//!
//! Step before: [`super::send`]. Step after: [`crate::placement::format::communication`].
//! Invariant: a message is counted once, by its origin, when it is started.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;

use crate::context::Context;
use crate::placement::Traffic;

/// The variable with the file's name, which `mpiexec --profile-comm` sets.
pub const FILE_VARIABLE: &str = "PAMIR_PROFILE_COMM";

/// What has been sent, by portion and target.
#[derive(Debug)]
pub struct TrafficCounter {
    targets: usize,
    /// Whether messages count at the moment.
    on: Cell<bool>,
    /// The portion that messages count for.
    current: Cell<usize>,
    portions: RefCell<Vec<Portion>>,
}

#[derive(Debug)]
struct Portion {
    level: i32,
    by_target: Vec<Traffic>,
}

/// The portion that begins with the run.
const FIRST_LEVEL: i32 = 1;

impl TrafficCounter {
    fn new(targets: usize) -> TrafficCounter {
        let counter = TrafficCounter {
            targets,
            on: Cell::new(true),
            current: Cell::new(0),
            portions: RefCell::default(),
        };
        counter.enter(FIRST_LEVEL);
        counter
    }

    /// Begins, or goes on with, a portion: 0 stops counting, 1 is the run as such, and every other
    /// number is a portion of its own.
    pub fn enter(&self, level: i32) {
        self.on.set(level != 0);
        if level == 0 {
            return;
        }
        let mut portions = self.portions.borrow_mut();
        let known = portions.iter().position(|portion| portion.level == level);
        self.current.set(known.unwrap_or(portions.len()));
        if known.is_none() {
            portions.push(Portion {
                level,
                by_target: vec![Traffic::default(); self.targets],
            });
        }
    }

    #[cold]
    fn count(&self, target: usize, bytes: usize) {
        if self.on.get() {
            let mut portions = self.portions.borrow_mut();
            let traffic = &mut portions[self.current.get()].by_target[target];
            traffic.messages += 1;
            traffic.bytes += bytes as u64;
        }
    }

    /// The lines of this task in a profile's file; empty if it has sent nothing.
    pub fn to_text(&self, origin: usize) -> String {
        let mut text = String::new();
        for portion in self.portions.borrow().iter() {
            let sent = portion.by_target.iter().enumerate();
            let mut sent = sent.filter(|(_, traffic)| traffic.messages > 0).peekable();
            if sent.peek().is_some() {
                match portion.level {
                    FIRST_LEVEL => text.push_str("portion run\n"),
                    level => {
                        let _ = writeln!(text, "portion level {level}");
                    }
                }
            }
            for (target, traffic) in sent {
                let Traffic { messages, bytes } = traffic;
                let _ = writeln!(text, "{origin} {target} {messages} {bytes}");
            }
        }
        text
    }
}

impl Context {
    /// Counts what is sent from now on.
    pub fn count_traffic(&self) {
        let _ = self
            .traffic
            .set(Box::new(TrafficCounter::new(self.tasks())));
    }

    /// What has been counted, if anything is.
    pub fn traffic(&self) -> Option<&TrafficCounter> {
        self.traffic.get().map(|counter| &**counter)
    }

    /// Counts a message, if messages are counted.
    #[inline(always)]
    pub(super) fn count_message(&self, target: usize, bytes: usize) {
        if let Some(counter) = self.traffic.get() {
            counter.count(target, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::format::communication::Portions;

    #[test]
    fn portions_are_counted_apart_and_read_again() {
        let counter = TrafficCounter::new(3);
        counter.count(1, 8);
        counter.enter(5);
        counter.count(1, 100);
        counter.count(2, 50);
        counter.enter(0);
        counter.count(2, 999);
        counter.enter(1);
        counter.count(1, 4);
        let text = format!(
            "ranks 3\n{}{}",
            counter.to_text(0),
            TrafficCounter::new(3).to_text(1)
        );
        let portions = Portions::from_text(&text, "f").unwrap();
        let traffic = |name, target| portions.graph(Some(name)).unwrap().traffic(0, target);
        assert_eq!(
            traffic("run", 1),
            Traffic {
                messages: 2,
                bytes: 12
            }
        );
        assert_eq!(
            traffic("level 5", 1),
            Traffic {
                messages: 1,
                bytes: 100
            }
        );
        assert_eq!(traffic("level 5", 2).bytes, 50);
        assert_eq!(portions.graph(None).unwrap().total().bytes, 162);
    }
}
