//! A program in words, for users who wonder why a datatype is slow.
//!
//! Step before: `MPI_Type_commit` with `PAMIR_EXPLAIN_TYPES=1`, or another caller. Step after: a
//! human reads it.
//!
//! Invariant: at most [`MOST_LINES`] instructions of a body are listed; what is left out is said.

use std::fmt::{self, Write};

use super::program::Program;
use crate::gather_scatter::copy::kernel::{crowds_a_set, has_loop};
use crate::gather_scatter::copy::{masked, vectors};
use crate::gather_scatter::program::node::{Node, Placed};

/// Instructions of a list that are written out.
pub const MOST_LINES: usize = 12;

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.span();
        let blocks = self.blocks();
        writeln!(
            out,
            "{} bytes in {blocks} block{} from {low} to {high}, the next element {} on",
            self.bytes(),
            if blocks == 1 { "" } else { "s" },
            self.extent()
        )?;
        if self.count != 1 {
            writeln!(out, "  {} elements of:", self.count)?;
        }
        writeln!(out, "  start {}", self.placed.displacement)?;
        node(out, &self.placed.node, 1)?;
        write!(out, "  moved by: {}", algorithm(&self.placed.node))?;
        if let Some(exponent) = self.packet_exponent() {
            let bytes = 1_usize << exponent;
            write!(
                out,
                "\n  blocks lie far apart: in packets of {bytes} bytes, for both ends to work at once"
            )?;
        }
        if self.contiguous().is_none() {
            write!(out, "\n  into a lane: {}", self.way_in_words())?;
        }
        Ok(())
    }
}

fn node(out: &mut impl Write, of: &Node, level: usize) -> fmt::Result {
    let indent = 2 * level;
    match of {
        Node::Empty => writeln!(out, "{:indent$}nothing", ""),
        Node::Block { bytes } => writeln!(out, "{:indent$}copy {bytes}", ""),
        Node::Strided {
            count,
            block,
            stride,
        } => {
            let skip = stride.wrapping_sub(*block as i64);
            writeln!(
                out,
                "{:indent$}loop {count} {{ copy {block}, skip {skip} }}",
                ""
            )
        }
        Node::Loop(inner) => {
            let stride = inner.stride;
            writeln!(out, "{:indent$}loop {} every {stride} {{", "", inner.count)?;
            node(out, &inner.body, level + 1)?;
            writeln!(out, "{:indent$}}}", "")
        }
        Node::Uniform(inner) => {
            let blocks = inner.displacements.iter().map(|&at| (at, inner.block));
            list(out, blocks, indent)
        }
        Node::Indexed(inner) => {
            let ends = &inner.ends;
            let blocks = inner.displacements.iter().enumerate();
            let bytes = |index| ends.ends()[index] - ends.start(index);
            list(out, blocks.map(|(index, &at)| (at, bytes(index))), indent)
        }
        Node::Sequence(inner) => {
            let parts = &inner.parts;
            for Placed {
                displacement,
                node: of,
            } in parts.iter().take(MOST_LINES)
            {
                writeln!(out, "{:indent$}at {displacement} {{", "")?;
                node(out, of, level + 1)?;
                writeln!(out, "{:indent$}}}", "")?;
            }
            more(out, parts.len(), indent)
        }
    }
}

fn list(
    out: &mut impl Write,
    blocks: impl ExactSizeIterator<Item = (i64, usize)>,
    indent: usize,
) -> fmt::Result {
    let (mut cursor, count) = (0, blocks.len());
    for (at, bytes) in blocks.take(MOST_LINES) {
        if at != cursor {
            writeln!(out, "{:indent$}skip {}", "", at.wrapping_sub(cursor))?;
        }
        writeln!(out, "{:indent$}copy {bytes}", "")?;
        cursor = at.wrapping_add(bytes as i64);
    }
    more(out, count, indent)
}

fn more(out: &mut impl Write, count: usize, indent: usize) -> fmt::Result {
    match count.checked_sub(MOST_LINES) {
        None | Some(0) => Ok(()),
        Some(left) => writeln!(out, "{:indent$}... and {left} more", ""),
    }
}

/// What moves the innermost loops.
fn algorithm(of: &Node) -> String {
    match of {
        Node::Empty => "nothing".into(),
        Node::Block { .. } => "one copy".into(),
        Node::Strided {
            count,
            block,
            stride,
        } => strided_name(*count, *block, *stride),
        Node::Uniform(node) => listed_name(node.block),
        Node::Indexed(node) => {
            let average = node.ends.total() / node.displacements.len();
            indexed_name(average)
        }
        Node::Loop(node) => algorithm(&node.body),
        Node::Sequence(node) => {
            let mut names: Vec<String> = Vec::new();
            for part in node.parts.iter().take(MOST_LINES) {
                let name = algorithm(&part.node);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join("; ")
        }
    }
}

/// How blocks at equal distance are copied, in words.
fn strided_name(count: usize, block: usize, stride: i64) -> String {
    let how = strided_loop(block, stride);
    if crowds_a_set(count, block, stride) {
        format!("{how}; unpacked by masked stores, since their lines share a set of the cache")
    } else {
        how
    }
}

fn strided_loop(block: usize, stride: i64) -> String {
    if vectors::pays(block, stride) {
        format!("vectors of {block}-byte blocks when packed, a loop when unpacked, {stride} apart")
    } else if has_loop(block) {
        format!("the loop for {block}-byte blocks, {stride} apart")
    } else if block <= masked::MOST_BYTES {
        format!("two moves that overlap for each block of {block} bytes, {stride} apart")
    } else {
        format!("a copy of {block} bytes for each block, {stride} apart")
    }
}

/// How equal blocks at listed places are copied, in words.
fn listed_name(block: usize) -> String {
    if has_loop(block) {
        format!("the loop for {block}-byte blocks at listed places")
    } else if block <= masked::MOST_BYTES {
        format!("two moves that overlap for each listed block of {block} bytes")
    } else {
        format!("a copy of {block} bytes for each listed block")
    }
}

/// How blocks of unequal length at listed places are copied, in words.
fn indexed_name(average: usize) -> String {
    let how = if masked::is_available() {
        "a masked move for each block of at most 64 bytes, a copy for each longer one"
    } else {
        "a copy for each block"
    };
    format!("{how}, of {average} bytes on average")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather_scatter::program::node::{repeat, sequence};

    #[test]
    fn instructions_blocks_and_kernel_are_told() {
        let parts = [(0, 12), (20, 6), (33, 16)].map(|(at, bytes)| Placed::block(at, bytes));
        let program = Program::canonical(&sequence(parts).unwrap(), 49).unwrap();
        let text = program.to_string();
        for expected in [
            "34 bytes in 3 blocks from 0 to 49",
            "copy 12\n  skip 8\n  copy 6\n  skip 7\n  copy 16\n",
            "11 bytes on average",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        let column = repeat(100, 800, &Placed::block(16, 8)).unwrap();
        let text = Program::new(column, 8).to_string();
        assert!(
            text.contains("start 16\n  loop 100 { copy 8, skip 792 }"),
            "{text}"
        );
        assert!(text.contains("8-byte blocks"), "{text}");
        assert!(!text.contains("far apart"), "{text}");
        assert!(text.contains("into a lane: straight"), "{text}");
        let wide = repeat(1024, 8192, &Placed::block(0, 8)).unwrap();
        let text = Program::new(wide, 8).to_string();
        assert!(text.contains("in packets of 1024 bytes"), "{text}");
    }

    #[test]
    fn long_lists_are_cut() {
        let parts = (0..100).map(|i| Placed::block(i * i * 7, 3));
        let text = Program::new(sequence(parts).unwrap(), 0).to_string();
        assert!(text.contains("... and 88 more"), "{text}");
    }
}
