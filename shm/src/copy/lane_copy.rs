//! Copies of long data into a lane, by the fastest of three ways on this machine, between these two
//! processors.
//!
//! Before: [`crate::lane::mapped`] has reserved a record. After: the bytes are in it.
//!
//! | way | what it does | where it is the faster |
//! |---|---|---|
//! | string move (`rep movsb`) | writes through this processor's cache; many processors then store whole lines without fetching them | cores that are far apart, on processors that do the latter |
//! | vectors (AVX2) | write through this processor's cache, which fetches each line first, but begin at once; lines are asked for a KiB ahead, side by side, where the record before has not had them fetched already ([`crate::lane`]) | most |
//! | streaming stores | write past the caches, so that the lines leave the target's cache, where they lie since it read the last record there, without being asked for | cores that are far apart, on processors that fetch each line first |
//!
//! Which is the fastest is not known beforehand: it depends on the processor, and on which cores the
//! two ranks have, which may change. So a lane measures its own copies: every [`PERIOD`]th time it
//! copies one record by each way, with the tick counter around it, and goes on with the best one.
//! The string move has to be faster than vectors by more than such measurements scatter, and streaming
//! more than twice as fast for the origin ([`FACTOR_TENTHS`]), since the target then reads from memory.
//!
//! ```text
//! turn 0: string move, timed │ 1: vectors, timed │ 2: streaming, timed │ 3 ... PERIOD: the best │ 0 ...
//! ```
//!
//! A measurement sees what a copy costs the origin, with whatever lines were fetched before, and not what it costs its
//! target. Where the best way is known of a processor ([`crate::processor`]), nothing is measured.
//!
//! While copies stream, a lane's lines are neither fetched ahead nor kept apart ([`crate::lane`]), and packets are
//! shorter: the target reads one while the origin streams the next.
//!
//! The target reads by vectors, however the origin wrote: a string move that reads from
//! another core's cache has fewer lines under way (`docs/decisions/001-lanes.md`).
//!
//! Invariant: all stores of a copy are done before anything that is stored afterwards (the header
//! word): streaming ends with a fence for stores.

#[cfg(target_arch = "x86_64")]
use std::cell::Cell;

#[cfg(target_arch = "x86_64")]
use crate::processor;

/// From this many bytes on, ways of copying differ by more than it costs to choose one.
pub(crate) const LONG_BYTES: usize = 1536;

/// From so many bytes on, one copy between far cores takes lines over, where processors are good at that
/// (`docs/decisions/001-lanes.md`).
pub(crate) const TAKEN_OVER_BYTES: usize = 2048;

/// Copies from one measurement to the next: many, since one that streams costs as much as three others.
#[cfg(target_arch = "x86_64")]
const PERIOD: u32 = 1024;

/// The turn of a lane's first copy: the first measurement comes soon, since the usual way may take ten times as long
/// as the best one, and who tries several ways of sending makes few copies by a slow one,
#[cfg(target_arch = "x86_64")]
const FIRST_TURN: u32 = PERIOD - 16;

/// and the second one when the lane's memory has surely been used.
#[cfg(target_arch = "x86_64")]
const SECOND_TURN: u32 = PERIOD - 48;

/// By how much streaming has to be faster, in tenths.
#[cfg(target_arch = "x86_64")]
const FACTOR_TENTHS: u64 = 25;

/// A way to copy.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Way {
    StringMove,
    #[default]
    Vectors,
    Streaming,
}

/// The order of measurements.
#[cfg(target_arch = "x86_64")]
const WAYS: [Way; 3] = [Way::StringMove, Way::Vectors, Way::Streaming];

/// How a lane's long data is copied at present.
#[derive(Debug)]
#[cfg_attr(not(target_arch = "x86_64"), derive(Default))]
pub struct LongCopy {
    #[cfg(target_arch = "x86_64")]
    turn: Cell<u32>,
    /// Ticks that a KiB took by each way when it was last measured.
    #[cfg(target_arch = "x86_64")]
    measured: Cell<[u64; WAYS.len()]>,
    #[cfg(target_arch = "x86_64")]
    best: Cell<Way>,
    /// From how many bytes on copies are string moves, and vectors below, whatever was measured; 0: as was measured.
    #[cfg(target_arch = "x86_64")]
    strings_from: Cell<usize>,
}

#[cfg(target_arch = "x86_64")]
impl Default for LongCopy {
    fn default() -> Self {
        Self {
            turn: Cell::new(FIRST_TURN),
            measured: Cell::default(),
            best: Cell::default(),
            strings_from: Cell::default(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl LongCopy {
    /// Copies `bytes` bytes.
    ///
    /// # Safety
    ///
    /// `source` is readable and `target` writable for `bytes` bytes; they do not overlap.
    #[inline(never)]
    pub(crate) unsafe fn copy(&self, source: *const u8, target: *mut u8, bytes: usize) {
        let strings_from = self.strings_from.get();
        if strings_from != 0 {
            let is_string = bytes >= strings_from;
            let way = if is_string {
                Way::StringMove
            } else {
                Way::Vectors
            };
            // SAFETY: as the caller vouches.
            return unsafe { copy_by(way, source, target, bytes) };
        }
        let turn = self.turn.get();
        self.turn.set(if turn == PERIOD { 0 } else { turn + 1 });
        // SAFETY: as the caller vouches.
        unsafe {
            match WAYS.get(turn as usize) {
                Some(way) => self.measure(*way, source, target, bytes),
                None => copy_by(self.best.get(), source, target, bytes),
            }
        }
    }

    /// Copies for lines that other cores have read last: settled where it is known what suits this processor, else
    /// measured.
    pub(crate) fn for_this_processor() -> Self {
        let long = Self::default();
        if processor::this().stores_without_fetch {
            long.settle(TAKEN_OVER_BYTES);
        }
        long
    }

    /// From now on, copies of at least so many bytes are string moves, all others by vectors: what is best on this
    /// processor is known.
    pub(crate) fn settle(&self, strings_from: usize) {
        self.strings_from.set(strings_from);
    }

    /// Whether a copy of so many bytes stores to lines that nobody has fetched before.
    #[inline(always)]
    pub(crate) fn stores_without_fetch(&self, bytes: usize) -> bool {
        let strings_from = self.strings_from.get();
        strings_from != 0 && bytes >= strings_from
    }

    /// Whether a copy is asked for where there is a choice: because this lane streams, or takes lines over, or is about
    /// to measure again. Whoever does without counts as a copy that did not need it.
    #[inline(always)]
    pub(crate) fn is_asked_for(&self) -> bool {
        if self.strings_from.get() != 0 {
            return self.strings_from.get() != usize::MAX;
        }
        let turn = self.turn.get();
        let asked_for = self.streams() || (turn as usize) < WAYS.len();
        if !asked_for {
            self.turn.set(if turn == PERIOD { 0 } else { turn + 1 });
        }
        asked_for
    }

    /// Whether copies stream at present.
    #[inline(always)]
    pub(crate) fn streams(&self) -> bool {
        self.best.get() == Way::Streaming
    }

    /// Copies by one way, with the tick counter around it; the last one decides.
    ///
    /// # Safety
    ///
    /// As for [`Self::copy`].
    #[cold]
    unsafe fn measure(&self, way: Way, source: *const u8, target: *mut u8, bytes: usize) {
        // SAFETY: as the caller vouches.
        let took = ticks(bytes, || unsafe { copy_by(way, source, target, bytes) });
        let mut measured = self.measured.get();
        let before = std::mem::replace(&mut measured[way as usize], took);
        self.measured.set(measured);
        if way == WAYS[WAYS.len() - 1] {
            self.best.set(best_of(measured));
            if before == 0 {
                self.turn.set(SECOND_TURN);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn best_of([string_move, vectors, streaming]: [u64; WAYS.len()]) -> Way {
    if 10 * string_move.min(vectors) > FACTOR_TENTHS * streaming {
        Way::Streaming
    } else if 5 * string_move < 4 * vectors {
        Way::StringMove
    } else {
        Way::Vectors
    }
}

/// # Safety
///
/// As for [`LongCopy::copy`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn copy_by(way: Way, source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: as the caller vouches.
    unsafe {
        match way {
            Way::StringMove => string_move(source, target, bytes),
            Way::Vectors => asked_vectors(source, target, bytes),
            Way::Streaming => stream(source, target, bytes),
        }
    }
}

/// Bytes that four vectors move.
#[cfg(target_arch = "x86_64")]
pub(crate) const VECTORS_BYTES: usize = 4 * 32;

/// How far ahead of the vectors lines are asked for.
#[cfg(target_arch = "x86_64")]
const AHEAD_BYTES: usize = 1024;

/// Asks for the first lines of what is to be written, all but one that it begins in the middle of:
/// that holds the header, at which the reader looks all the time. Gives where the next one is.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn ask_for_lines(target: *mut u8, bytes: usize) -> usize {
    let first = target.align_offset(LINE_BYTES);
    for at in (first..AHEAD_BYTES.min(bytes)).step_by(LINE_BYTES) {
        ask_for_line(target.wrapping_add(at));
    }
    first + AHEAD_BYTES
}

/// Copies by vectors of 32 bytes, where the processor has them, into lines that are asked for some time before they are
/// written.
///
/// # Safety
///
/// As for [`LongCopy::copy`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn asked_vectors(source: *const u8, target: *mut u8, bytes: usize) {
    let ahead = ask_for_lines(target, bytes);
    // SAFETY: as the caller vouches; the processor has AVX2, where that is asked.
    unsafe {
        if bytes >= VECTORS_BYTES && std::arch::is_x86_feature_detected!("avx2") {
            asked_vectors_avx2(source, target, bytes, ahead);
        } else {
            std::ptr::copy_nonoverlapping(source, target, bytes);
        }
    }
}

/// `ahead` is where the first line is that was not asked for.
///
/// # Safety
///
/// As for [`LongCopy::copy`]; at least [`VECTORS_BYTES`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn asked_vectors_avx2(source: *const u8, target: *mut u8, bytes: usize, ahead: usize) {
    let last = bytes - VECTORS_BYTES;
    let mut at = 0;
    // SAFETY: `at` is at most `last`, so the four vectors lie in the ranges that the caller
    // vouches for; the last ones may overlap those before them, and write the same bytes.
    unsafe {
        while at < last {
            if at + ahead < bytes {
                ask_for_line(target.wrapping_add(at + ahead));
                ask_for_line(target.wrapping_add(at + ahead + LINE_BYTES));
            }
            four_vectors(source.add(at), target.add(at));
            at += VECTORS_BYTES;
        }
        four_vectors(source.add(last), target.add(last));
    }
}

/// Has the line of an address fetched to be written, without waiting for it: stores wait for their
/// lines in turn, and these come side by side.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn ask_for_line(address: *mut u8) {
    // SAFETY: it accesses nothing, whatever the address; where the processor does not know it, it does
    // nothing at all.
    unsafe {
        std::arch::asm!(
            "prefetchw [{}]",
            in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
}

/// Has a line that was just written moved out of this core's own cache to the one that all cores share, where
/// another one finds it sooner. Processors that do not know this do nothing.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn hand_over_line(line: *mut u8) {
    // SAFETY: it is a hint, and changes nothing whatever the address.
    unsafe {
        std::arch::asm!(
            "cldemote [{}]",
            in(reg) line,
            options(nostack, preserves_flags, readonly)
        );
    }
}

/// Has a line fetched to be read, without waiting for it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn look_ahead(line: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: it accesses nothing, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
}

/// # Safety
///
/// [`VECTORS_BYTES`] can be read at the source and written at the target.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn four_vectors(source: *const u8, target: *mut u8) {
    use std::arch::x86_64::{__m256i, _mm256_loadu_si256, _mm256_storeu_si256};
    let (source, target) = (source.cast::<__m256i>(), target.cast::<__m256i>());
    // SAFETY: four vectors each, as the caller vouches; unaligned accesses need no alignment.
    unsafe {
        let first = _mm256_loadu_si256(source);
        let second = _mm256_loadu_si256(source.add(1));
        let third = _mm256_loadu_si256(source.add(2));
        let fourth = _mm256_loadu_si256(source.add(3));
        _mm256_storeu_si256(target, first);
        _mm256_storeu_si256(target.add(1), second);
        _mm256_storeu_si256(target.add(2), third);
        _mm256_storeu_si256(target.add(3), fourth);
    }
}

/// Nothing: it is only done where it was measured to help.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn ask_for_lines(_target: *mut u8, bytes: usize) -> usize {
    bytes
}

/// Nothing, as above.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn ask_for_line(_line: *mut u8) {}

/// Nothing, as above.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn hand_over_line(_line: *mut u8) {}

/// Nothing, as above.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn look_ahead(_line: *const u8) {}

#[cfg(not(target_arch = "x86_64"))]
impl LongCopy {
    /// Never: there is one way only.
    pub(crate) fn is_asked_for(&self) -> bool {
        false
    }

    /// Never, as above.
    pub(crate) fn streams(&self) -> bool {
        false
    }

    /// The only way, as above.
    pub(crate) fn for_this_processor() -> Self {
        Self::default()
    }

    /// Nothing, as above.
    pub(crate) fn settle(&self, _strings_from: usize) {}

    /// Never, as above.
    pub(crate) fn stores_without_fetch(&self, _bytes: usize) -> bool {
        false
    }

    /// Copies `bytes` bytes.
    ///
    /// # Safety
    ///
    /// `source` is readable and `target` writable for `bytes` bytes; they do not overlap.
    pub(crate) unsafe fn copy(&self, source: *const u8, target: *mut u8, bytes: usize) {
        // SAFETY: as the caller vouches.
        unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) };
    }
}

/// Ticks that each KiB of a copy takes.
#[cfg(target_arch = "x86_64")]
fn ticks(bytes: usize, copy: impl FnOnce()) -> u64 {
    use std::arch::x86_64::_rdtsc;
    // SAFETY: every processor of this architecture has the counter.
    let begin = unsafe { _rdtsc() };
    copy();
    // SAFETY: as above. The fence waits until the stores are done, which go on behind the copy
    // otherwise, longer for some ways than for others.
    unsafe { std::arch::x86_64::_mm_mfence() };
    // SAFETY: as above.
    let took = unsafe { _rdtsc() }.wrapping_sub(begin);
    took * 1024 / bytes.max(1) as u64
}

/// Copies by the string move, where the processor has one.
///
/// # Safety
///
/// As for [`LongCopy::copy`].
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn string_move(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: as the caller vouches.
    unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) };
}

/// Copies by the string move.
///
/// # Safety
///
/// As for [`LongCopy::copy`].
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(crate) unsafe fn string_move(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: reads `bytes` bytes at the source and writes as many at the target, which the
    // caller vouches for; the direction flag is clear by the calling convention.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") bytes => _,
            inout("rsi") source => _,
            inout("rdi") target => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Streams whole lines, whose beginnings and ends are copied as usual.
///
/// # Safety
///
/// As for [`LongCopy::copy`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream(source: *const u8, target: *mut u8, bytes: usize) {
    let before = target.align_offset(LINE_BYTES).min(bytes);
    let lines = (bytes - before) / LINE_BYTES;
    let streamed = before + lines * LINE_BYTES;
    // SAFETY: the three parts follow each other and are `bytes` bytes together; the middle one
    // begins at a line of the target. The caller vouches for both ranges.
    unsafe {
        std::ptr::copy_nonoverlapping(source, target, before);
        for at in (before..streamed).step_by(LINE_BYTES) {
            stream_line(source.add(at), target.add(at));
        }
        std::ptr::copy_nonoverlapping(source.add(streamed), target.add(streamed), bytes - streamed);
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = crate::lane::record::LINE_BYTES;

/// # Safety
///
/// A line can be read at the source and written at the target, which is aligned to a line.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn stream_line(source: *const u8, target: *mut u8) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    for at in (0..LINE_BYTES).step_by(size_of::<__m128i>()) {
        // SAFETY: four parts of a line; the target's are aligned since the line is. Every
        // processor of this architecture has these instructions.
        unsafe {
            _mm_stream_si128(
                target.add(at).cast(),
                _mm_loadu_si128(source.add(at).cast()),
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exactly the bytes that were asked for, wherever they lie, in each turn.
    fn assert_exact(copies: &LongCopy, bytes: usize, shifts: (usize, usize)) {
        let source: Vec<u8> = (0..bytes + 64).map(|at| ((at * 7) >> 2) as u8).collect();
        let mut target = vec![0xEE_u8; bytes + 192];
        let (from, to) = shifts;
        // SAFETY: both vectors have the bytes behind the shifts.
        unsafe {
            copies.copy(
                source.as_ptr().add(from),
                target.as_mut_ptr().add(to),
                bytes,
            )
        };
        assert_eq!(target[to..to + bytes], source[from..from + bytes]);
        let around = target[..to].iter().chain(&target[to + bytes..]);
        assert!(around.into_iter().all(|byte| *byte == 0xEE));
    }

    #[test]
    fn each_way_copies_exactly() {
        let copies = LongCopy::default();
        for round in 0..1200 {
            let bytes = LONG_BYTES + round * 13 % 700;
            assert_exact(&copies, bytes, (round % 61, round * 5 % 127));
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_way_copies_any_length_exactly() {
        let copies = LongCopy::default();
        for bytes in [
            0, 1, 63, 64, 65, 127, 128, 129, 200, 255, 256, 1023, 1153, 5000,
        ] {
            for (way, shift) in WAYS
                .into_iter()
                .flat_map(|way| [0, 1, 16, 63].map(|at| (way, at)))
            {
                copies.turn.set(5);
                copies.best.set(way);
                assert_exact(&copies, bytes, (3, shift));
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_fastest_way_is_taken_until_the_next_measurement() {
        assert_eq!(best_of([1000, 900, 200]), Way::Streaming);
        assert_eq!(best_of([1000, 900, 370]), Way::Vectors);
        assert_eq!(best_of([900, 1000, 500]), Way::Vectors);
        assert_eq!(best_of([700, 1000, 500]), Way::StringMove);
        assert_eq!(best_of([10, 20, 1]), Way::Streaming);
        let copies = LongCopy::default();
        for (turn, best, asked_for, next) in [
            (0, Way::Vectors, true, 0),
            (2, Way::StringMove, true, 2),
            (3, Way::StringMove, false, 4),
            (PERIOD, Way::Vectors, false, 0),
            (7, Way::Streaming, true, 7),
        ] {
            copies.turn.set(turn);
            copies.best.set(best);
            let asked = copies.is_asked_for();
            assert_eq!((asked, copies.turn.get()), (asked_for, next));
        }
        copies.turn.set(0);
        let data = [1_u8; LONG_BYTES];
        let mut target = [0_u8; LONG_BYTES];
        for turn in (0..3)
            .chain(SECOND_TURN..=PERIOD)
            .chain(0..=PERIOD)
            .chain([0, 1])
        {
            assert_eq!(copies.turn.get(), turn);
            // SAFETY: both arrays have the bytes.
            unsafe { copies.copy(data.as_ptr(), target.as_mut_ptr(), LONG_BYTES) };
        }
        assert!(copies.measured.get().iter().all(|ticks| *ticks > 0));
    }
}
