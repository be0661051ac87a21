//! Lanes: one single-producer single-consumer ring for each (origin, target) pair.
//!
//! Before: the driver's engine has a packet to inject. After: the target's driver
//! finds it in its reception FIFO. A lane is a ring of lines of 64 bytes, with
//! records (see [`crate::lane::record`]) of one or more lines that follow each other:
//!
//! ```text
//!        consumed                    produced      cleared ahead
//!           │                           │            │
//!  ┌────┬───▼─────────────┬────────┬────▼───┬────────▼┬────┬────┐
//!  │free│ word│payload    │word│pay│ word=0 │ word=0  │free│free│
//!  └────┴─────────────────┴────────┴────────┴─────────┴────┴────┘
//! ```
//!
//! The header words themselves say what is there: the consumer never reads the
//! producer's cursor, and a record that fits a line costs the transfer of that one
//! line. The producer reads the consumer's cursor only when the copy that it
//! remembers says that the ring is full; the consumer publishes it a quarter of
//! the ring at a time. The ring of a lane that has carried nothing takes no memory, until its producer opens it
//! ([`LaneMemory::open`]).
//!
//! Invariants:
//! 1. The header word at `produced` is 0 before the record before it is committed,
//!    and so is the one at `produced + 1`: a record of one line commits with a
//!    single store, and the next word to be cleared is cleared after it, off the
//!    way of the message.
//! 2. So a record of n lines needs n + 2 free lines.
//! 3. Records do not wrap. A record is at most a quarter of the ring, so that with
//!    padding it fits as soon as the consumer has read everything, even though up
//!    to a quarter of the ring is not yet published as free.
//! 4. Behind a long record some lines of a long ring stay free (`APART_LINES`), unless its header says that the next
//!    one is close.
//! 5. Commit is a Release store of the header word, and pairs with the Acquire
//!    load in `peek`. Release of the cursor in `release` pairs with the Acquire
//!    load in `refresh`: the producer overwrites only what has been read.
//!
//! What the peer wrote is checked: a record that does not fit, or a cursor that is
//! out of range, gives [`LaneError`].

mod error;
mod handover;
#[cfg(not(loom))]
pub(crate) mod line_distance;
#[cfg(not(loom))]
pub mod mapped;
mod memory;
pub mod record;
#[cfg(not(loom))]
pub mod room;

use std::cell::Cell;

use crate::atomic::{AtomicU64, Ordering, spin_loop};
use record::{HEADER_BYTES, LINE_BYTES, RecordHeader, lines_for};

pub use error::LaneError;
pub use handover::{Expected, HANDED_OVER_LINES};
pub(crate) use memory::FEWEST_APART;
pub use memory::LaneMemory;

/// Lines of a ring whose memory comes as they are first used. A ring that is longer and used so much has more made
/// ready, a quarter each time, or all of it at once in a huge page: each page costs as much as thirty messages. By then
/// its pages have cost about half of what the huge page does, which programs of a few thousand messages never pay.
const UNPREPARED_LINES: u64 = 4096;

/// Lines that stay free behind a long record. Whoever reads a row of lines has those behind it
/// fetched ahead by the processor. If these are the next record's, the origin has to get them
/// back from the other core's cache before it can write them: 4 KiB then take twice as long. From how many lines on it
/// does so depends on the processor ([`mapped`]). Where the origin writes past the
/// caches it need not get them back, and the target finds the next record's lines on its way.
const APART_LINES: u64 = 16;

/// Rings of so many lines have room for that, and do not fit a core's own cache: what was fetched
/// ahead has left it when the ring has come round.
const LONG_RING_LINES: u64 = 16384;

/// After a record of two to so many lines the consumer asks for all lines of another one like it while
/// it waits: they come together with the first one, instead of after it. More lines would be taken away
/// from the producer in the middle of its stores.
const LOOKED_AHEAD_LINES: u64 = 3;

/// How far ahead of a record in a row of short ones a line is asked for. Fewer come too late, more may not be written
/// yet, and would be taken away from the producer.
const BACKLOG_LINES: u64 = 6;

/// Lines of a ring that a record of `lines` lines takes, with those that stay free behind it unless the next one is
/// close.
#[inline(always)]
const fn taken(lines: u64, ring: u64, is_close: bool) -> u64 {
    if lines >= FEWEST_APART && ring >= LONG_RING_LINES && !is_close {
        lines + APART_LINES
    } else {
        lines
    }
}

/// Room in a lane for one record; commit it with [`Producer::commit`].
#[derive(Debug)]
#[must_use = "a reserved record must be committed"]
pub struct Reserved {
    /// The record's first line.
    pub line: u64,
    lines: u64,
    /// Whether the next one follows at once, though this one is long.
    is_close: bool,
}

impl Reserved {
    /// Whether the record's lines have room for a payload of `payload_bytes`.
    #[inline(always)]
    pub fn has_room(&self, payload_bytes: usize) -> bool {
        lines_for(payload_bytes) <= self.lines
    }
}

/// Room in a lane for a record of one line; commit it with [`Producer::commit_line`]. It knows all
/// places that are written, since each store into the ring could change what they are found by, as
/// far as a compiler knows.
#[derive(Debug)]
#[must_use = "a reserved record must be committed"]
pub struct ReservedLine<'a> {
    /// The line.
    pub line: u64,
    header: &'a AtomicU64,
    /// The header word that becomes 0 with the commit: of the line after the next.
    cleared: &'a AtomicU64,
}

/// The origin's end of a lane.
#[derive(Debug)]
pub struct Producer<M> {
    memory: M,
    produced: Cell<u64>,
    /// What is written must end before this line: the consumer's cursor as it was last seen, and
    /// one ring further; in the first round at most what is prepared; 0 while the lane is closed.
    limit: Cell<u64>,
}

impl<M: LaneMemory> Producer<M> {
    /// The producing end of a lane whose memory is all zero.
    pub fn new(memory: M) -> Self {
        Self {
            produced: Cell::new(0),
            limit: Cell::new(0),
            memory,
        }
    }

    /// The lane's memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The longest payload of one record, in bytes.
    pub fn longest_payload_bytes(&self) -> usize {
        longest_payload_bytes(self.memory.lines())
    }

    /// Room for a record, or none while the ring is full. The payload may be at most
    /// [`Self::longest_payload_bytes`].
    #[inline(always)]
    pub fn try_reserve(&self, payload_bytes: usize) -> Result<Option<Reserved>, LaneError> {
        let ring = self.memory.lines();
        debug_assert!(payload_bytes <= longest_payload_bytes(ring));
        let lines = lines_for(payload_bytes);
        let is_close = lines >= FEWEST_APART
            && (lines < self.memory.apart_from() || self.memory.is_streamed(lines));
        let lines = taken(lines, ring, is_close);
        let line = self.produced.get() & (ring - 1);
        if lines <= ring - line && self.has_room(lines) {
            return Ok(Some(Reserved {
                line,
                lines,
                is_close,
            }));
        }
        self.reserve_slow(lines, is_close)
    }

    /// Room for a record of one line; none while the lane is closed or full as far as is known: see [`Self::try_reserve`].
    #[inline(always)]
    pub fn reserve_line(&self) -> Option<ReservedLine<'_>> {
        let produced = self.produced.get();
        // A record of one line never reaches beyond the ring.
        let line = produced & (self.memory.lines() - 1);
        self.has_room(1).then(|| ReservedLine {
            line,
            header: self.memory.word(line),
            cleared: self.memory.word(line + 2),
        })
    }

    /// As [`Self::commit`], of a record of one line.
    #[inline(always)]
    pub fn commit_line(&self, reserved: ReservedLine<'_>, header: RecordHeader) {
        // Release: pairs with the Acquire in `Consumer::peek_line` and its like.
        reserved.header.store(header.word(), Ordering::Release);
        reserved.cleared.store(0, Ordering::Relaxed);
        self.produced.set(self.produced.get() + 1);
    }

    #[cold]
    #[inline(never)]
    fn reserve_slow(&self, lines: u64, is_close: bool) -> Result<Option<Reserved>, LaneError> {
        let ring = self.memory.lines();
        let line = self.produced.get() & (ring - 1);
        let gap = if lines <= ring - line { 0 } else { ring - line };
        if !self.finds_room(lines + gap)? {
            return Ok(None);
        }
        if gap > 0 {
            let padding = Reserved {
                line,
                lines: gap,
                is_close: false,
            };
            self.commit(padding, RecordHeader::padding());
        }
        Ok(Some(Reserved {
            line: self.produced.get() & (ring - 1),
            lines,
            is_close,
        }))
    }

    /// Whether so many records of one line can be committed now.
    #[inline]
    pub fn has_lines(&self, lines: u64) -> Result<bool, LaneError> {
        Ok(self.has_room(lines) || self.finds_room(lines)?)
    }

    /// As [`Self::has_room`], after whatever may make room.
    #[cold]
    fn finds_room(&self, lines: u64) -> Result<bool, LaneError> {
        if self.limit.get() == 0 {
            self.memory.open();
            self.limit.set(self.memory.lines().min(UNPREPARED_LINES));
        }
        Ok(self.has_room(lines) || self.refresh(lines)?)
    }

    #[inline(always)]
    fn has_room(&self, lines: u64) -> bool {
        self.produced.get() + lines + 2 <= self.limit.get()
    }

    /// Learns how far the consumer has come; whether there is room then.
    fn refresh(&self, lines: u64) -> Result<bool, LaneError> {
        // Its Acquire pairs with the Release in `Consumer::release`.
        let consumed = self.memory.load_consumed();
        let (produced, ring) = (self.produced.get(), self.memory.lines());
        let limit = self.limit.get();
        if consumed > produced || consumed < limit.saturating_sub(ring) {
            return Err(LaneError::Cursor { consumed, produced });
        }
        // Once all is prepared, the limit is never below the ring.
        let prepared = prepare_next(&self.memory, limit);
        self.limit.set(if prepared < ring {
            prepared
        } else {
            consumed + ring
        });
        Ok(self.has_room(lines))
    }

    /// Hands the record over. Everything written to its payload before is seen by a
    /// consumer that sees the header.
    #[inline(always)]
    pub fn commit(&self, reserved: Reserved, header: RecordHeader) {
        self.commit_to(reserved, header, 0, Expected::Another);
    }

    /// As [`Self::commit`], to a target that reads the record at once: its lines are handed over as well, if there
    /// are no more than `most`. Many records in a row would wait for that. Says what is likely to be written next.
    #[inline(always)]
    pub fn commit_to(
        &self,
        reserved: Reserved,
        header: RecordHeader,
        most: u64,
        expected: Expected,
    ) {
        let mask = self.memory.lines() - 1;
        let next = reserved.line + reserved.lines;
        let several = reserved.lines > 1;
        if several {
            self.memory.word(next & mask).store(0, Ordering::Relaxed);
        }
        let header = header.followed(reserved.is_close);
        // Release: pairs with the Acquire in `Consumer::peek`.
        self.memory
            .word(reserved.line)
            .store(header.word(), Ordering::Release);
        self.memory
            .word((next + 1) & mask)
            .store(0, Ordering::Relaxed);
        self.produced.set(self.produced.get() + reserved.lines);
        if several {
            // Without those that stay free behind it.
            let lines = header.lines().min(reserved.lines);
            // Before others are asked for: behind those it would wait.
            if lines <= most {
                // The first one is being read already.
                self.memory.hand_over(reserved.line + 1, lines - 1);
            }
            let asked = expected.lines(lines, reserved.lines);
            if asked > 0 && !self.memory.is_taken_over(lines) {
                self.expect_lines(asked);
            }
        }
    }

    /// Has so many lines fetched, while the target reads what has been written.
    #[inline(never)]
    fn expect_lines(&self, lines: u64) {
        // The first line is looked at by the consumer, and the one behind it is this end's already.
        let first = self.produced.get() + 2;
        let end = (self.produced.get() + lines).min(self.limit.get());
        let ring = self.memory.lines();
        let line = first & (ring - 1);
        self.memory
            .expect(line, end.saturating_sub(first).min(ring - line));
    }
}

/// The target's end of a lane.
#[derive(Debug)]
pub struct Consumer<M> {
    memory: M,
    consumed: Cell<u64>,
    /// The line at which the cursor is published next.
    publish_at: Cell<u64>,
    /// Where the next record ends if it is like the last one of several lines and worth looking ahead
    /// for; else no line behind the cursor. Records of one line leave it behind them.
    ahead: Cell<u64>,
}

/// A record that has arrived; give its room back with [`Consumer::release`].
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// What the record says of itself.
    pub header: RecordHeader,
    /// The record's first line.
    pub line: u64,
}

/// What [`Consumer::watch_line`] found.
#[derive(Clone, Copy, Debug)]
pub enum Watched {
    /// No record.
    Nothing,
    /// A record that is none of those that are looked for ([`Consumer::arrived`]), and whether it
    /// came after the first look.
    Other(RecordHeader, bool),
    /// One that is.
    Line(Arrived),
}

impl<M: LaneMemory> Consumer<M> {
    /// The consuming end of a lane whose memory is all zero.
    pub fn new(memory: M) -> Self {
        Self {
            consumed: Cell::new(0),
            publish_at: Cell::new(first_published_line(memory.lines())),
            ahead: Cell::new(0),
            memory,
        }
    }

    /// The lane's memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// How many lines it has read.
    #[inline(always)]
    pub fn consumed(&self) -> u64 {
        self.consumed.get()
    }

    /// The next record, if it has arrived.
    #[inline(always)]
    pub fn peek(&self) -> Result<Option<Arrived>, LaneError> {
        let line = self.consumed.get() & (self.memory.lines() - 1);
        // Acquire: pairs with the Release in `Producer::commit`.
        let word = self.memory.word(line).load(Ordering::Acquire);
        let Some(header) = RecordHeader::from_word(word) else {
            self.look_ahead();
            return Ok(None);
        };
        match self.arrived_at(line, header) {
            Some(arrived) => Ok(Some(arrived)),
            None => self.peek_slow(header, line),
        }
    }

    /// The next record, whose header was just seen, if it lies in the ring as it should; else
    /// [`Self::peek`] goes on.
    #[inline(always)]
    pub fn arrived(&self, header: RecordHeader) -> Option<Arrived> {
        self.arrived_at(self.consumed.get() & (self.memory.lines() - 1), header)
    }

    #[inline(always)]
    fn arrived_at(&self, line: u64, header: RecordHeader) -> Option<Arrived> {
        if header.is_line() {
            return Some(Arrived { header, line });
        }
        let ring = self.memory.lines();
        let lines = taken(header.lines(), ring, header.is_followed_closely());
        let good = !header.is_padding() && lines <= ring - line && lines <= longest_record(ring);
        good.then_some(Arrived { header, line })
    }

    /// The next record, if it has arrived, takes one line, and is of `kind` with nothing in its
    /// auxiliary number; any other is found by [`Self::peek`].
    #[inline(always)]
    pub fn peek_line(&self, kind: u8) -> Option<Arrived> {
        let consumed = self.consumed.get();
        // Acquire: pairs with the Release in `Producer::commit`.
        let word = self.memory.word(consumed).load(Ordering::Acquire);
        let header = RecordHeader::line_of(kind, word)?;
        let line = consumed & (self.memory.lines() - 1);
        Some(Arrived { header, line })
    }

    /// As [`Self::peek_line`], with anything in the auxiliary number and a payload of at least a
    /// word; looks up to `looks` times for a record, at least once, pausing in between.
    #[inline(always)]
    pub fn watch_line(&self, kind: u8, looks: u32) -> Watched {
        let consumed = self.consumed.get();
        let place = self.memory.word(consumed);
        // Acquire: pairs with the Release in `Producer::commit`.
        let mut word = place.load(Ordering::Acquire);
        let at_once = word != 0;
        for _ in 1..looks {
            if word != 0 {
                break;
            }
            self.look_ahead();
            // The reader would take the line away from the writer in the middle of its store.
            spin_loop();
            word = place.load(Ordering::Acquire);
        }
        let Some(header) = RecordHeader::any_line_of(kind, word) else {
            return match RecordHeader::from_word(word) {
                Some(header) => Watched::Other(header, !at_once),
                None => Watched::Nothing,
            };
        };
        let line = consumed & (self.memory.lines() - 1);
        Watched::Line(Arrived { header, line })
    }

    /// As [`Self::release`], of a record of one line.
    #[inline(always)]
    pub fn release_line(&self, _arrived: Arrived) {
        self.advance(1);
    }

    #[cold]
    #[inline(never)]
    fn peek_slow(&self, header: RecordHeader, line: u64) -> Result<Option<Arrived>, LaneError> {
        let ring = self.memory.lines();
        if !header.is_padding() || line == 0 {
            return Err(LaneError::Record {
                lines: header.lines(),
                line,
                ring_lines: ring,
            });
        }
        self.advance(ring - line);
        self.peek()
    }

    /// Gives the room of `arrived` back to the producer; its payload may no longer be read.
    #[inline(always)]
    pub fn release(&self, arrived: Arrived) {
        if arrived.header.is_line() {
            return self.release_line(arrived);
        }
        let (header, ring) = (arrived.header, self.memory.lines());
        let lines = header.lines();
        self.advance(taken(lines, ring, header.is_followed_closely()));
        let ahead = if lines <= LOOKED_AHEAD_LINES {
            lines
        } else {
            0
        };
        self.ahead.set(self.consumed.get() + ahead);
    }

    /// Asks for a line that is read some records after `arrived`, which is one of many that were there already: each
    /// would wait for its line otherwise, since its producer's core has it. Those of more than two lines come no
    /// faster.
    #[inline(always)]
    pub fn look_along(&self, arrived: &Arrived) {
        if arrived.header.lines() <= 2 {
            self.memory.look_ahead(arrived.line + BACKLOG_LINES);
        }
    }

    /// Asks for the line behind a record of one line, which is likely to have been written as well.
    #[inline(always)]
    pub fn look_behind(&self, arrived: &Arrived) {
        self.memory.look_ahead(arrived.line + 1);
    }

    /// Asks for the other lines of a record like the last one, whose first line has not come yet.
    #[inline(always)]
    fn look_ahead(&self) {
        for line in self.consumed.get() + 1..self.ahead.get() {
            self.memory.look_ahead(line);
        }
    }

    #[inline(always)]
    fn advance(&self, lines: u64) {
        let consumed = self.consumed.get() + lines;
        self.consumed.set(consumed);
        if consumed >= self.publish_at.get() {
            self.publish(consumed);
        }
    }

    #[cold]
    #[inline(never)]
    fn publish(&self, consumed: u64) {
        let ring = self.memory.lines();
        let reached = self.publish_at.get();
        let in_first_round = ring > UNPREPARED_LINES && reached < ring;
        self.publish_at.set(if in_first_round {
            // The producer waits for news of a quarter, however much is ready.
            prepare_next(&self.memory, reached).min(reached + ring / 4)
        } else {
            consumed + ring / 4
        });
        // Release: pairs with the Acquire in `Producer::refresh`.
        self.memory.consumed().store(consumed, Ordering::Release);
    }
}

/// At which line a consumer publishes its cursor for the first time; each later one is further.
const fn first_published_line(ring: u64) -> u64 {
    if ring / 4 < UNPREPARED_LINES {
        ring / 4
    } else {
        UNPREPARED_LINES
    }
}

/// Has some lines of a ring made ready of which all before `first` are, enough for the longest record; up to which.
fn prepare_next(memory: &impl LaneMemory, first: u64) -> u64 {
    let ring = memory.lines();
    let end = (first + ring / 4).min(ring);
    if first < end {
        memory.prepare(first, end - first).clamp(end, ring)
    } else {
        end
    }
}

/// The most lines that a record in a ring of `ring` lines may take.
#[inline(always)]
const fn longest_record(ring: u64) -> u64 {
    ring / 4
}

/// The longest payload of a record in a ring of `ring` lines.
#[inline(always)]
pub const fn longest_payload_bytes(ring: u64) -> usize {
    let free = taken(FEWEST_APART, ring, false) - FEWEST_APART;
    (longest_record(ring) - free) as usize * LINE_BYTES - HEADER_BYTES
}

#[cfg(test)]
mod tests;
