//! The interpreter of layout programs: emits the memory behind any range of
//! packed bytes.
//!
//! ```text
//!   packed   0        12     18               34
//!            ├────────┼──────┼────────────────┤
//!   memory   ████████····██████···████████████████     run(17..25): 1 byte, skip, 7 bytes
//!            0       12  20   26  33            49
//! ```
//!
//! Every range is found from the root, by division in loops and by search in
//! lists, and then emitted in whole inner loops; nothing is remembered between
//! ranges.
//!
//! Step before: `super::layout` compiled the program, `super::cursor` keeps the
//! offset. Step after: a [`Sink`], in `super::memory` or here.
//!
//! Invariant: `from <= to <=` the program's packed bytes.

use super::Datatype;
use super::layout::{Node, Placed, repeat};

/// Receives the pieces of memory that a packed range stands for, in order.
/// Displacements are in bytes from the buffer's address. Each call answers
/// whether more is wanted.
pub trait Sink {
    /// `bytes` contiguous bytes.
    fn block(&mut self, displacement: i64, bytes: usize) -> bool;

    /// `count` blocks at equal distance.
    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) -> bool {
        let mut at = displacement;
        for _ in 0..count {
            if !self.block(at, block) {
                return false;
            }
            at = at.wrapping_add(stride);
        }
        true
    }

    /// Equal blocks at listed displacements from `displacement`.
    #[inline]
    fn uniform(&mut self, displacement: i64, list: &[i64], block: usize) -> bool {
        list.iter()
            .all(|&at| self.block(displacement.wrapping_add(at), block))
    }

    /// Unequal blocks: `ends` are packed offsets, `start` the first's begin.
    #[inline]
    fn indexed(&mut self, displacement: i64, list: &[i64], start: usize, ends: &[usize]) -> bool {
        let mut start = start;
        list.iter().zip(ends).all(|(&at, &end)| {
            let bytes = end - start;
            start = end;
            self.block(displacement.wrapping_add(at), bytes)
        })
    }

    /// A short list of blocks, `repeat.count` times over, as arrays of C
    /// structures are made of.
    #[inline]
    fn interleaved(&mut self, displacement: i64, repeat: Repeat, list: Blocklist<'_>) -> bool {
        (0..repeat.count).all(|index| match list {
            Blocklist::Equal(list, block) => {
                self.uniform(repeat.place(displacement, index), list, block)
            }
            Blocklist::Ends(list, ends) => {
                self.indexed(repeat.place(displacement, index), list, 0, ends)
            }
        })
    }
}

/// So many iterations at equal distance.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// How many iterations.
    pub count: usize,
    /// Distance from start to start in user memory, in bytes.
    pub stride: i64,
    /// Packed bytes of one iteration.
    pub bytes: usize,
}

impl Repeat {
    /// Where iteration `index` stands.
    #[inline]
    fn place(&self, displacement: i64, index: usize) -> i64 {
        displacement.wrapping_add((index as i64).wrapping_mul(self.stride))
    }

    /// Emits all iterations of `body`, the first of which is at `base`.
    #[inline]
    fn run(&self, body: &Node, base: i64, sink: &mut impl Sink) -> bool {
        match body {
            Node::Uniform(node) if node.displacements.len() <= SHORT_LIST => {
                let list = Blocklist::Equal(&node.displacements, node.block);
                sink.interleaved(base, *self, list)
            }
            Node::Indexed(node) if node.displacements.len() <= SHORT_LIST => {
                let list = Blocklist::Ends(&node.displacements, &node.ends);
                sink.interleaved(base, *self, list)
            }
            _ => {
                (0..self.count).all(|index| run(body, self.place(base, index), 0, self.bytes, sink))
            }
        }
    }
}

/// A list of displacements with the blocks' lengths.
#[derive(Clone, Copy, Debug)]
pub enum Blocklist<'a> {
    /// All of the same length.
    Equal(&'a [i64], usize),
    /// Ending at the listed packed offsets.
    Ends(&'a [i64], &'a [usize]),
}

/// Emits the packed range `from..to` of `node`, which stands at `base`.
pub(super) fn run(node: &Node, base: i64, from: usize, to: usize, sink: &mut impl Sink) -> bool {
    if from >= to {
        return true;
    }
    match node {
        Node::Empty => true,
        Node::Block { .. } => sink.block(base.wrapping_add(from as i64), to - from),
        Node::Strided {
            count,
            block,
            stride,
        } => {
            if from == 0 && to == count * block {
                return sink.strided(base, *count, *block, *stride);
            }
            let place = |index: usize| base.wrapping_add((index as i64).wrapping_mul(*stride));
            let whole = |sink: &mut _, first: usize, count: usize| {
                Sink::strided(sink, place(first), count, *block, *stride)
            };
            split(*block, from, to, sink, whole, |sink, index, from, to| {
                sink.block(place(index).wrapping_add(from as i64), to - from)
            })
        }
        Node::Uniform(node) => {
            let whole = |sink: &mut _, first: usize, count: usize| {
                Sink::uniform(
                    sink,
                    base,
                    &node.displacements[first..first + count],
                    node.block,
                )
            };
            split(
                node.block,
                from,
                to,
                sink,
                whole,
                |sink, index, from, to| {
                    let at = base.wrapping_add(node.displacements[index]);
                    sink.block(at.wrapping_add(from as i64), to - from)
                },
            )
        }
        Node::Loop(node) => {
            let repeat = Repeat {
                count: node.count,
                stride: node.stride,
                bytes: node.body_bytes,
            };
            looped(&node.body, base, repeat, from, to, sink)
        }
        Node::Indexed(node) => {
            let whole = |sink: &mut _, first: usize, last: usize, start: usize| {
                let (list, ends) = (&node.displacements[first..last], &node.ends[first..last]);
                Sink::indexed(sink, base, list, start, ends)
            };
            search(
                &node.ends,
                from,
                to,
                sink,
                whole,
                |sink, index, from, to| {
                    let at = base.wrapping_add(node.displacements[index]);
                    sink.block(at.wrapping_add(from as i64), to - from)
                },
            )
        }
        Node::Sequence(node) => {
            let part = |sink: &mut _, index: usize, from, to| {
                let part = &node.parts[index];
                run(
                    &part.node,
                    base.wrapping_add(part.displacement),
                    from,
                    to,
                    sink,
                )
            };
            let whole = |sink: &mut _, first: usize, last: usize, _| {
                (first..last).all(|index| part(sink, index, 0, node.parts[index].node.bytes()))
            };
            search(&node.ends, from, to, sink, whole, part)
        }
    }
}

/// Emits `from..to` of a repeated node.
#[inline]
fn looped(
    body: &Node,
    base: i64,
    repeat: Repeat,
    from: usize,
    to: usize,
    sink: &mut impl Sink,
) -> bool {
    let whole = |sink: &mut _, first: usize, count: usize| {
        Repeat { count, ..repeat }.run(body, repeat.place(base, first), sink)
    };
    split(
        repeat.bytes,
        from,
        to,
        sink,
        whole,
        |sink, index, from, to| run(body, repeat.place(base, index), from, to, sink),
    )
}

/// Splits `from..to` over items of `bytes` each: a cut first one, whole ones,
/// a cut last one.
#[inline]
fn split<S>(
    bytes: usize,
    from: usize,
    to: usize,
    sink: &mut S,
    whole: impl Fn(&mut S, usize, usize) -> bool,
    cut: impl Fn(&mut S, usize, usize, usize) -> bool,
) -> bool {
    let (mut index, skipped) = if from == 0 {
        (0, 0)
    } else {
        (from / bytes, from % bytes)
    };
    let mut left = to - from;
    if skipped != 0 {
        let here = left.min(bytes - skipped);
        if !cut(sink, index, skipped, skipped + here) {
            return false;
        }
        left -= here;
        index += 1;
    }
    let count = left / bytes;
    if count != 0 && !whole(sink, index, count) {
        return false;
    }
    let rest = left - count * bytes;
    rest == 0 || cut(sink, index + count, 0, rest)
}

/// The same over items of unequal length, which end at `ends`.
#[inline]
fn search<S>(
    ends: &[usize],
    from: usize,
    to: usize,
    sink: &mut S,
    whole: impl Fn(&mut S, usize, usize, usize) -> bool,
    cut: impl Fn(&mut S, usize, usize, usize) -> bool,
) -> bool {
    let start = |index: usize| if index == 0 { 0 } else { ends[index - 1] };
    let mut first = if from == 0 {
        0
    } else {
        ends.partition_point(|&end| end <= from)
    };
    let skipped = from - start(first);
    if skipped != 0 {
        let stop = to.min(ends[first]);
        if !cut(sink, first, skipped, stop - start(first)) {
            return false;
        }
        if stop == to {
            return true;
        }
        first += 1;
    }
    let last = if to == ends[ends.len() - 1] {
        ends.len()
    } else {
        locate(ends, to)
    };
    if last > first && !whole(sink, first, last, start(first)) {
        return false;
    }
    let begin = start(last);
    begin == to || cut(sink, last, 0, to - begin)
}

/// Lists up to this length are searched without a guess, and copied column by
/// column where they are repeated.
const SHORT_LIST: usize = 16;

/// How many of the ascending `ends` are at most `offset`.
///
/// Blocks of similar lengths end at about equal steps, so that a guess lands
/// close by; doubling steps from there bracket the place, and only the bracket
/// is searched. At worst that is logarithmic twice.
#[inline]
fn locate(ends: &[usize], offset: usize) -> usize {
    let below = |index: usize| ends[index] <= offset;
    let last = ends.len() - 1;
    if ends.len() <= SHORT_LIST {
        return ends.partition_point(|&end| end <= offset);
    }
    let guess = (offset as f64 / ends[last] as f64 * ends.len() as f64) as usize;
    let guess = guess.min(last);
    let mut step = 1;
    // Everything before `low` is below, everything from `high` on is not.
    let (mut low, mut high) = (0, ends.len());
    if below(guess) {
        low = guess + 1;
        while low < high {
            let next = (low + step - 1).min(last);
            if !below(next) {
                high = next;
                break;
            }
            low = next + 1;
            step *= 2;
        }
    } else {
        high = guess;
        while low < high {
            let next = high.saturating_sub(step);
            if below(next) {
                low = next + 1;
                break;
            }
            high = next;
            step *= 2;
        }
    }
    low + ends[low..high].partition_point(|&end| end <= offset)
}

/// `count` elements of a datatype as one program, made without allocating.
#[derive(Clone, Debug)]
pub struct Program {
    placed: Placed,
    count: usize,
    stride: i64,
    total: usize,
}

impl Program {
    /// Of `count` elements of `datatype`.
    pub fn new(datatype: &Datatype, count: usize) -> Self {
        let placed = datatype.layout();
        let stride = datatype.extent();
        // A total beyond the address space cannot be backed by memory; it
        // saturates, and the buffer's contract rules it out.
        let total = datatype.size().saturating_mul(count);
        if count != 1
            && placed.node.repeats_in_place(stride)
            && let Ok(placed) = repeat(count, stride, placed)
        {
            return Self {
                placed,
                count: 1,
                stride: 0,
                total,
            };
        }
        Self {
            placed: placed.clone(),
            count,
            stride,
            total,
        }
    }

    /// Packed bytes in all.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.total
    }

    /// `(displacement, bytes)` where all of it is one contiguous block.
    #[inline]
    pub fn contiguous(&self) -> Option<(i64, usize)> {
        match self.placed.node {
            Node::Block { bytes } if self.count == 1 => Some((self.placed.displacement, bytes)),
            _ if self.total == 0 => Some((self.placed.displacement, 0)),
            _ => None,
        }
    }

    /// Contiguous blocks that the program moves (neighbours across the ends
    /// of loops are counted apart).
    pub fn blocks(&self) -> usize {
        self.placed.node.blocks().saturating_mul(self.count)
    }

    /// Emits the packed range `from..to`; `false` where the sink had enough.
    #[inline]
    pub fn run(&self, from: usize, to: usize, sink: &mut impl Sink) -> bool {
        let Placed { displacement, node } = &self.placed;
        if self.count == 1 {
            return run(node, *displacement, from, to, sink);
        }
        if from >= to {
            return true;
        }
        let repeat = Repeat {
            count: self.count,
            stride: self.stride,
            bytes: node.bytes(),
        };
        looped(node, *displacement, repeat, from, to, sink)
    }

    /// The contiguous blocks from packed offset `from` on, as
    /// `(displacement, bytes)`; the first may be the rest of a cut block.
    pub fn iter_blocks(&self, from: usize) -> Blocks<'_> {
        Blocks {
            program: self,
            next: from,
            batch: Vec::new(),
            taken: 0,
        }
    }
}

/// Blocks fetched from the program in one go.
const BATCH: usize = 64;

/// Iterator over `(displacement, bytes)`; see [`Program::iter_blocks`].
#[derive(Debug)]
pub struct Blocks<'a> {
    program: &'a Program,
    next: usize,
    batch: Vec<(i64, usize)>,
    taken: usize,
}

impl Iterator for Blocks<'_> {
    type Item = (i64, usize);

    fn next(&mut self) -> Option<(i64, usize)> {
        if self.taken == self.batch.len() {
            self.batch.clear();
            self.taken = 0;
            let mut collect = Collect {
                list: &mut self.batch,
                most: BATCH,
                merge: false,
            };
            self.program
                .run(self.next, self.program.total, &mut collect);
            self.next += self.batch.iter().map(|&(_, bytes)| bytes).sum::<usize>();
        }
        let block = self.batch.get(self.taken).copied();
        self.taken += 1;
        block.or_else(|| {
            self.taken = self.batch.len();
            None
        })
    }
}

/// Collects up to `most` blocks, neighbours merged where asked.
pub(super) struct Collect<'a> {
    pub list: &'a mut Vec<(i64, usize)>,
    pub most: usize,
    pub merge: bool,
}

impl Sink for Collect<'_> {
    fn block(&mut self, displacement: i64, bytes: usize) -> bool {
        if self.merge
            && let Some((at, length)) = self.list.last_mut()
            && at.wrapping_add(*length as i64) == displacement
        {
            *length += bytes;
            return true;
        }
        if self.list.len() >= self.most {
            return false;
        }
        self.list.push((displacement, bytes));
        // Without merging nothing can be added to the last one.
        self.merge || self.list.len() < self.most
    }
}

#[cfg(test)]
mod tests {
    use super::locate;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn guessing_finds_what_bisection_finds(
            steps in prop::collection::vec(prop_oneof![1usize..4, 1usize..5000], 1..200),
            offset in any::<prop::sample::Index>(),
        ) {
            let mut end = 0;
            let ends: Vec<usize> = steps.iter().map(|step| { end += step; end }).collect();
            let around = offset.index(end + 2);
            for offset in [0, around, end - 1, end, end + 1] {
                prop_assert_eq!(locate(&ends, offset), ends.partition_point(|&e| e <= offset));
            }
        }
    }
}
