//! Where everything lies in a job's segment.
//!
//! ```text
//! 0        header (one page)
//! ranks    one RankBlock of 256 bytes a rank
//! calls    one CallRecord of 128 bytes a rank, written by the rank
//! bells    128 bytes a rank: a bit for each lane that leads to it, written by the origins (`pamir_shm::sleep::bells`)
//! cursors  one line pair a lane: [target][origin]: a cursor, written by the target; the line beside it stays unused,
//!          since who uses it has the cursor's fetched as well, and a lane could not tell how far its other end is
//! claims   one line a lane:      [target][origin]: words from which both ends claim chunks of large transfers
//! rings    one ring a lane:      [target][origin], page-aligned for each target
//! buffers  the exclusive buffers of each pair of ranks (`pamir_shm::exclusive_buffer::mapped`), for few ranks
//! boards   a page that says who has which (`crate::job::board_table`), then BOARDS boards
//! ```
//!
//! Lanes are grouped by target, so that a target's whole reception FIFO can be
//! placed on its NUMA node. The launcher computes the layout from the number of
//! ranks; a rank reads it from the header and checks that it is what this build
//! would have computed.

use pamir_shm::atomic::{AtomicU32, AtomicU64};
use pamir_shm::board::mapped::MappedBoard;
use pamir_shm::call_record::CallRecord;
use pamir_shm::copy::chunk_claims::ChunkClaims;
use pamir_shm::exclusive_buffer::turns::EXCLUSIVE_BUFFERS;
use pamir_shm::lane::record::LINE_BYTES;
use pamir_shm::segment::HUGE_PAGE_BYTES;
use pamir_shm::segment::header::HEADER_BYTES;
use pamir_shm::segment::offset::Offset;
use pamir_shm::shareable::{LinePadded, Shareable};
use pamir_shm::sleep::bells::Bells;

/// The most ranks that a job may have.
pub const MAXIMUM_RANKS: usize = 1024;

/// Length of the job's file, where the kernel allows one so long: what nobody uses of it is no memory.
pub(super) const FILE_BYTES: u64 = 1 << 60;

/// How many boards a job has for its communicators; what nobody uses is never touched.
pub const BOARDS: usize = 32;

/// The most members that a board has room for.
pub const MAXIMUM_BOARD_MEMBERS: usize = 64;

/// How many transfers of one lane both ends may copy at a time.
pub const TRANSFER_SLOTS: usize = 8;

/// A lane's cursor in a pair of lines of its own: processors fetch the other line of a pair as well.
const CURSOR_BYTES: u64 = 2 * LINE_BYTES as u64;

const PAGE_BYTES: u64 = pamir_shm::segment::PAGE_BYTES as u64;

/// A word of the header's page.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Word(pub(super) AtomicU64);

// SAFETY: repr(C), one 64-bit atomic.
unsafe impl Shareable for Word {}

/// What each rank tells the others and the launcher.
#[repr(C)]
#[derive(Debug)]
pub struct RankBlock {
    /// The word that the rank sleeps on; read by every sender. See `pamir_shm::sleep`.
    pub sleep: LinePadded<AtomicU32>,
    /// Everything that changes seldom.
    pub status: LinePadded<RankStatus>,
}

/// The seldom changing part of a [`RankBlock`].
#[repr(C)]
#[derive(Debug)]
pub struct RankStatus {
    /// State (see `crate::job::RankState`) in the low half, abort code in the high one.
    pub state: AtomicU64,
    /// What its process is called (`crate::job::process_name`), 0 until the rank has attached.
    pub process: AtomicU64,
    /// Processing unit the launcher bound the rank to, plus one; 0 if it is not bound.
    pub processing_unit: AtomicU64,
    /// How many ranks share that processing unit, or the processors as a whole.
    pub sharers: AtomicU64,
    /// The heap that its peers may map; see `crate::memory::peer_heap`.
    pub heap: HeapWords,
    /// The node that the rank is on: ranks share memory with those of their own node only, and
    /// reach the others through `crate::bridge`.
    pub node: AtomicU64,
    /// The processor on which the rank was when it last waited, plus one; 0 if it has not said. Only
    /// ranks that share processors do; see `crate::unit`.
    pub processor: AtomicU64,
    /// How many of its messages the rank has withdrawn that their targets have not answered: what peers read of its memory
    /// meanwhile may be wrong.
    pub withdrawn: AtomicU64,
    /// Interrupts in which its service thread moved something; for who looks (`crate::job::counters`).
    pub interrupts: AtomicU64,
    /// Descriptors that were done in them.
    pub descriptors_moved: AtomicU64,
}

/// Where a rank's shared heap lies in its process, and how to map it; all 0 if it has none.
#[repr(C)]
#[derive(Debug)]
pub struct HeapWords {
    /// First address in the rank's process.
    pub address: AtomicU64,
    /// Its descriptor in the rank's process.
    pub descriptor: AtomicU64,
    /// The file's inode, by which who opens the descriptor knows that it is the right one.
    pub inode: AtomicU64,
    /// Size in bytes; written last, with Release.
    pub bytes: AtomicU64,
}

// SAFETY: repr(C), nothing but 64-bit atomics.
unsafe impl Shareable for HeapWords {}
// SAFETY: repr(C), nothing but 64-bit atomics and words of them.
unsafe impl Shareable for RankStatus {}
// SAFETY: repr(C), two parts that each fill 128 bytes.
unsafe impl Shareable for RankBlock {}

const _: () = {
    assert!(size_of::<RankBlock>() == 256);
    assert!(std::mem::offset_of!(RankBlock, status) == 128);
    assert!(MAXIMUM_RANKS <= Bells::MOST);
    assert!(TRANSFER_SLOTS * size_of::<ChunkClaims>() == LINE_BYTES);
};

/// The positions of a job's parts, all in bytes from the segment's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of ranks.
    pub ranks: u64,
    /// Lines of each lane's ring.
    pub ring_lines: u64,
}

impl Layout {
    /// The layout for `ranks` ranks: the more lanes there are, the shorter they are.
    ///
    /// Few ranks have rings of more bytes than a core's own cache holds. A line that comes round
    /// again is then no longer in the target's cache, and the origin writes it without asking the
    /// other core for it (`docs/decisions/002-shared-memory.md`). A page that nothing has travelled through is no
    /// memory.
    pub fn new(ranks: usize) -> Self {
        let ring_lines = match ranks {
            0..=4 => 32768,
            5..=8 => 16384,
            9..=16 => 4096,
            17..=64 => 512,
            _ => 128,
        };
        Self {
            ranks: ranks as u64,
            ring_lines,
        }
    }

    /// The words that describe this layout in the segment's header.
    pub fn to_geometry(self) -> [u64; 2] {
        [self.ranks, self.ring_lines]
    }

    /// The layout that a header describes, if it is one that this build makes.
    pub fn from_geometry(words: &[u64]) -> Option<Self> {
        let ranks = usize::try_from(words[0])
            .ok()
            .filter(|ranks| (1..=MAXIMUM_RANKS).contains(ranks))?;
        let layout = Self::new(ranks);
        (layout.to_geometry() == words[..2]).then_some(layout)
    }

    /// The block of rank `rank`.
    pub fn rank_block(self, rank: usize) -> Offset<RankBlock> {
        Offset::new(HEADER_BYTES).element(rank)
    }

    /// What rank `rank` tells of its synchronisation calls.
    pub fn call_record(self, rank: usize) -> Offset<LinePadded<CallRecord>> {
        Offset::new(self.call_records()).element(rank)
    }

    /// The bells of the lanes that lead to `target`.
    pub fn bells(self, target: usize) -> Offset<LinePadded<Bells>> {
        Offset::new(self.first_bells()).element(target)
    }

    /// The cursor of the lane from `origin` to `target`.
    pub fn cursor(self, origin: usize, target: usize) -> Offset<AtomicU64> {
        Offset::new(self.cursors() + self.lane(origin, target) as u64 * CURSOR_BYTES)
    }

    /// Word `slot` of those from which `origin` and `target` claim chunks of transfers, below
    /// [`TRANSFER_SLOTS`].
    pub fn chunk_claims(self, origin: usize, target: usize, slot: usize) -> Offset<ChunkClaims> {
        debug_assert!(slot < TRANSFER_SLOTS);
        let line = self.claims() + self.lane(origin, target) as u64 * LINE_BYTES as u64;
        Offset::new(line).element(slot)
    }

    /// The ring of the lane from `origin` to `target`.
    pub fn ring(self, origin: usize, target: usize) -> u64 {
        self.first_ring() + self.lane(origin, target) as u64 * self.ring_bytes()
    }

    /// Start and length of all rings that lead to `target`.
    pub fn rings_of_target(self, target: usize) -> (u64, u64) {
        (self.ring(0, target), self.ranks * self.ring_bytes())
    }

    /// Start and length of all rings.
    pub fn rings(self) -> (u64, u64) {
        (
            self.first_ring(),
            self.ranks * self.ranks * self.ring_bytes(),
        )
    }

    /// Whether a ring is more than a few pages.
    pub fn has_long_rings(self) -> bool {
        self.ring_bytes() >= 32 * 1024
    }

    /// Bytes of each exclusive buffer of a pair: room for messages of 256 or 64 KiB in parts, of which each has some
    /// lines besides; 0 where there are too many pairs.
    pub fn exclusive_buffer_bytes(self) -> u64 {
        match self.ranks {
            0..=4 => 280 * 1024,
            5..=16 => 76 * 1024,
            _ => 0,
        }
    }

    /// Where the exclusive buffers begin that two different ranks share.
    pub fn exclusive_buffers(self, one: usize, other: usize) -> u64 {
        let (low, high) = (one.min(other), one.max(other));
        debug_assert!(low < high && high < self.ranks as usize);
        // Pairs of ranks below `high` come first.
        let pair = high * (high - 1) / 2 + low;
        self.first_exclusive_buffer() + pair as u64 * self.pair_bytes()
    }

    /// The page that says who has which board.
    pub fn board_table(self) -> u64 {
        self.first_exclusive_buffer() + self.ranks * (self.ranks - 1) / 2 * self.pair_bytes()
    }

    /// Where board `number` starts.
    pub fn board(self, number: usize) -> u64 {
        self.board_table() + PAGE_BYTES + number as u64 * MappedBoard::bytes(self.board_members())
    }

    /// The most members that the boards of this job have room for.
    pub fn board_members(self) -> usize {
        (self.ranks as usize).min(MAXIMUM_BOARD_MEMBERS)
    }

    /// Bytes of the whole segment.
    pub fn bytes(self) -> u64 {
        self.board(BOARDS)
    }

    fn lane(self, origin: usize, target: usize) -> usize {
        target * self.ranks as usize + origin
    }

    fn ring_bytes(self) -> u64 {
        self.ring_lines * LINE_BYTES as u64
    }

    fn first_exclusive_buffer(self) -> u64 {
        let (start, bytes) = self.rings();
        start + bytes
    }

    fn pair_bytes(self) -> u64 {
        EXCLUSIVE_BUFFERS as u64 * self.exclusive_buffer_bytes()
    }

    fn call_records(self) -> u64 {
        HEADER_BYTES + (self.ranks * size_of::<RankBlock>() as u64).next_multiple_of(PAGE_BYTES)
    }

    fn first_bells(self) -> u64 {
        let records = self.ranks * size_of::<LinePadded<CallRecord>>() as u64;
        self.call_records() + records.next_multiple_of(PAGE_BYTES)
    }

    fn cursors(self) -> u64 {
        let bells = self.ranks * size_of::<LinePadded<Bells>>() as u64;
        self.first_bells() + bells.next_multiple_of(PAGE_BYTES)
    }

    fn claims(self) -> u64 {
        self.cursors() + self.ranks * self.ranks * CURSOR_BYTES
    }

    fn first_ring(self) -> u64 {
        let claims = self.ranks * self.ranks * LINE_BYTES as u64;
        (self.claims() + claims).next_multiple_of(self.ring_alignment())
    }

    /// Rings that fill huge pages begin where such pages do; others where pages do.
    fn ring_alignment(self) -> u64 {
        if self.ring_bytes().is_multiple_of(HUGE_PAGE_BYTES as u64) {
            HUGE_PAGE_BYTES as u64
        } else {
            PAGE_BYTES
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_overlap() {
        for ranks in [1, 2, 5, 8, 9, 64, 200] {
            let layout = Layout::new(ranks);
            let last = ranks - 1;
            assert!(layout.rank_block(last).bytes() + 256 <= layout.call_record(0).bytes());
            assert!(layout.call_record(last).bytes() + 128 <= layout.bells(0).bytes());
            assert!(layout.bells(last).bytes() + 128 <= layout.cursor(0, 0).bytes());
            let claims = layout.chunk_claims(0, 0, 0).bytes();
            assert_eq!(layout.cursor(last, last).bytes() + 128, claims);
            let last_claims = layout.chunk_claims(last, last, TRANSFER_SLOTS - 1).bytes();
            assert!(last_claims + 8 <= layout.ring(0, 0));
            assert_eq!(layout.ring(0, 0) % PAGE_BYTES, 0);
            let boards = layout.board_table();
            let buffers = layout.first_exclusive_buffer();
            assert_eq!(layout.ring(last, last) + layout.ring_bytes(), buffers);
            let (start, bytes) = layout.rings_of_target(last);
            assert_eq!((start + bytes, buffers % PAGE_BYTES), (buffers, 0));
            let pairs = (0..ranks).flat_map(|high| (0..high).map(move |low| (low, high)));
            for (number, (low, high)) in pairs.enumerate() {
                let at = buffers + number as u64 * layout.pair_bytes();
                assert_eq!(
                    (
                        layout.exclusive_buffers(low, high),
                        layout.exclusive_buffers(high, low)
                    ),
                    (at, at)
                );
                assert!(at + layout.pair_bytes() <= boards);
            }
            let end = layout.board(BOARDS - 1) + MappedBoard::bytes(layout.board_members());
            assert_eq!((boards % PAGE_BYTES, end), (0, layout.bytes()));
            assert_eq!(Layout::from_geometry(&layout.to_geometry()), Some(layout));
        }
        assert_eq!(Layout::from_geometry(&[0, 1024]), None);
        assert_eq!(Layout::from_geometry(&[2, 77]), None);
        assert_eq!(Layout::from_geometry(&[1 << 40, 128]), None);
    }
}
