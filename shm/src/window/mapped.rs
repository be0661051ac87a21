//! The words of a window where they lie in shared memory.
//!
//! Before: the members have mapped the window's first bytes, which are zeros. After: each finds the locks, the gates and the
//! counts of all. [`super`] has a picture of them.
//!
//! Invariant: all words are seen to lie in the segment once, when they are looked up first.

use std::sync::Arc;

use crate::segment::mapped::Mapped;
use crate::segment::offset::Offset;
use crate::segment::{Segment, SegmentError};
use crate::shareable::{LinePadded, Shareable};

use crate::atomic::{AtomicU64, Ordering};
use crate::processor::ticks;
use crate::window::class_word::ClassWord;
use crate::window::exposure::Count;
use crate::window::gate::Gate;
use crate::window::mailbox::{Slot, WORDS};
use crate::window::turn_lock::TurnLock;

/// Ticks of the processor's clock after which a target counts as busy elsewhere: some microseconds.
const FRESH_TICKS: u64 = 10_000;

/// A member's mailbox.
#[repr(C)]
#[derive(Debug)]
pub struct Mailbox {
    beat: LinePadded<AtomicU64>,
    slot: LinePadded<Slot>,
}

impl Mailbox {
    /// The target waits, and looks at its mailbox: `work` makes an answer of a request. Whether there was one.
    #[inline]
    pub fn attend(&self, work: impl FnOnce(&mut [u64; WORDS])) -> bool {
        // Relaxed: a hint.
        self.beat.store(ticks(), Ordering::Relaxed);
        self.slot.serve(work)
    }

    /// Whether the target has just looked.
    #[inline]
    pub fn is_attended(&self) -> bool {
        let beat = self.beat.load(Ordering::Relaxed);
        beat != 0 && ticks().wrapping_sub(beat) < FRESH_TICKS
    }

    /// Has the target do what the words say, if it does so at once: they are its answer then. Nothing was done if not.
    pub fn ask(&self, words: &mut [u64; WORDS]) -> bool {
        self.slot.ask(words)
    }
}

/// What all members share.
#[repr(C)]
#[derive(Debug)]
pub struct CommonWords {
    /// Who may be in: those that have locked all members, or those that lock one exclusively.
    pub classes: LinePadded<ClassWord>,
}

/// What belongs to one member's memory.
#[repr(C)]
#[derive(Debug)]
pub struct MemberWords {
    /// The lock of its memory.
    pub lock: LinePadded<TurnLock>,
    /// Which accumulate is at its memory.
    pub gate: LinePadded<Gate>,
    /// What others ask of it while it waits.
    pub mailbox: Mailbox,
}

// SAFETY: repr(C), atomics only; two of 32 bits before those of 64: no padding.
unsafe impl Shareable for Slot {}
// SAFETY: repr(C), two shareable values that each fill their lines.
unsafe impl Shareable for Mailbox {}
// SAFETY: repr(C), one shareable value that fills its lines.
unsafe impl Shareable for CommonWords {}
// SAFETY: repr(C), three shareable values that each fill their lines.
unsafe impl Shareable for MemberWords {}

const MEMBERS: u64 = size_of::<CommonWords>() as u64;

const _: () = assert!(size_of::<CommonWords>() == 128 && size_of::<MemberWords>() == 512);

/// The words of one window, mapped here.
#[derive(Debug)]
pub struct WindowWords {
    segment: Arc<Segment>,
    members: usize,
    common: Mapped<CommonWords>,
    own: Vec<Mapped<MemberWords>>,
}

impl WindowWords {
    /// Bytes that the words of `members` members take.
    pub fn bytes(members: usize) -> u64 {
        let members = members as u64;
        MEMBERS
            + members * size_of::<MemberWords>() as u64
            + 2 * members * members * size_of::<Count>() as u64
    }

    /// The words at the begin of `segment`.
    ///
    /// # Errors
    ///
    /// [`SegmentError::OutOfBounds`] where the segment is too short.
    pub fn new(segment: &Arc<Segment>, members: usize) -> Result<Self, SegmentError> {
        // The last word of all: the others lie before it.
        segment.get(completed(members, members - 1, members - 1))?;
        let first = Offset::<MemberWords>::new(MEMBERS);
        let own = (0..members)
            .map(|member| Mapped::new(segment, first.element(member)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            segment: Arc::clone(segment),
            members,
            common: Mapped::new(segment, Offset::new(0))?,
            own,
        })
    }

    /// What all members share.
    #[inline(always)]
    pub fn common(&self) -> &CommonWords {
        &self.common
    }

    /// What belongs to a member.
    #[inline(always)]
    pub fn member(&self, member: usize) -> &MemberWords {
        &self.own[member]
    }

    /// How many times `target` has exposed its memory to `origin`.
    pub fn posted(&self, origin: usize, target: usize) -> &Count {
        self.count(posted(self.members, origin, target))
    }

    /// How many times `origin` has ended its accesses to `target`.
    pub fn completed(&self, target: usize, origin: usize) -> &Count {
        self.count(completed(self.members, target, origin))
    }

    fn count(&self, offset: Offset<Count>) -> &Count {
        let count = self.segment.get(offset);
        count.expect("the members' words were seen to lie in the segment")
    }
}

fn posted(members: usize, origin: usize, target: usize) -> Offset<Count> {
    let first = MEMBERS + (members * size_of::<MemberWords>()) as u64;
    Offset::new(first).element(origin * members + target)
}

fn completed(members: usize, target: usize, origin: usize) -> Offset<Count> {
    posted(members, members + target, origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_do_not_overlap_and_end_where_is_said() {
        for members in [1, 2, 5, 64] {
            let bytes = WindowWords::bytes(members);
            let segment = Arc::new(Segment::create(bytes).unwrap());
            let words = WindowWords::new(&segment, members).unwrap();
            for one in 0..members {
                for other in 0..members {
                    words.posted(one, other).add();
                    words.completed(one, other).add();
                }
            }
            for one in 0..members {
                for other in 0..members {
                    assert!(words.posted(one, other).has_passed(0));
                    assert!(!words.posted(one, other).has_passed(1));
                    assert!(!words.completed(one, other).has_passed(1));
                }
                assert!(words.member(one).lock.ask_exclusive().is_none());
            }
            assert!(WindowWords::new(&segment, members + 1).is_err());
        }
    }

    fn mailbox() -> Mapped<Mailbox> {
        let segment = Arc::new(Segment::create(4096).expect("there is memory"));
        Mapped::new(&segment, Offset::new(0)).expect("it fits")
    }

    #[test]
    fn nobody_who_looks_elsewhere_is_asked_in_vain_for_long() {
        let mailbox = mailbox();
        assert!(!mailbox.is_attended());
        let mut words = [7; WORDS];
        assert!(!mailbox.ask(&mut words) && words == [7; WORDS]);
        assert!(!mailbox.attend(|_| panic!("it was taken back")));
        assert_eq!(mailbox.is_attended(), cfg!(target_arch = "x86_64"));
    }

    #[test]
    fn every_request_is_done_once_or_taken_back() {
        const ORIGINS: u64 = 3;
        let mailbox = mailbox();
        let ended = std::sync::atomic::AtomicU64::new(0);
        let (mut served, asked) = (0_u64, std::sync::atomic::AtomicU64::new(0));
        std::thread::scope(|scope| {
            for origin in 0..ORIGINS {
                let (mailbox, ended, asked) = (&mailbox, &ended, &asked);
                scope.spawn(move || {
                    for number in 0..2000 {
                        let mut words = [origin * 10_000 + number; WORDS];
                        if mailbox.ask(&mut words) {
                            assert_eq!(words, [origin * 10_000 + number + 1; WORDS]);
                            asked.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            }
            while ended.load(Ordering::Relaxed) < ORIGINS {
                mailbox.attend(|words| {
                    served += 1;
                    words.iter_mut().for_each(|word| *word += 1);
                });
            }
        });
        assert_eq!(served, asked.load(Ordering::Relaxed));
        assert!(served > 0);
    }
}
