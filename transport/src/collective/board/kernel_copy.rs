//! When members read each other's memory through the kernel, since that is the faster way.
//!
//! Before: an algorithm `measured` or `read` of a kind. After: `offers.rs` carries the operation out.
//!
//! On a board each byte is copied twice: into a slot, and out of it. Through the kernel it is copied once, and what
//! its owner has not written since it was read last still lies in the reader's cache; but each copy costs a call
//! and a walk through page tables. Near processors are better off with the board (16 KiB and
//! less even far ones), far ones with the kernel. So members measure, by kind and size:
//!
//! ```text
//! round 0   offer: where my data lies ──▶ everybody reads what it needs
//! round 1.. meet: I have read, and could ──▶ nobody changes what is still being read
//!                 and this is how long I have taken each way: all take the faster from now on
//! ```
//!
//! Which way the next operation takes depends on what all members have seen in the meetings, and on how many
//! operations there were; it is decided when it is the operation's turn on the board. So all take the same.
//!
//! If a copy is refused anywhere, all learn that in the meeting, post their data instead, and read no more on this
//! board.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::protocol::chooser::{self, RUN, Schedule, Told, takes_other};

/// The kinds that have this choice.
#[derive(Debug, Clone, Copy)]
pub(in crate::collective) enum Kind {
    Allgather,
    Allreduce,
    Alltoall,
    /// In the background, where messages are the other way instead of posts.
    AllgatherBehind,
    AlltoallBehind,
}

const KINDS: usize = Kind::AlltoallBehind as usize + 1;

/// What an operation may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::collective) enum Ways {
    /// Members read, whatever was measured.
    Read,
    /// They do not.
    Post,
    /// They do what was measured to be faster.
    Measured,
}

/// Classes of lengths: those of the same number of binary digits, between these.
const LENGTHS: [u32; 2] = [13, 24];

const CLASSES: usize = (LENGTHS[1] - LENGTHS[0] + 1) as usize;

/// What is known of operations of one kind and about the same length.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plan {
    /// All members follow the same words, so it is the same at each.
    schedule: Schedule,
    /// What the operation before did.
    has_read: bool,
    /// Nanoseconds a byte at this member; 0: not measured.
    posted: f32,
    read: f32,
}

impl Plan {
    /// What this member has measured, as the word of its post in a meeting.
    pub(super) fn word(&self) -> usize {
        (u64::from(self.posted.to_bits()) << 32 | u64::from(self.read.to_bits())) as usize
    }

    /// An operation took so long. Who came last may have waited for nobody, and who came first for all: the
    /// mean counts, but for what something else has held up.
    fn note(&mut self, took: f32, read: bool) {
        let known = if read {
            &mut self.read
        } else {
            &mut self.posted
        };
        if *known == 0.0 {
            *known = took;
        }
        *known += (took.min(2.0 * *known) - *known) / 4.0;
    }

    /// Agrees on the faster way for all members together by their words.
    pub(super) fn agree(&mut self, words: impl Iterator<Item = usize>) {
        let (mut posted, mut read) = (0.0, 0.0);
        for word in words {
            let measured = [word as u64 >> 32, word as u64].map(|bits| f32::from_bits(bits as u32));
            if measured.contains(&0.0) {
                return;
            }
            posted += measured[0];
            read += measured[1];
        }
        let reads = takes_other(self.reads(), posted, read);
        self.schedule.follow(Told {
            way: u8::from(reads),
            again: false,
        });
    }

    /// Whether the next operation reads, and whether it is timed.
    fn follow_schedule(&mut self) -> (bool, bool) {
        if self.schedule.begins_run() == Some(1) {
            // The first posts of a board have waited for its memory.
            self.posted = 0.0;
        }
        let next = self.schedule.next(2, RUN);
        (next.way == 1, next.timed.is_some())
    }

    /// Whether all have agreed on copying by the kernel.
    fn reads(&self) -> bool {
        self.schedule.preferred() == 1
    }
}

/// What a board's members know of copying by the kernel.
#[derive(Debug, Default)]
pub(in crate::collective) struct KernelCopies {
    plans: [[Cell<Plan>; CLASSES]; KINDS],
    /// The kernel has refused, as all have learnt.
    refused: Cell<bool>,
}

/// The way of one operation.
#[derive(Debug)]
pub(in crate::collective) struct Choice<'b> {
    pub(super) plan: &'b Cell<Plan>,
    pub(super) refused: &'b Cell<bool>,
    bytes: usize,
    /// Whether members read.
    pub(in crate::collective) reads: bool,
    /// When it began, if that counts.
    pub(super) begin: Option<Instant>,
}

fn class(bytes: usize) -> usize {
    chooser::class(bytes, LENGTHS)
}

impl KernelCopies {
    /// The way of the operation whose turn it is.
    pub(super) fn choose(&self, kind: Kind, bytes: usize, ways: Ways) -> Choice<'_> {
        let (next, choice) = self.next(kind, bytes, ways);
        choice.plan.set(next);
        choice
    }

    /// The way of a blocking operation whose turn it is, if that is to post; else nothing is chosen.
    pub(in crate::collective) fn choose_posts(
        &self,
        kind: Kind,
        bytes: usize,
    ) -> Option<Choice<'_>> {
        let (next, choice) = self.next(kind, bytes, Ways::Measured);
        if choice.reads {
            return None;
        }
        choice.plan.set(next);
        Some(choice)
    }

    /// What the next operation does, and what is known from then on.
    fn next(&self, kind: Kind, bytes: usize, ways: Ways) -> (Plan, Choice<'_>) {
        let plan = &self.plans[kind as usize][class(bytes)];
        let mut next = plan.get();
        let has_choice = ways == Ways::Measured && !self.refused.get();
        let (reads, is_timed) = if has_choice {
            next.follow_schedule()
        } else {
            (ways == Ways::Read, false)
        };
        // The first one by a way finds nothing in the caches.
        let counts = is_timed && reads == next.has_read;
        next.has_read = reads;
        let choice = Choice {
            plan,
            refused: &self.refused,
            bytes: bytes.max(1),
            reads,
            begin: counts.then(Instant::now),
        };
        (next, choice)
    }
}

impl Choice<'_> {
    /// The blocking operation is done, by the way that was chosen.
    pub(in crate::collective) fn end(&self) {
        if let Some(begin) = self.begin {
            self.note(begin.elapsed());
        }
    }

    pub(super) fn note(&self, took: Duration) {
        let mut plan = self.plan.get();
        plan.note(took.as_nanos() as f32 / self.bytes as f32, self.reads);
        self.plan.set(plan);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_agree_on_what_is_faster_for_all_together() {
        let members = [KernelCopies::default(), KernelCopies::default()];
        for operation in 0..1200 {
            let choices =
                [0, 1].map(|rank| members[rank].choose(Kind::Alltoall, 1 << 16, Ways::Measured));
            assert_eq!(choices[0].reads, choices[1].reads, "operation {operation}");
            let (posted, read) = if operation < 600 {
                (2.0, 1.0)
            } else {
                (1.0, 4.0)
            };
            // The second member alone would always post.
            for (choice, of) in choices.iter().zip([[2.5 * posted, read], [1.0, 1.1]]) {
                let mut known = choice.plan.get();
                [known.posted, known.read] = of;
                choice.plan.set(known);
            }
            if choices[0].reads {
                let words = || choices.iter().map(|choice| choice.plan.get().word());
                for choice in &choices {
                    let mut plan = choice.plan.get();
                    plan.agree(words());
                    choice.plan.set(plan);
                }
            }
            let settled = (12..600).contains(&operation) || operation > 604;
            let trial = [11, 35, 131].contains(&(operation / RUN));
            assert!(!settled || choices[0].reads == ((operation < 600) != trial));
        }
    }

    #[test]
    fn what_the_first_posts_waited_for_is_forgotten() {
        let kernel_copies = KernelCopies::default();
        let measured = (0..20).map(|_| {
            let choice = kernel_copies.choose(Kind::Allreduce, 1 << 14, Ways::Measured);
            let mut plan = choice.plan.get();
            let before = plan.posted;
            // The first ones wait for memory, and the copy by the kernel seems to be the faster.
            (plan.posted, plan.read) = (if before == 0.0 { 9.0 } else { before }, 1.0);
            choice.plan.set(plan);
            (before, choice.reads)
        });
        let measured: Vec<_> = measured.collect();
        let forgotten = measured.iter().filter(|(posted, _)| *posted == 0.0);
        assert_eq!(
            forgotten.count(),
            2,
            "the first one, and the first of the second run"
        );
        assert_eq!(measured[4], (0.0, false));
    }

    #[test]
    fn the_mean_counts_and_no_outlier() {
        let mut plan = Plan::default();
        (0..50).for_each(|turn| plan.note([1.0, 3.0][turn % 2], true));
        assert!((1.6..2.4).contains(&plan.read), "{}", plan.read);
        plan.note(1e6, true);
        assert!(plan.read < 3.0 && plan.posted == 0.0);
    }

    #[test]
    fn nothing_is_agreed_on_before_all_have_measured_both() {
        let mut plan = Plan::default();
        let measured = |posted: f32, read: f32| {
            let known = Plan {
                posted,
                read,
                ..Plan::default()
            };
            known.word()
        };
        let mut reads = |words: [usize; 2]| {
            plan.agree(words.into_iter());
            plan.reads()
        };
        assert!(!reads([measured(2.0, 1.0), measured(2.0, 0.0)]));
        assert!(reads([measured(2.0, 1.0), measured(2.0, 1.5)]));
        assert!(reads([measured(2.0, 2.0), measured(2.0, 2.05)]));
        assert!(!reads([measured(1.0, 1.0), measured(f32::NAN, 1.0)]));
    }

    #[test]
    fn whoever_was_refused_reads_no_more() {
        let kernel_copies = KernelCopies::default();
        kernel_copies
            .choose(Kind::Allgather, 1 << 20, Ways::Measured)
            .refused
            .set(true);
        assert!((0..100).all(|_| {
            !kernel_copies
                .choose(Kind::Allgather, 1 << 20, Ways::Measured)
                .reads
        }));
    }
}
