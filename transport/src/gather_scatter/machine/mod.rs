//! The data gather/scatter machine (DGSM): runs a program for some bytes at a time.
//!
//! ```text
//!   program   loop 10 ─┬─ loop 3 ─── copy 8        state after 59 packed bytes:
//!                      └─ copy 4                   stack [2, 0, 0], inside 3
//!                                                        │  │  └ first iteration of loop 3
//!                                                        │  └ first part of the body
//!                                                        └ third iteration of loop 10
//! ```
//!
//! | state | event | next |
//! |---|---|---|
//! | at a boundary: the stack ends, nothing inside | a burst begins | the next instruction, entered: its frame is pushed |
//! | suspended inside: frames lead to a cut block | a burst begins | the rest of the block, then whole inner loops |
//! | in an instruction | it is finished | its frame is popped, the one below counts on |
//! | in an instruction | the burst's bytes are used up | suspended there |
//! | any | `seek` | the state that the dummy machine (`crate::gather_scatter::machine::dummy`) finds |
//!
//! So a state is the same however it was reached: by one long burst, by many short
//! ones, or by the dummy machine.
//!
//! Step before: a [`Program`]. Step after: memory is moved by a [`Sink`].
//!
//! Invariants: a frame counts below its instruction's count; a finished instruction has no
//! frame; `offset <= total`, and at `total` the stack is empty.
//!
//! Source: striping, the machine with its stack, state of the environment and offset.

pub(super) mod dummy;
pub mod random_access;
pub mod section;
pub mod sink;

use smallvec::SmallVec;

use super::program::Program;
use crate::gather_scatter::machine::sink::{Nothing, Repeat, Sink, repeated, whole};
use crate::gather_scatter::program::node::{Node, Placed};
use crate::gather_scatter::program::prefix_sums::PrefixSums;

/// Where a machine stands in its program; see the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Packed bytes before it.
    pub(super) offset: usize,
    /// Bytes of the current block before it.
    pub(super) inside: usize,
    /// Which iteration or part of each instruction that is being executed, outermost first.
    pub(super) stack: SmallVec<[usize; 4]>,
}

impl State {
    /// The packed offset it stands at.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Levels of instructions that are being executed.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Moves on by `bytes` packed bytes, at most to the end, and tells `sink` the memory on
    /// the way.
    #[inline]
    pub(super) fn run(&mut self, program: &Program, bytes: usize, sink: &mut impl Sink) -> usize {
        let bytes = bytes.min(program.total - self.offset);
        if bytes == 0 {
            return 0;
        }
        let mut burst = Burst {
            state: self,
            left: bytes,
            sink,
        };
        let Placed { displacement, node } = &program.placed;
        if program.count == 1 {
            burst.execute(node, *displacement, 0);
        } else {
            let repeat = Repeat {
                count: program.count,
                stride: program.stride,
                bytes: node.bytes(),
            };
            burst.iterate(node, *displacement, repeat, 0);
        }
        self.offset += bytes;
        bytes
    }

    /// The rest of the current block, and the state behind it.
    pub(super) fn next_block(&mut self, program: &Program) -> Option<(i64, usize)> {
        if self.offset == program.total {
            return None;
        }
        let (displacement, bytes) = self.block(program);
        self.run(program, bytes, &mut Nothing);
        Some((displacement, bytes))
    }

    /// Where the rest of the current block is, and how long.
    fn block(&self, program: &Program) -> (i64, usize) {
        let mut frames = self.stack.iter().copied();
        let Placed { displacement, node } = &program.placed;
        let (mut at, mut node) = (*displacement, node);
        if program.count != 1 {
            at = place(at, frames.next().unwrap_or(0), program.stride);
        }
        let bytes = loop {
            if let Node::Block { bytes } = node {
                break *bytes;
            }
            let index = frames.next().unwrap_or(0);
            match node {
                Node::Strided { block, stride, .. } => {
                    at = place(at, index, *stride);
                    break *block;
                }
                Node::Uniform(node) => {
                    at = at.wrapping_add(node.displacements[index]);
                    break node.block;
                }
                Node::Indexed(node) => {
                    at = at.wrapping_add(node.displacements[index]);
                    break node.ends.ends()[index] - node.ends.start(index);
                }
                Node::Loop(inner) => {
                    at = place(at, index, inner.stride);
                    node = &inner.body;
                }
                Node::Sequence(inner) => {
                    let part = &inner.parts[index];
                    at = at.wrapping_add(part.displacement);
                    node = &part.node;
                }
                Node::Block { .. } | Node::Empty => break 0,
            }
        };
        (at.wrapping_add(self.inside as i64), bytes - self.inside)
    }
}

#[inline(always)]
fn place(base: i64, index: usize, stride: i64) -> i64 {
    base.wrapping_add((index as i64).wrapping_mul(stride))
}

/// A run of the machine for so many bytes.
struct Burst<'a, S> {
    state: &'a mut State,
    /// Bytes still to move; never 0 when an instruction is entered.
    left: usize,
    sink: &'a mut S,
}

impl<S: Sink> Burst<'_, S> {
    /// Executes `node`, which stands at `base`, from the state on; whether it is finished.
    fn execute(&mut self, node: &Node, base: i64, level: usize) -> bool {
        match node {
            Node::Empty => true,
            Node::Block { bytes } => self.cut(base, *bytes),
            Node::Strided {
                count,
                block,
                stride,
            } => self.equal(
                (level, *count, *block),
                |burst, first, count| {
                    burst
                        .sink
                        .strided(place(base, first, *stride), count, *block, *stride);
                },
                |burst, index| burst.cut(place(base, index, *stride), *block),
            ),
            Node::Uniform(node) => {
                let list = &node.displacements;
                self.equal(
                    (level, list.len(), node.block),
                    |burst, first, count| {
                        burst
                            .sink
                            .uniform(base, &list[first..first + count], node.block);
                    },
                    |burst, index| burst.cut(base.wrapping_add(list[index]), node.block),
                )
            }
            Node::Indexed(node) => {
                let (list, ends) = (&node.displacements, &node.ends);
                self.unequal(
                    (level, ends),
                    |burst, first, last| {
                        let (list, start) = (&list[first..last], ends.start(first));
                        burst
                            .sink
                            .indexed(base, list, start, &ends.ends()[first..last]);
                    },
                    |burst, index| {
                        let bytes = ends.ends()[index] - ends.start(index);
                        burst.cut(base.wrapping_add(list[index]), bytes)
                    },
                )
            }
            Node::Loop(node) => {
                let repeat = Repeat {
                    count: node.count,
                    stride: node.stride,
                    bytes: node.body_bytes,
                };
                self.iterate(&node.body, base, repeat, level)
            }
            Node::Sequence(node) => self.unequal(
                (level, &node.ends),
                |burst, first, last| {
                    for part in &node.parts[first..last] {
                        whole(&part.node, base.wrapping_add(part.displacement), burst.sink);
                    }
                },
                |burst, index| {
                    let part = &node.parts[index];
                    let at = base.wrapping_add(part.displacement);
                    burst.execute(&part.node, at, level + 1)
                },
            ),
        }
    }

    /// Executes a loop.
    fn iterate(&mut self, body: &Node, base: i64, repeat: Repeat, level: usize) -> bool {
        self.equal(
            (level, repeat.count, repeat.bytes),
            |burst, first, count| {
                let these = Repeat { count, ..repeat };
                repeated(body, repeat.place(base, first), these, burst.sink);
            },
            |burst, index| burst.execute(body, repeat.place(base, index), level + 1),
        )
    }

    /// `count` items of equal length: the rest of a cut one, whole ones, a cut one.
    #[inline(always)]
    fn equal(
        &mut self,
        (level, count, bytes): (usize, usize, usize),
        whole: impl Fn(&mut Self, usize, usize),
        cut: impl Fn(&mut Self, usize) -> bool,
    ) -> bool {
        let mut index = self.enter(level);
        if self.is_inside(level) {
            if !cut(self, index) {
                return false;
            }
            index += 1;
        }
        let rest = count - index;
        let full = if self.left >= rest.saturating_mul(bytes) {
            rest
        } else {
            self.left / bytes
        };
        if full != 0 {
            whole(self, index, full);
            self.left -= full * bytes;
            index += full;
        }
        if index == count {
            return self.leave(level);
        }
        self.state.stack[level] = index;
        if self.left != 0 {
            cut(self, index);
        }
        false
    }

    /// The same for items of unequal length.
    #[inline(always)]
    fn unequal(
        &mut self,
        (level, ends): (usize, &PrefixSums),
        whole: impl Fn(&mut Self, usize, usize),
        cut: impl Fn(&mut Self, usize) -> bool,
    ) -> bool {
        let mut index = self.enter(level);
        if self.is_inside(level) {
            if !cut(self, index) {
                return false;
            }
            index += 1;
        }
        let count = ends.ends().len();
        let start = ends.start(index);
        let last = if self.left >= ends.total() - start {
            count
        } else {
            ends.part_at(start + self.left)
        };
        if last > index {
            whole(self, index, last);
            self.left -= ends.start(last) - start;
        }
        if last == count {
            return self.leave(level);
        }
        self.state.stack[level] = last;
        if self.left != 0 {
            cut(self, last);
        }
        false
    }

    /// A block, or the rest of one, as far as the burst reaches.
    #[inline(always)]
    fn cut(&mut self, at: i64, block: usize) -> bool {
        let inside = self.state.inside;
        let bytes = self.left.min(block - inside);
        self.sink.block(at.wrapping_add(inside as i64), bytes);
        self.left -= bytes;
        let end = inside + bytes;
        self.state.inside = if end == block { 0 } else { end };
        end == block
    }

    /// The frame of the instruction at `level`, pushed where it is new.
    #[inline(always)]
    fn enter(&mut self, level: usize) -> usize {
        match self.state.stack.get(level) {
            Some(&index) => index,
            None => {
                self.state.stack.push(0);
                0
            }
        }
    }

    /// Whether the current item of the instruction at `level` has been begun.
    #[inline(always)]
    fn is_inside(&self, level: usize) -> bool {
        self.state.inside != 0 || self.state.stack.len() > level + 1
    }

    /// Pops the frame of the finished instruction at `level`.
    #[inline(always)]
    fn leave(&mut self, level: usize) -> bool {
        self.state.stack.truncate(level);
        true
    }
}

/// A program being run over a user's buffer.
///
/// Made by [`Machine::new`] in `crate::gather_scatter::copy::memory`, which is where the bytes are moved.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) program: Program,
    pub(super) base: usize,
    pub(super) state: State,
}

/// A range of user memory, as `process_vm_readv` takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoVector {
    /// Address of the first byte.
    pub address: usize,
    /// Length.
    pub bytes: usize,
}

impl Machine {
    /// The packed offset of the next byte.
    #[inline]
    pub fn offset(&self) -> usize {
        self.state.offset
    }

    /// Packed bytes in all.
    #[inline]
    pub fn total(&self) -> usize {
        self.program.total
    }

    /// Packed bytes still to move.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.program.total - self.state.offset
    }

    /// The state to come back to by [`Machine::resume`].
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on from a state of the same program; `false`, and nothing changes, where it is of
    /// another.
    pub fn resume(&mut self, state: State) -> bool {
        let same = state.offset <= self.total() && state == State::at(&self.program, state.offset);
        if same {
            self.state = state;
        }
        same
    }

    /// Goes to a packed offset as the dummy machine does; beyond the end it stays at the end.
    #[inline]
    pub fn seek(&mut self, offset: usize) {
        if offset != self.state.offset {
            self.state.go(&self.program, offset.min(self.program.total));
        }
    }

    /// The program that runs.
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
    /// them. The machine does not move.
    pub fn iovecs(&self, from: usize, most: usize, out: &mut Vec<IoVector>) -> usize {
        out.clear();
        let mut end = from.min(self.program.total);
        for (displacement, bytes) in self.program.iter_blocks(from) {
            let address = self.base.wrapping_add_signed(displacement as isize);
            let full = out.len() == most;
            match out.last_mut() {
                Some(last) if last.address.wrapping_add(last.bytes) == address => {
                    last.bytes += bytes;
                }
                _ if full => break,
                _ => out.push(IoVector { address, bytes }),
            }
            end += bytes;
        }
        end
    }
}
