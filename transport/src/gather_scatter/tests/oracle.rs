//! Random programs written out naively: the displacement of every packed byte.

use proptest::prelude::*;

use super::super::{Builder, Machine, Program};
use crate::gather_scatter::program::node::{Placed, repeat, sequence};

/// A layout with the displacement of each of its bytes in packed order.
#[derive(Clone, Debug)]
pub struct Naive {
    pub placed: Placed,
    pub bytes: Vec<i64>,
}

impl Naive {
    fn block(at: i64, bytes: usize) -> Self {
        Self {
            placed: Placed::block(at, bytes),
            bytes: (at..at + bytes as i64).collect(),
        }
    }

    fn repeated(&self, count: usize, stride: i64) -> Self {
        let shifts = (0..count as i64).map(|index| index * stride);
        Self {
            placed: repeat(count, stride, &self.placed).unwrap(),
            bytes: shifts
                .flat_map(|by| self.bytes.iter().map(move |at| at + by))
                .collect(),
        }
    }

    fn joined(parts: &[(Self, i64)]) -> Self {
        let placed = parts
            .iter()
            .map(|(part, by)| part.placed.shifted(*by).unwrap());
        Self {
            placed: sequence(placed).unwrap(),
            bytes: parts
                .iter()
                .flat_map(|(part, by)| part.bytes.iter().map(move |at| at + by))
                .collect(),
        }
    }

    /// The same through the builder, as PAMI makes types.
    fn built(&self, pieces: &[(i64, usize, i64)]) -> Self {
        let subtype = Program::new(self.placed.clone(), 0);
        let (mut builder, mut cursor, mut bytes) = (Builder::new(), 0, Vec::new());
        for &(offset, count, stride) in pieces {
            builder.add_typed(&subtype, offset, count, stride).unwrap();
            cursor += offset;
            for _ in 0..count {
                bytes.extend(self.bytes.iter().map(|at| at + cursor));
                cursor += stride;
            }
        }
        let program = builder.complete().unwrap();
        assert_eq!(program.extent(), cursor);
        Self {
            placed: program.placed().clone(),
            bytes,
        }
    }
}

fn deeper(inner: BoxedStrategy<Naive>) -> BoxedStrategy<Naive> {
    let small = |naive: &Naive| naive.bytes.len() < 2500;
    prop_oneof![
        1 => inner.clone(),
        2 => (inner.clone(), 0usize..7, -50i64..90)
            .prop_map(|(naive, count, stride)| naive.repeated(count, stride)),
        3 => prop::collection::vec((inner.clone(), -60i64..120), 0..6)
            .prop_map(|parts| Naive::joined(&parts)),
        1 => (inner, prop::collection::vec((-20i64..40, 0usize..4, -30i64..60), 1..4))
            .prop_map(|(naive, pieces)| naive.built(&pieces)),
    ]
    .prop_filter("small enough to write out", move |naive| small(naive))
    .boxed()
}

pub fn layout() -> BoxedStrategy<Naive> {
    let block = (-20i64..20, prop_oneof![0usize..20, Just(8), Just(64)]);
    let leaf = block
        .prop_map(|(at, bytes)| Naive::block(at, bytes))
        .boxed();
    deeper(deeper(deeper(leaf)))
}

/// Memory around `count` elements, with the place of each packed byte.
pub struct Memory {
    pub bytes: Vec<u8>,
    base: usize,
    pub places: Vec<usize>,
}

impl Memory {
    pub fn new(naive: &Naive, extent: i64, count: usize) -> Self {
        let all = (0..count as i64).flat_map(|index| {
            let by = index * extent;
            naive.bytes.iter().map(move |at| at + by)
        });
        let all: Vec<i64> = all.collect();
        let low = all.iter().copied().min().unwrap_or(0).min(0);
        let high = all.iter().copied().max().unwrap_or(0).max(0) + 1;
        let mut seed = 0x9E37_79B9_u32;
        let random = (low..high).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        });
        Self {
            bytes: random.collect(),
            base: -low as usize,
            places: all.iter().map(|at| (at - low) as usize).collect(),
        }
    }

    pub fn machine(&mut self, program: &Program) -> Machine {
        assert_eq!(program.bytes(), self.places.len());
        let base = self.base();
        // SAFETY: `places` lists every byte that the program reaches, and `bytes` covers them
        // all; it outlives every use of the machine.
        unsafe { Machine::new(program.clone(), base) }
    }

    /// The buffer's address.
    pub fn base(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr().wrapping_add(self.base)
    }

    pub fn packed(&self) -> Vec<u8> {
        self.places.iter().map(|&place| self.bytes[place]).collect()
    }

    /// A layout that reaches a byte twice cannot be received into.
    pub fn overlaps(&self) -> bool {
        let mut places = self.places.clone();
        places.sort_unstable();
        places.windows(2).any(|pair| pair[0] == pair[1])
    }
}
