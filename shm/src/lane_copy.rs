//! Copies of long data into a lane, by the faster of two ways on this machine, between these two
//! processors.
//!
//! Before: [`crate::mapped_lane`] has reserved a record. After: the bytes are in it.
//!
//! | way | what it does | where it is the faster |
//! |---|---|---|
//! | string move (`rep movsb`) | writes through this processor's cache; many processors then take over whole lines without fetching them | neighbouring cores; processors that do the latter |
//! | streaming stores | write past the caches, so that the lines leave the target's cache, where they lie since it read the last record there, without being asked for | cores that are far apart, on processors that fetch each line first |
//!
//! Neither is known beforehand: it depends on the processor, and on which cores the two ranks
//! have, which may change. So a lane measures its own copies: every [`PERIOD`]th time it copies one
//! record by each way, with the tick counter around it, and goes on with the better one. Streaming
//! has to be [`FACTOR`] times as fast for the origin, since the target then reads from memory.
//!
//! ```text
//! turn 0: string move, timed │ 1: streaming, timed │ 2 ... PERIOD: the better way │ 0 ...
//! ```
//!
//! Invariant: all stores of a copy are done before anything that is stored afterwards (the header
//! word): streaming ends with a fence for stores.

use std::cell::Cell;

/// From this many bytes on, a copy does not go through `memcpy`, which fetches lines from the
/// target's cache before it writes them.
pub(crate) const LONG_BYTES: usize = 2560;

/// Copies from one measurement to the next.
#[cfg(target_arch = "x86_64")]
const PERIOD: u32 = 128;

/// How much faster streaming has to be.
#[cfg(target_arch = "x86_64")]
const FACTOR: u64 = 3;

/// How a lane's long data is copied at present.
#[derive(Debug, Default)]
pub struct LongCopy {
    turn: Cell<u32>,
    /// Ticks that a KiB took by the string move when it was last measured.
    string_ticks: Cell<u64>,
    streams: Cell<bool>,
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
        let turn = self.turn.get();
        self.turn.set(if turn == PERIOD { 0 } else { turn + 1 });
        // SAFETY: as the caller vouches.
        unsafe {
            match turn {
                0 => self
                    .string_ticks
                    .set(ticks(bytes, || string_move(source, target, bytes))),
                1 => {
                    let streaming_ticks = ticks(bytes, || stream(source, target, bytes));
                    self.decide(streaming_ticks);
                }
                _ if self.streams.get() => stream(source, target, bytes),
                _ => string_move(source, target, bytes),
            }
        }
    }

    /// Whether a copy is asked for where there is a choice: because this lane streams, or is about to
    /// measure again. Whoever does without counts as a copy that did not need it.
    #[inline(always)]
    pub(crate) fn is_asked_for(&self) -> bool {
        let turn = self.turn.get();
        let asked_for = self.streams.get() || turn < 2;
        if !asked_for {
            self.turn.set(if turn == PERIOD { 0 } else { turn + 1 });
        }
        asked_for
    }

    fn decide(&self, streaming_ticks: u64) {
        let faster = self.string_ticks.get() > FACTOR * streaming_ticks;
        self.streams.set(faster);
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl LongCopy {
    /// Never: there is one way only.
    pub(crate) fn is_asked_for(&self) -> bool {
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
const LINE_BYTES: usize = crate::record::LINE_BYTES;

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
        for round in 0..300 {
            let bytes = LONG_BYTES + round * 13 % 700;
            assert_exact(&copies, bytes, (round % 61, round * 5 % 127));
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn streaming_copies_exactly() {
        let copies = LongCopy::default();
        for bytes in [0, 1, 63, 64, 65, 200, 5000] {
            for shift in [0, 1, 16, 63] {
                copies.turn.set(5);
                copies.streams.set(true);
                assert_exact(&copies, bytes, (3, shift));
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_way_that_is_much_faster_is_taken_until_the_next_measurement() {
        let copies = LongCopy::default();
        for (string, streaming, streams) in [(1000, 200, true), (1000, 500, false), (10, 1, true)] {
            copies.string_ticks.set(string);
            copies.decide(streaming);
            assert_eq!(copies.streams.get(), streams);
        }
        for (turn, streams, asked_for, next) in [
            (0, false, true, 0),
            (1, false, true, 1),
            (2, false, false, 3),
            (PERIOD, false, false, 0),
            (7, true, true, 7),
        ] {
            copies.turn.set(turn);
            copies.streams.set(streams);
            let asked = copies.is_asked_for();
            assert_eq!((asked, copies.turn.get()), (asked_for, next));
        }
        copies.turn.set(0);
        let data = [1_u8; LONG_BYTES];
        let mut target = [0_u8; LONG_BYTES];
        for turn in (0..=PERIOD).chain([0, 1]) {
            assert_eq!(copies.turn.get(), turn);
            // SAFETY: both arrays have the bytes.
            unsafe { copies.copy(data.as_ptr(), target.as_mut_ptr(), LONG_BYTES) };
        }
    }
}
