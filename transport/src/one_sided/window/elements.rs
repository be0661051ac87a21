//! Basic elements in memory layout, gathered from a layout and scattered back.
//!
//! Before: a layout whose data is so many elements of one primitive. After: an array of them, as the operations take it: neighbours
//! are [`extent_bytes`] apart, padding included.
//!
//! Invariant: bytes of gaps are neither read nor written in the program's memory.

use crate::gather_scatter::program::node::Placed;
use crate::gather_scatter::{Builder, Machine, Program};
use crate::operation::{Primitive, extent_bytes};

/// So many elements of one primitive.
#[derive(Debug)]
pub struct Elements {
    program: Program,
    memory: Vec<u128>,
    bytes: usize,
}

/// One element of a primitive.
fn program_of(primitive: Primitive) -> Program {
    let extent = extent_bytes(primitive);
    let Some((value, index)) = primitive.pair() else {
        return Program::new(Placed::block(0, extent), extent as i64);
    };
    let second = value.bytes().next_multiple_of(index.alignment());
    if second == value.bytes() {
        return Program::new(Placed::block(0, second + index.bytes()), extent as i64);
    }
    let mut builder = Builder::new();
    let added = builder
        .add_simple(value.bytes(), 0, 1, second as i64)
        .and_then(|()| builder.add_simple(index.bytes(), 0, 1, (extent - second) as i64));
    let program = added.and_then(|()| builder.complete());
    program.expect("a pair is a few bytes")
}

/// How many elements of a primitive so many packed bytes are.
pub(super) fn count_in(primitive: Primitive, packed_bytes: usize) -> usize {
    packed_bytes / primitive.bytes()
}

impl Elements {
    /// Room for the elements that so many packed bytes are.
    pub(super) fn new(primitive: Primitive, packed_bytes: usize) -> Self {
        let count = count_in(primitive, packed_bytes);
        let bytes = count * extent_bytes(primitive);
        Self {
            program: program_of(primitive).times(count),
            memory: vec![0; bytes.div_ceil(size_of::<u128>())],
            bytes,
        }
    }

    /// The elements that a machine describes with so many packed bytes.
    pub fn gathered(primitive: Primitive, mut from: Machine, packed_bytes: usize) -> Self {
        let mut elements = Self::new(primitive, packed_bytes);
        from.copy_bytes_to(&mut elements.machine(), packed_bytes);
        elements
    }

    /// The elements themselves.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the memory has so many bytes, all initialised.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.bytes) }
    }

    /// A machine over them.
    pub(super) fn machine(&mut self) -> Machine {
        // SAFETY: the memory is as long as the program reaches, and lives as long as these elements, whose methods alone, and
        // the transfers of one call, use the machine.
        unsafe { Machine::new(self.program.clone(), self.memory.as_mut_ptr().cast()) }
    }

    /// The same, to be changed.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory has so many bytes, all initialised, and this has it alone.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_with_gaps_are_gathered_and_scattered() {
        // Two elements of `MPI_SHORT_INT`: 2 bytes, a gap of 2, 4 bytes.
        let packed: Vec<u8> = (1..=12).collect();
        let mut elements = Elements::new(Primitive::ShortInt, packed.len());
        assert_eq!(elements.machine().unpack(&packed), 12);
        let wanted = [1, 2, 0, 0, 3, 4, 5, 6, 7, 8, 0, 0, 9, 10, 11, 12];
        assert_eq!(elements.bytes_mut(), wanted);
        let mut again = [0; 12];
        elements.machine().pack(&mut again);
        assert_eq!(again.as_slice(), packed);
    }

    #[test]
    fn all_primitives_fill_their_memory() {
        for primitive in Primitive::ALL {
            let elements = Elements::new(primitive, 3 * primitive.bytes());
            assert_eq!(
                elements.program.bytes(),
                3 * primitive.bytes(),
                "{primitive:?}"
            );
            let (low, high) = elements.program.span();
            assert!(low == 0 && high as usize <= elements.bytes);
        }
    }
}
