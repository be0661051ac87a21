//! The canonical form of a program: what means the same bytes becomes the same instructions.
//!
//! A program of up to [`MOST_BLOCKS`] blocks is written out as the list of its contiguous
//! blocks, neighbours merged, and compiled again from that list alone. So
//! however a type was made, its program is the same, and irregular nests that
//! are regular in the end become loops. Larger ones keep the tree that composition
//! gave them ([`super::node`]), which merges and recognises what stands next to each other.
//!
//! ```text
//!   blocks of the list                              becomes
//!   one                                             Block
//!   a shortest pattern, repeated at equal distance  Loop of the pattern, Strided if it is one block
//!   a run of at least 8 equal steps in between      a part of its own: Strided
//!   what is left between runs                       Uniform or Indexed
//!   at least 32 of one unit in what is left,        a part of its own: Uniform, in which what
//!   or a few times that                             was merged stands as so many units
//! ```
//!
//! The last line is for items that are picked from arrays of structures or coordinates: some happen to
//! be neighbours, and merged, they would be blocks of unequal length. A loop for the unit
//! moves them in half the time (`docs/decisions/010-data-with-gaps.md`).
//!
//! Step before: a datatype is committed, or a builder completed. Step after: [`crate::gather_scatter::program`].
//!
//! Invariant: the blocks, merged, are those of the program that came in, in their order.
//!
//! Source: striping, the compiled program of a datatype.

use super::node::{Node, Placed, common_divisor, repeat, sequence, unmerged};
use crate::gather_scatter::copy::kernel::has_loop;
use crate::gather_scatter::error::ProgramError;
use crate::gather_scatter::program::Program;

/// Blocks up to which a program is written out.
pub const MOST_BLOCKS: usize = 1 << 16;

/// Equal steps from which on a run becomes a part of its own.
const LEAST_RUN: usize = 8;

/// Blocks from which on those of one unit become a part of their own.
const LEAST_UNITS: usize = 32;

/// Units that a block may be merged of.
const MOST_MERGED: usize = 4;

type Block = (i64, usize);

impl Program {
    /// One element in canonical form: programs that name the same bytes in the same order
    /// become the same program.
    ///
    /// # Errors
    ///
    /// None that the parts would not have had already; they are passed on all the same.
    pub fn canonical(placed: &Placed, extent: i64) -> Result<Self, ProgramError> {
        Ok(Self::new(canonical(placed)?, extent))
    }
}

/// The canonical form of `placed`.
///
/// # Errors
///
/// Those of composition; not for what was composed before.
pub fn canonical(placed: &Placed) -> Result<Placed, ProgramError> {
    let simple = matches!(
        placed.node,
        Node::Empty | Node::Block { .. } | Node::Strided { .. }
    );
    if simple || placed.node.blocks() > MOST_BLOCKS {
        return Ok(placed.clone());
    }
    let mut blocks: Vec<Block> = Vec::with_capacity(placed.node.blocks());
    for (displacement, bytes) in Program::new(placed.clone(), 0).iter_blocks(0) {
        match blocks.last_mut() {
            Some((at, length)) if at.wrapping_add(*length as i64) == displacement => {
                *length += bytes;
            }
            _ => blocks.push((displacement, bytes)),
        }
    }
    compile(&blocks)
}

/// Compiles a list of blocks that do not touch.
fn compile(blocks: &[Block]) -> Result<Placed, ProgramError> {
    if let [(displacement, bytes)] = *blocks {
        return Ok(Placed::block(displacement, bytes));
    }
    match period(blocks) {
        Some((length, stride)) => {
            repeat(blocks.len() / length, stride, &compile(&blocks[..length])?)
        }
        None => pieces(blocks),
    }
}

/// The length of the shortest pattern that, repeated at equal distance, makes up all blocks;
/// and that distance.
fn period(blocks: &[Block]) -> Option<(usize, i64)> {
    let count = blocks.len();
    (1..=count / 2)
        .filter(|length| count.is_multiple_of(*length))
        .find_map(|length| {
            let stride = blocks[length].0.checked_sub(blocks[0].0)?;
            blocks
                .iter()
                .zip(&blocks[length..])
                .all(|(one, next)| one.1 == next.1 && next.0.checked_sub(one.0) == Some(stride))
                .then_some((length, stride))
        })
}

/// Runs of equal steps apart from what is between them.
fn pieces(blocks: &[Block]) -> Result<Placed, ProgramError> {
    let mut parts = Vec::new();
    let (mut rest, mut at) = (0, 0);
    while at < blocks.len() {
        let run = run_length(&blocks[at..]);
        if run >= LEAST_RUN && run < blocks.len() {
            parts.extend(lists(&blocks[rest..at])?);
            parts.push(compile(&blocks[at..at + run])?);
            rest = at + run;
        }
        at += if run >= LEAST_RUN { run } else { 1 };
    }
    parts.extend(lists(&blocks[rest..])?);
    sequence(parts)
}

/// What is between runs: blocks of one unit apart from those of any length.
fn lists(blocks: &[Block]) -> Result<Vec<Placed>, ProgramError> {
    let mut parts = Vec::new();
    let (mut rest, mut at) = (0, 0);
    while at < blocks.len() {
        let Some((count, unit)) = units(&blocks[at..]) else {
            at += 1;
            continue;
        };
        parts.extend(list(&blocks[rest..at])?);
        parts.push(in_units(&blocks[at..at + count], unit)?);
        at += count;
        rest = at;
    }
    parts.extend(list(&blocks[rest..])?);
    Ok(parts)
}

/// Blocks as one list, if there are any.
fn list(blocks: &[Block]) -> Result<Option<Placed>, ProgramError> {
    let parts = blocks.iter().map(|&(at, bytes)| Placed::block(at, bytes));
    Ok(if blocks.is_empty() {
        None
    } else {
        Some(sequence(parts)?)
    })
}

/// How many blocks from the first on are made of one unit, few of them of several; and that unit. Only
/// where they are enough, and where there is a loop for the unit or nothing to be divided.
fn units(blocks: &[Block]) -> Option<(usize, usize)> {
    let first = blocks.get(..LEAST_UNITS)?;
    let (mut unit, mut bytes) = (0, 0);
    for &(_, length) in first {
        unit = common_divisor(unit, length);
        bytes += length;
        // It only becomes smaller.
        if bytes > unit.saturating_mul(LEAST_UNITS + LEAST_UNITS / 2) {
            return None;
        }
    }
    let most = if has_loop(unit) { MOST_MERGED } else { 1 };
    let is_made_of =
        |block: &&Block| block.1.is_multiple_of(unit) && block.1 <= unit.saturating_mul(most);
    let count = blocks.iter().take_while(is_made_of).count();
    (count >= LEAST_UNITS).then_some((count, unit))
}

/// Each block as so many of `unit` bytes.
fn in_units(blocks: &[Block], unit: usize) -> Result<Placed, ProgramError> {
    let parts = blocks.iter().flat_map(|&(at, bytes)| {
        let starts = (0..bytes as i64).step_by(unit);
        starts.map(move |inside| Placed::block(at + inside, unit))
    });
    unmerged(parts.collect())
}

/// How many blocks from the first on are equal and at equal distance.
fn run_length(blocks: &[Block]) -> usize {
    let (Some(first), Some(second)) = (blocks.first(), blocks.get(1)) else {
        return blocks.len();
    };
    let Some(stride) = second.0.checked_sub(first.0) else {
        return 1;
    };
    1 + blocks
        .windows(2)
        .take_while(|pair| {
            pair[0].1 == pair[1].1 && pair[1].0.checked_sub(pair[0].0) == Some(stride)
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(blocks: &[Block]) -> Placed {
        let parts = blocks.iter().map(|&(at, bytes)| Placed::block(at, bytes));
        sequence(parts).unwrap()
    }

    #[test]
    fn the_same_bytes_become_the_same_program() {
        // Rows of a plane: as blocks, as a list, as two halves of different make.
        let rows = repeat(20, 64, &Placed::block(0, 24)).unwrap();
        let listed: Vec<Block> = (0..20).map(|row| (64 * row, 24)).collect();
        let half = repeat(10, 64, &of(&[(0, 8), (8, 16)])).unwrap();
        let halves = sequence([half.clone(), half.shifted(640).unwrap()]).unwrap();
        let bytes = |placed: &Placed| Program::canonical(placed, 7).unwrap().serialize();
        assert_eq!(bytes(&rows), bytes(&of(&listed)));
        assert_eq!(bytes(&rows), bytes(&halves));
        assert_ne!(bytes(&rows), bytes(&half));
    }

    #[test]
    fn a_pattern_in_a_list_becomes_a_loop() {
        let blocks: Vec<Block> = (0..30)
            .flat_map(|i| [(100 * i, 3), (100 * i + 10, 5), (100 * i + 50, 1)])
            .collect();
        let placed = canonical(&of(&blocks)).unwrap();
        let Node::Loop(inner) = &placed.node else {
            panic!("{placed:?}");
        };
        assert_eq!((inner.count, inner.stride), (30, 100));
        assert!(matches!(inner.body, Node::Indexed(_)));
    }

    #[test]
    fn runs_stand_apart_from_the_rest() {
        let mut blocks: Vec<Block> = vec![(-900, 7), (-800, 9)];
        blocks.extend((0..1000).map(|i| (16 * i, 8)));
        blocks.push((20_000, 1));
        let placed = canonical(&of(&blocks)).unwrap();
        let Node::Sequence(parts) = &placed.node else {
            panic!("{placed:?}");
        };
        assert_eq!(parts.parts.len(), 3);
        assert!(matches!(
            parts.parts[1].node,
            Node::Strided { count: 1000, .. }
        ));
        let found: Vec<Block> = Program::new(placed, 0).iter_blocks(0).collect();
        assert_eq!(found, blocks);
    }

    /// Items of one length picked from two arrays, of which some are neighbours.
    #[test]
    fn picked_items_stay_apart_where_they_touch() {
        let mut random = 7_u32;
        let mut is_picked = |_: &i64| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 30 == 0
        };
        let picked: Vec<i64> = (0..800).filter(&mut is_picked).collect();
        let first = picked.iter().map(|&i| (24 * i, 24));
        let second = picked.iter().map(|&i| (100_000 + 8 * i, 8));
        let blocks: Vec<Block> = first.chain(second).collect();
        let merged = of(&blocks);
        assert!(merged.node.blocks() < blocks.len());
        let placed = canonical(&merged).unwrap();
        let Node::Sequence(parts) = &placed.node else {
            panic!("{placed:?}");
        };
        let of_units = |part: &Placed| match &part.node {
            Node::Uniform(node) => node.block,
            _ => 0,
        };
        let found: Vec<usize> = parts.parts.iter().map(of_units).collect();
        assert_eq!(found, [24, 8]);
        let found: Vec<Block> = Program::new(placed, 0).iter_blocks(0).collect();
        assert_eq!(found, blocks);
    }

    #[test]
    fn irregular_lengths_are_no_units() {
        let blocks = |length: &dyn Fn(i64) -> usize| -> Vec<Block> {
            (0..100).map(|i| (100 * i + i * i, length(i))).collect()
        };
        // Too many of several units; a unit without a loop.
        assert_eq!(units(&blocks(&|i| 4 * (1 + i as usize % 5))), None);
        assert_eq!(units(&blocks(&|i| 36 * (1 + i as usize % 31 / 30))), None);
        assert_eq!(units(&blocks(&|_| 36)), Some((100, 36)));
        assert_eq!(units(&blocks(&|_| 36)[..31]), None);
        // They end where another length begins.
        let ends = |i: i64| if i < 50 { 8 } else { 12 };
        assert_eq!(units(&blocks(&ends)), Some((50, 8)));
    }
}
