//! The machine that runs a layout program for some bytes at a time.
//!
//! It plays the part of the data gather/scatter machine (DGSM). Its whole
//! state is one packed offset: every burst finds its place from the root by
//! division in loops and binary search in lists (what the *dummy* DGSM does),
//! then moves whole inner loops. Stopping anywhere, also inside an element,
//! and seeking cost therefore nothing to keep.
//!
//! ```text
//!   packed   0        12     18               34
//!            ├────────┼──────┼────────────────┤
//!   memory   ████████····██████···████████████████     run(17..25): 1 byte, skip, 7 bytes
//!            0       12  20   26  33            49
//! ```
//!
//! Step before: `super::layout` compiled the program. Step after: the bytes
//! are moved by `super::memory`, the only file here that touches user memory.
//!
//! Invariant: `offset <= total`.

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
            let place = |index: usize| base.wrapping_add((index as i64).wrapping_mul(node.stride));
            let bytes = node.body_bytes;
            let whole = |sink: &mut _, first: usize, count: usize| {
                (first..first + count).all(|index| run(&node.body, place(index), 0, bytes, sink))
            };
            split(bytes, from, to, sink, whole, |sink, index, from, to| {
                run(&node.body, place(index), from, to, sink)
            })
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
        first + ends[first..].partition_point(|&end| end <= to)
    };
    if last > first && !whole(sink, first, last, start(first)) {
        return false;
    }
    let begin = start(last);
    begin == to || cut(sink, last, 0, to - begin)
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
        let bytes = node.bytes();
        let place = |i: usize| displacement.wrapping_add((i as i64).wrapping_mul(self.stride));
        let whole = |sink: &mut _, first: usize, count: usize| {
            (first..first + count).all(|index| run(node, place(index), 0, bytes, sink))
        };
        split(bytes, from, to, sink, whole, |sink, index, from, to| {
            run(node, place(index), from, to, sink)
        })
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
struct Collect<'a> {
    list: &'a mut Vec<(i64, usize)>,
    most: usize,
    merge: bool,
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

/// A range of user memory, as `process_vm_readv` takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoVector {
    /// Address of the first byte.
    pub address: usize,
    /// Length.
    pub bytes: usize,
}

/// A position in the packed form of a user's buffer.
#[derive(Clone, Debug)]
pub struct Cursor {
    pub(super) program: Program,
    pub(super) base: usize,
    pub(super) offset: usize,
}

impl Cursor {
    /// The packed offset of the next byte.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Packed bytes in all.
    #[inline]
    pub fn total(&self) -> usize {
        self.program.total
    }

    /// Packed bytes still to move.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.program.total - self.offset
    }

    /// Goes to a packed offset; beyond the end it stays at the end.
    #[inline]
    pub fn seek(&mut self, offset: usize) {
        self.offset = offset.min(self.program.total);
    }

    /// The program behind the cursor.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// `(address, bytes)` where the whole buffer is one contiguous block.
    #[inline]
    pub fn contiguous(&self) -> Option<(usize, usize)> {
        let (displacement, bytes) = self.program.contiguous()?;
        Some((self.base.wrapping_add_signed(displacement as isize), bytes))
    }

    /// Fills `out` with up to `most` ranges of memory from packed offset
    /// `from` on, neighbours merged, and answers the packed offset behind
    /// them. The cursor does not move.
    pub fn iovecs(&self, from: usize, most: usize, out: &mut Vec<IoVector>) -> usize {
        out.clear();
        let mut list = Vec::new();
        if most != 0 {
            let mut collect = Collect {
                list: &mut list,
                most,
                merge: true,
            };
            self.program.run(from, self.program.total, &mut collect);
        }
        let mut end = from.min(self.program.total);
        for (displacement, bytes) in list {
            end += bytes;
            let address = self.base.wrapping_add_signed(displacement as isize);
            out.push(IoVector { address, bytes });
        }
        end
    }
}
