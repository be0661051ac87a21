//! Which sizes of each kind of operation may take the fast path ([`super::fast_path`]).
//!
//! Before: a blocking operation of so many bytes. After: it goes that way if its kind's table names `posted` for that
//! size, and the data fit one post; or if it names `measured`, and the members have found posts to be the faster
//! ([`crate::collective::board::kernel_copy`]).
//!
//! Invariant: tables do not change once they are used ([`crate::selection`]), so an answer is kept.

use std::cell::Cell;
use std::ops::Range;

use crate::selection::{Choice, Situation};

/// The kinds that go this way, as indices of [`FastPathSizes`].
#[derive(Debug, Clone, Copy)]
pub(in crate::collective) enum Kind {
    Barrier,
    Broadcast,
    Reduce,
    Allreduce,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
}

const KINDS: usize = Kind::Alltoall as usize + 1;

/// For each kind what its table says of sizes in bytes, where that has been asked.
#[derive(Debug)]
pub(in crate::collective) struct FastPathSizes([Cell<Sizes>; KINDS]);

#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Where sizes end that always take the fast path, if the data fit a post,
    posted_end: Option<usize>,
    /// and where those that are measured begin and end.
    measured: Option<(usize, usize)>,
}

const NOT_ASKED: Sizes = Sizes {
    posted_end: None,
    measured: None,
};

impl Default for FastPathSizes {
    fn default() -> Self {
        Self([const { Cell::new(NOT_ASKED) }; KINDS])
    }
}

impl FastPathSizes {
    /// From which size on the table names another algorithm than `posted`.
    #[inline(always)]
    pub(in crate::collective) fn posted_end<A: Choice>(
        &self,
        situation: impl FnOnce() -> Situation,
        kind: Kind,
        posted: A,
    ) -> usize {
        let known = &self.0[kind as usize];
        known.get().posted_end.unwrap_or_else(|| {
            let end = posted_end(situation(), posted);
            known.set(Sizes {
                posted_end: Some(end),
                ..known.get()
            });
            end
        })
    }

    /// For which sizes it names `measured`.
    pub(in crate::collective) fn measured<A: Choice>(
        &self,
        situation: impl FnOnce() -> Situation,
        kind: Kind,
        measured: A,
    ) -> Range<usize> {
        let known = &self.0[kind as usize];
        let (first, end) = known.get().measured.unwrap_or_else(|| {
            let range = first_range(situation(), measured);
            known.set(Sizes {
                measured: Some(range),
                ..known.get()
            });
            range
        });
        first..end
    }
}

#[cold]
#[inline(never)]
fn posted_end<A: Choice>(situation: Situation, posted: A) -> usize {
    match first_range(situation, posted) {
        (0, end) => end,
        _ => 0,
    }
}

/// The first range of sizes for which a table names an algorithm: its first size and the one behind its last.
#[cold]
#[inline(never)]
fn first_range<A: Choice>(situation: Situation, algorithm: A) -> (usize, usize) {
    let ranges = A::table().ranges(situation);
    let mut first = 0;
    for (bound, other) in ranges.iter().flat_map(|ranges| ranges.iter()) {
        let end = bound.saturating_add(1);
        if other == algorithm {
            return (first, end);
        }
        first = end;
    }
    (0, 0)
}
