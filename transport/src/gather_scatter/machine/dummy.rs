//! The dummy machine: the state at any packed offset, without moving a byte.
//!
//! It has the real machine's effect on stack, environment and offset. Loops are divided by,
//! lists are looked up in their prefix sums, so it takes a division or a search for each level of the
//! program and never walks: logarithmic in the number of blocks.
//!
//! Step before: a stripe begins in the middle, or packets are missing. Step after:
//! [`crate::gather_scatter::machine`] goes on from the state.
//!
//! Invariant: [`State::at`] is what running the real machine from the start to that offset
//! leaves.
//!
//! Source: striping, the dummy machine that finds the state as if what comes before had been
//! processed.

use crate::gather_scatter::machine::State;
use crate::gather_scatter::program::Program;
use crate::gather_scatter::program::node::Node;

impl State {
    /// The state `offset` packed bytes into `program`; beyond its end, the end's.
    pub fn at(program: &Program, offset: usize) -> Self {
        let mut state = Self::default();
        state.go(program, offset.min(program.total));
        state
    }

    /// Moves `bytes` packed bytes on, at most to the end, as the real machine would.
    pub fn skip(&mut self, program: &Program, bytes: usize) {
        let offset = self.offset.saturating_add(bytes).min(program.total);
        self.go(program, offset);
    }

    /// Becomes the state at `offset`, which is at most the program's total.
    #[inline]
    pub(crate) fn go(&mut self, program: &Program, offset: usize) {
        self.stack.clear();
        self.inside = 0;
        self.offset = offset;
        if offset == program.total {
            return;
        }
        let node = &program.placed.node;
        let mut left = offset;
        if program.count != 1 && left != 0 {
            left = self.count_off(left, node.bytes());
        }
        self.descend(node, left);
    }

    /// Pushes the frames that lead `left` packed bytes into `node`.
    #[inline]
    fn descend(&mut self, mut node: &Node, mut left: usize) {
        while left != 0 {
            match node {
                Node::Empty => return,
                Node::Block { .. } => {
                    self.inside = left;
                    return;
                }
                Node::Strided { block, .. } => {
                    self.inside = self.count_off(left, *block);
                    return;
                }
                Node::Uniform(node) => {
                    self.inside = self.count_off(left, node.block);
                    return;
                }
                Node::Indexed(node) => {
                    let index = node.ends.part_at(left);
                    self.stack.push(index);
                    self.inside = left - node.ends.start(index);
                    return;
                }
                Node::Loop(inner) => {
                    left = self.count_off(left, inner.body_bytes);
                    node = &inner.body;
                }
                Node::Sequence(inner) => {
                    let index = inner.ends.part_at(left);
                    self.stack.push(index);
                    left -= inner.ends.start(index);
                    node = &inner.parts[index].node;
                }
            }
        }
    }

    /// Pushes how many whole items of `bytes` fit in `left`; what is left of it then.
    #[inline]
    fn count_off(&mut self, left: usize, bytes: usize) -> usize {
        self.stack.push(left / bytes);
        left % bytes
    }
}
