//! A board's memory inside a segment, and the copies onto and from it.
//!
//! Before: [`crate::board`] says that a post may be written, or is there. Here its bytes move.
//! This is the only file of the board that handles raw memory.
//!
//! ```text
//! finished  one line pair a member
//! posts     DEPTH line pairs a member:   │ flag │ word │ 48 bytes ║ 64 bytes │, if they fit
//! slots     8 to 128 slots a member, for posts that do not fit their line
//! ```
//!
//! Where each member has a processor for itself, only the first line of a pair is used: a line that is handed over
//! comes sooner than one beside another. Members that share processors use both: a processor fetches them together
//! (`docs/decisions/009-collectives.md`).
//!
//! Long posts go round all slots of their member, which are more than a core's own cache holds where
//! members are few: a slot that still lies in the readers' caches has to be asked back line by line
//! before it is written again. For the same reason slots are some lines apart. Shorter ones stay in
//! the first [`DEPTH`], which the caches hold.
//!
//! The memory of slots comes as they are first used, and each page costs as much as several
//! posts of a few KiB. A member that has used eight of another one's has the rest made ready at once.
//!
//! Invariants: a [`MappedBoard`] lies wholly inside its segment, checked once when it is made;
//! members and places are checked or masked where they become addresses; a length that a peer
//! claims is checked before anything is read by it.

use std::cell::Cell;
use std::sync::Arc;

use crate::atomic::{AtomicU32, AtomicU64};
use crate::board::{Board, BoardMemory, DEPTH, place};
use crate::copy::lane_copy::{LongCopy, hand_over_line};
use crate::copy::{LINE_DATA_BYTES, copy_line, copy_payload};
use crate::lane::record::LINE_BYTES;
use crate::lane::room::LaneRoom;
use crate::processor;
use crate::segment::{PAGE_BYTES, Segment, SegmentError};
use crate::shareable::LinePadded;

/// What lies in a line pair behind its flag and word, in bytes; in the first line [`LINE_DATA_BYTES`].
const PAIR_DATA_BYTES: usize = LINE_DATA_BYTES + LINE_BYTES;

/// The most bytes of one post: what one member copies while another copies the one before.
pub const SLOT_BYTES: usize = 16 << 10;

/// Posts of up to so many bytes, beyond those beside their flag, are handed over.
const HANDED_OVER_BYTES: usize = 2048;

/// From a slot to the next one, in bytes. The lines between them are what a reader's processor fetches
/// ahead behind a full slot, as behind long records of a lane; and slots do not all fall to the same
/// sets of the caches.
const STRIDE_BYTES: usize = SLOT_BYTES + 17 * LINE_BYTES;

const PLACES: usize = DEPTH as usize;

/// Posts of up to so many bytes use the first [`DEPTH`] slots only: their lines are few, and are handed over. Longer
/// ones gain more by lines that have left the readers' first cache (`docs/decisions/009-collectives.md`).
const SHORT_BYTES: usize = 1024;

/// The same where string moves store lines without fetching them: nothing is asked back, and what is written lies in
/// the writer's second cache.
const SHORT_TAKEN_BYTES: usize = 8192;

/// The most slots of a member.
const MOST_SLOTS: usize = 128;

/// Long posts of a member that come into memory as it is.
const UNPREPARED_USES: u32 = 8;

/// What the slots of all members may take, unless [`DEPTH`] slots a member are more.
const SLOTS_BYTES: usize = 512 * STRIDE_BYTES;

/// Slots of each of `members` members where those of all may take `bytes`: a power of two, since
/// places are the lowest bits of a round.
const fn slots_of_each(members: usize, bytes: usize) -> usize {
    let mut slots = PLACES;
    while slots < MOST_SLOTS && 2 * slots * members * STRIDE_BYTES <= bytes {
        slots *= 2;
    }
    slots
}

/// One post.
#[repr(C, align(128))]
struct LinePair {
    flag: AtomicU64,
    word: u64,
    bytes: [u8; PAIR_DATA_BYTES],
}

const _: () = assert!(size_of::<LinePair>() == 2 * LINE_BYTES);

/// A board's memory in a segment.
#[derive(Debug)]
pub struct MappedBoard {
    base: *mut u8,
    members: usize,
    /// Up to so many bytes of a post lie beside its flag.
    beside_bytes: usize,
    /// One less than the slots of each member.
    last_slot: u32,
    /// Posts of up to so many bytes use the first [`DEPTH`] slots only.
    short_bytes: usize,
    long: LongCopy,
    /// Whether a post of another member was read since this one has shown its last.
    heard: Cell<bool>,
    /// How many long posts of each member this process has written or read, up to
    /// [`UNPREPARED_USES`].
    uses: Box<[Cell<u32>]>,
    /// Keeps the mapping that `base` leads into.
    segment: Arc<Segment>,
}

impl MappedBoard {
    /// Bytes of a board of `members` members: a multiple of the page size.
    pub const fn bytes(members: usize) -> u64 {
        let slots = slots_of_each(members, SLOTS_BYTES);
        let bytes = Self::slots(members) + members * slots * STRIDE_BYTES;
        bytes.next_multiple_of(PAGE_BYTES) as u64
    }

    /// The board of `members` members at byte `offset`, in the room of one of `most_members`.
    ///
    /// # Errors
    ///
    /// [`SegmentError::OutOfBounds`] if it does not lie in the segment, or there are more members.
    pub fn new(
        segment: &Arc<Segment>,
        offset: u64,
        members: usize,
        most_members: usize,
    ) -> Result<Self, SegmentError> {
        let most = most_members.max(members);
        let room = Self::bytes(most) as usize - Self::slots(most);
        let slots = slots_of_each(members, room);
        let bytes = Self::slots(members) + members * slots * STRIDE_BYTES;
        let base = segment.bytes_at(offset, bytes as u64)?;
        Ok(Self {
            base,
            members,
            beside_bytes: LINE_DATA_BYTES,
            last_slot: slots as u32 - 1,
            short_bytes: if processor::stores_without_fetch() {
                SHORT_TAKEN_BYTES
            } else {
                SHORT_BYTES
            },
            long: LongCopy::for_this_processor(),
            heard: Cell::new(false),
            uses: vec![Cell::new(0); members].into(),
            segment: Arc::clone(segment),
        })
    }

    /// The same board where members share processors, or do not; the same for all of them.
    pub fn oversubscribed(self, oversubscribed: bool) -> Self {
        let beside_bytes = if oversubscribed {
            PAIR_DATA_BYTES
        } else {
            LINE_DATA_BYTES
        };
        Self {
            beside_bytes,
            ..self
        }
    }

    const fn posts(members: usize) -> usize {
        (members * size_of::<LinePadded<AtomicU32>>()).next_multiple_of(PAGE_BYTES)
    }

    const fn slots(members: usize) -> usize {
        Self::posts(members)
            + (members * PLACES * size_of::<LinePair>()).next_multiple_of(PAGE_BYTES)
    }

    /// Makes the memory what it was at first, for the next who take it. Nobody uses it.
    pub fn clear(&self) {
        use crate::atomic::Ordering::Relaxed;
        for member in 0..self.members {
            self.finished(member).store(0, Relaxed);
            for place in 0..DEPTH {
                self.flag(member, place).store(0, Relaxed);
            }
        }
    }

    #[inline(always)]
    fn index(&self, member: usize, place: u32) -> usize {
        assert!(member < self.members, "a board's members are counted");
        member * PLACES + (place as usize & (PLACES - 1))
    }

    #[inline(always)]
    fn line_pair(&self, member: usize, place: u32) -> *mut LinePair {
        let at = Self::posts(self.members) + self.index(member, place) * size_of::<LinePair>();
        self.base.wrapping_add(at).cast()
    }

    #[inline(always)]
    fn slots_of_member(&self) -> usize {
        self.last_slot as usize + 1
    }

    #[inline(always)]
    fn slot(&self, member: usize, slot: u32) -> *mut u8 {
        assert!(member < self.members, "a board's members are counted");
        let index = member * self.slots_of_member() + (slot & self.last_slot) as usize;
        self.base
            .wrapping_add(Self::slots(self.members) + index * STRIDE_BYTES)
    }

    /// Where a post of `bytes` bytes of a round lies. Rounds that share a slot are a multiple of
    /// [`DEPTH`] apart, whichever way they came to it, as those that share a flag.
    #[inline(always)]
    fn data(&self, member: usize, round: u32, bytes: usize) -> *mut u8 {
        if bytes > self.short_bytes {
            self.slot(member, round)
        } else if bytes > self.beside_bytes {
            self.slot(member, place(round))
        } else {
            let offset = std::mem::offset_of!(LinePair, bytes);
            let pair = self.line_pair(member, place(round));
            pair.cast::<u8>().wrapping_add(offset)
        }
    }

    /// A post of `bytes` bytes of that member is written or read.
    #[inline(always)]
    fn note_use(&self, member: usize, bytes: usize) {
        if bytes > self.short_bytes && self.uses[member].get() < UNPREPARED_USES {
            self.note_early_use(member);
        }
    }

    /// One of the first long posts of that member.
    #[cold]
    fn note_early_use(&self, member: usize) {
        let uses = self.uses[member].get() + 1;
        self.uses[member].set(uses);
        if uses == UNPREPARED_USES && self.slots_of_member() > UNPREPARED_USES as usize {
            let bytes = self.slots_of_member() * STRIDE_BYTES;
            self.segment.make_ready(self.slot(member, 0), bytes);
        }
    }
}

impl BoardMemory for MappedBoard {
    #[inline(always)]
    fn members(&self) -> usize {
        self.members
    }

    #[inline(always)]
    fn flag(&self, member: usize, place: u32) -> &AtomicU64 {
        // SAFETY: the line pair of a member below `members` lies in the mapping (checked in `new`),
        // which `segment` keeps; it is aligned to 128 bytes; any bytes are an AtomicU64.
        unsafe { &(*self.line_pair(member, place)).flag }
    }

    #[inline(always)]
    fn finished(&self, member: usize) -> &AtomicU32 {
        assert!(member < self.members, "a board's members are counted");
        let lines = self.base.cast::<LinePadded<AtomicU32>>();
        // SAFETY: as in `flag`; the line pairs start at the board's first byte, a page's.
        unsafe { &*lines.wrapping_add(member) }
    }
}

/// A post that is being written; nobody looks at it before it is published.
#[derive(Debug)]
pub struct Draft<'b> {
    room: LaneRoom<'b>,
    bytes: usize,
    round: u32,
}

impl Draft<'_> {
    /// Copies `source` to byte `at` of the post.
    ///
    /// # Panics
    ///
    /// If the post is shorter.
    #[inline(always)]
    pub fn write(&mut self, at: usize, source: &[u8]) {
        assert!(
            source.len() <= self.bytes && at <= self.bytes - source.len(),
            "a post holds what is written to it"
        );
        let room = self.room.behind(at);
        // SAFETY: the post has `bytes` bytes of room, in the line or the slot that was given to
        // it, and the range was just compared with them; nobody else reads or writes them
        // (`Board::draft`); a slice does not overlap the board, of which only posts of other
        // places are ever handed out.
        unsafe {
            if source.len() <= LINE_DATA_BYTES {
                copy_line(source.as_ptr(), room.address(), source.len());
            } else {
                room.write(source.as_ptr(), source.len());
            }
        }
    }

    /// The post's bytes, as they are: what an older post left, where nothing was written.
    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `write`; the bytes are initialised, since a segment is zero at first.
        unsafe { std::slice::from_raw_parts_mut(self.room.address(), self.bytes) }
    }
}

/// A member's post.
#[derive(Debug, Clone, Copy)]
pub struct Post {
    source: *const u8,
    bytes: usize,
    /// The word beside it.
    pub word: u64,
}

impl Post {
    /// Its length in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether it has no bytes.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Copies its bytes from byte `at` on to `target`, as many as there are room and bytes for.
    ///
    /// # Safety
    ///
    /// Its round is not finished yet.
    #[inline(always)]
    pub unsafe fn copy_to(&self, at: usize, target: &mut [u8]) {
        let bytes = target.len().min(self.bytes.saturating_sub(at));
        // SAFETY: the post has `bytes` bytes at `source`, of which those behind `at` were just
        // counted; it stays as it is until its round is finished, as the caller vouches.
        unsafe {
            let source = self.source.wrapping_add(at);
            if bytes <= LINE_DATA_BYTES {
                copy_line(source, target.as_mut_ptr(), bytes);
            } else {
                // A full one is one of several: string moves take nothing from the member that writes the next one.
                let is_string = bytes >= SLOT_BYTES && processor::stores_without_fetch();
                copy_payload(source, target.as_mut_ptr(), bytes, is_string);
            }
        }
    }

    /// Its bytes, as an operand: they are combined, but nothing is decided by them, for a peer
    /// that breaks the protocol may change them.
    ///
    /// # Safety
    ///
    /// Its round is not finished as long as the slice is used.
    #[inline(always)]
    pub unsafe fn bytes<'b>(&self) -> &'b [u8] {
        // SAFETY: the post has so many bytes, and its member does not change them before all
        // members have finished the round, as the caller vouches.
        unsafe { std::slice::from_raw_parts(self.source, self.bytes) }
    }
}

impl Board<MappedBoard> {
    /// A post of `bytes` bytes in a round, to be written and published, if there is room for it.
    ///
    /// # Panics
    ///
    /// If it is longer than [`SLOT_BYTES`].
    ///
    /// # Safety
    ///
    /// The member has drafted nothing in this round before, and keeps none of its own posts of
    /// the round [`DEPTH`] before it.
    #[inline(always)]
    pub unsafe fn draft(&self, round: u32, bytes: usize) -> Option<Draft<'_>> {
        assert!(bytes <= SLOT_BYTES, "a post fits its slot");
        let (memory, member) = (self.memory(), self.member());
        if !self.has_room(round) {
            return None;
        }
        memory.note_use(member, bytes);
        let target = memory.data(member, round, bytes);
        Some(Draft {
            room: LaneRoom::new(target, &memory.long),
            bytes,
            round,
        })
    }

    /// Shows a post to the other members, with a word beside it.
    #[inline(always)]
    pub fn show(&self, draft: Draft<'_>, word: u64) {
        let memory = self.memory();
        let pair = memory.line_pair(self.member(), place(draft.round));
        // SAFETY: the line pair lies in the mapping, and nobody reads it before the flag says so.
        unsafe { (&raw mut (*pair).word).write(word) };
        self.publish(draft.round, draft.bytes as u32);
        if draft.bytes > memory.beside_bytes && draft.bytes <= HANDED_OVER_BYTES {
            self.hand_over(draft.room.address(), draft.bytes);
        }
    }

    /// Hands the lines of a post over to members that answer it, as lanes do with records that are answered
    /// ([`crate::lane::Producer::commit_to`]); a row of posts without an answer would be held up.
    #[inline(always)]
    fn hand_over(&self, first: *mut u8, bytes: usize) {
        if self.memory().heard.replace(false) {
            for at in (0..bytes).step_by(LINE_BYTES) {
                hand_over_line(first.wrapping_add(at));
            }
        }
    }

    /// A member's post in a round, if it is there; an error if it claims to be longer than it
    /// can be.
    #[inline(always)]
    pub fn read(&self, member: usize, round: u32) -> Result<Option<Post>, BoardError> {
        let Some(bytes) = self.look(member, round) else {
            return Ok(None);
        };
        if bytes > SLOT_BYTES {
            return Err(BoardError::Length { member, bytes });
        }
        self.memory().note_use(member, bytes);
        self.memory().heard.set(true);
        let pair = self.memory().line_pair(member, place(round));
        // SAFETY: the line pair lies in the mapping; a word is a word, whatever a peer wrote.
        let word = unsafe { (&raw const (*pair).word).read_volatile() };
        Ok(Some(Post {
            source: self.memory().data(member, round, bytes),
            bytes,
            word,
        }))
    }
}

/// What a peer wrote cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// A post is longer than any post.
    #[error(
        "member {member} claims to have posted {bytes} bytes on a board with slots of {SLOT_BYTES}: its memory is corrupt"
    )]
    Length {
        /// Whose post.
        member: usize,
        /// Bytes that it claims to have.
        bytes: usize,
    },
}

#[cfg(test)]
mod tests;
