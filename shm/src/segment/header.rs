//! The first page of a segment: what it is, and whether we understand it.
//!
//! ```text
//! byte  0   magic            "PAMIRSEG", written last but one
//!       8   layout version   written last, with Release; 0 while being made
//!      16   creator's pid    24  creator's start time (clock ticks since boot)
//!      32.. the owner's geometry words (`GEOMETRY_WORDS`)
//!     128   whether one that attached has told for all what is wrong (`told_by_one`)
//! ```
//!
//! Invariant: who has seen the version (Acquire) sees everything that the creator
//! wrote before it (the Release in [`SegmentHeader::publish`]).

use std::time::{Duration, Instant};

use crate::atomic::{AtomicU64, Ordering};
use crate::segment::offset::Offset;
use crate::segment::{PAGE_BYTES, Segment, SegmentError};
use crate::shareable::Shareable;

/// Says that a segment is one of ours.
pub const MAGIC: u64 = u64::from_le_bytes(*b"PAMIRSEG");

/// The layout that this build writes and reads. Raise it with every change of a
/// shared structure.
pub const LAYOUT_VERSION: u64 = 19;

/// How many words of geometry the owner of a segment may describe it with.
pub const GEOMETRY_WORDS: usize = 12;

/// Bytes kept for the header at the start of each segment.
pub const HEADER_BYTES: u64 = PAGE_BYTES as u64;

/// Why a segment's header was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// Not made by Pamir, or not finished.
    #[error(
        "the segment does not start with Pamir's magic number (found {found:#x}): it was not made by Pamir's launcher"
    )]
    Magic {
        /// What was found.
        found: u64,
    },
    /// Made by another version of Pamir.
    #[error(
        "the segment has layout version {found}, this library reads version {expected}: start the program with the mpiexec that was installed with this library"
    )]
    Version {
        /// The segment's version.
        found: u64,
        /// Ours.
        expected: u64,
    },
    /// The segment is too small to have a header.
    #[error(transparent)]
    Segment(#[from] SegmentError),
}

/// The words at the start of a segment.
#[repr(C)]
#[derive(Debug)]
pub struct SegmentHeader {
    magic: AtomicU64,
    version: AtomicU64,
    creator: AtomicU64,
    creator_started: AtomicU64,
    geometry: [AtomicU64; GEOMETRY_WORDS],
    told: AtomicU64,
}

/// Values of the word `told`.
const TELLING: u64 = 1;
const TOLD: u64 = 2;

/// How long the others wait for the one that tells. It may have died meanwhile.
const TELLING_TIME: Duration = Duration::from_secs(1);

// SAFETY: repr(C), nothing but 64-bit atomics: no padding, no pointer.
unsafe impl Shareable for SegmentHeader {}

#[cfg(not(loom))]
const _: () = {
    assert!(size_of::<SegmentHeader>() == 136);
    assert!(align_of::<SegmentHeader>() == 8);
    assert!(std::mem::offset_of!(SegmentHeader, version) == 8);
    assert!(std::mem::offset_of!(SegmentHeader, geometry) == 32);
};

impl SegmentHeader {
    const POSITION: Offset<SegmentHeader> = Offset::new(0);

    /// Writes the header of a new segment; from here on it can be attached to.
    pub fn publish(segment: &Segment, geometry: &[u64]) -> Result<(), HeaderError> {
        assert!(
            geometry.len() <= GEOMETRY_WORDS,
            "geometry has its {GEOMETRY_WORDS} words"
        );
        let header = segment.get(Self::POSITION)?;
        for (word, value) in header.geometry.iter().zip(geometry) {
            word.store(*value, Ordering::Relaxed);
        }
        header
            .creator
            .store(u64::from(std::process::id()), Ordering::Relaxed);
        header
            .creator_started
            .store(start_time(std::process::id()), Ordering::Relaxed);
        header.magic.store(MAGIC, Ordering::Relaxed);
        // Release: pairs with the Acquire in `check`.
        header.version.store(LAYOUT_VERSION, Ordering::Release);
        Ok(())
    }

    /// Refuses a segment that this build does not understand; else gives its geometry.
    pub fn check(segment: &Segment) -> Result<[u64; GEOMETRY_WORDS], HeaderError> {
        let header = segment.get(Self::POSITION)?;
        // Acquire: pairs with the Release in `publish`.
        let version = header.version.load(Ordering::Acquire);
        let magic = header.magic.load(Ordering::Relaxed);
        if magic != MAGIC {
            return Err(HeaderError::Magic { found: magic });
        }
        if version != LAYOUT_VERSION {
            return Err(HeaderError::Version {
                found: version,
                expected: LAYOUT_VERSION,
            });
        }
        Ok(std::array::from_fn(|word| {
            header.geometry[word].load(Ordering::Relaxed)
        }))
    }

    /// Lets the first that comes `tell` what all who attached find wrong; returns when it is told.
    ///
    /// The others must not end before: the launcher ends the whole job when the first process ends.
    pub fn told_by_one(segment: &Segment, tell: impl FnOnce()) -> Result<(), HeaderError> {
        let told = &segment.get(Self::POSITION)?.told;
        let first = told.compare_exchange(0, TELLING, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            tell();
            told.store(TOLD, Ordering::Relaxed);
            return Ok(());
        }
        let end = Instant::now() + TELLING_TIME;
        while told.load(Ordering::Relaxed) == TELLING && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// The creator's process id and start time: with both, a reused id is told apart.
    pub fn creator(segment: &Segment) -> Result<(u32, u64), HeaderError> {
        let header = segment.get(Self::POSITION)?;
        let creator = header.creator.load(Ordering::Relaxed) as u32;
        Ok((creator, header.creator_started.load(Ordering::Relaxed)))
    }
}

/// When process `id` was started, in clock ticks since boot; 0 if it is gone.
pub fn start_time(id: u32) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{id}/stat")) else {
        return 0;
    };
    // The command name may hold spaces and brackets: fields are counted after the last ')'.
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    after
        .split_whitespace()
        .nth(19)
        .and_then(|ticks| ticks.parse().ok())
        .unwrap_or(0)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_published_header_is_read_back() {
        let segment = Segment::create(HEADER_BYTES).unwrap();
        SegmentHeader::publish(&segment, &[7, 8]).unwrap();
        let geometry = SegmentHeader::check(&segment).unwrap();
        assert_eq!(geometry[..3], [7, 8, 0]);
        let (creator, started) = SegmentHeader::creator(&segment).unwrap();
        assert_eq!(
            (creator, started),
            (std::process::id(), start_time(std::process::id()))
        );
        assert!(started > 0);
    }

    #[test]
    fn one_tells_for_all_and_the_others_wait_for_it() {
        let segment = Segment::create(HEADER_BYTES).unwrap();
        SegmentHeader::publish(&segment, &[]).unwrap();
        let told = AtomicU64::new(0);
        let tell = || {
            std::thread::sleep(Duration::from_millis(20));
            told.fetch_add(1, Ordering::Relaxed);
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    SegmentHeader::told_by_one(&segment, tell).unwrap();
                    assert_eq!(told.load(Ordering::Relaxed), 1);
                });
            }
        });
    }

    #[test]
    fn another_layout_is_refused_with_both_numbers() {
        let segment = Segment::create(HEADER_BYTES).unwrap();
        assert!(matches!(
            SegmentHeader::check(&segment),
            Err(HeaderError::Magic { found: 0 })
        ));
        SegmentHeader::publish(&segment, &[]).unwrap();
        let version = Offset::<AtomicU64>::new(8);
        segment
            .get(version)
            .unwrap()
            .store(LAYOUT_VERSION + 5, Ordering::Release);
        let error = SegmentHeader::check(&segment).unwrap_err().to_string();
        assert!(
            error.contains(&format!("version {}", LAYOUT_VERSION + 5)),
            "{error}"
        );
        assert!(
            error.contains(&format!("reads version {LAYOUT_VERSION}")),
            "{error}"
        );
    }
}
