//! A message that is a section of a layout's bytes: so many, from some offset on.
//!
//! ```text
//!   packed bytes of the machine   0 ······ start ▓▓▓▓▓▓▓▓▓▓▓▓▓▓ start + bytes ······ total
//!   bytes of the message                         0            bytes
//! ```
//!
//! Step before: a transfer that does not begin or end with an element. Step after:
//! [`super::random_access`].
//!
//! Invariant: the section lies within the machine's bytes.

use pamir_shm::lane::room::LaneRoom;

use super::random_access::RandomAccess;
use crate::gather_scatter::machine::Machine;
use crate::tagged::buffer::Noncontiguous;

/// A section of a machine's bytes; see the module.
#[derive(Clone, Debug)]
pub struct Section {
    memory: RandomAccess,
    start: usize,
    bytes: usize,
}

impl Section {
    /// `bytes` bytes from packed offset `start` on, as far as there are so many.
    pub fn new(machine: Machine, start: usize, bytes: usize) -> Self {
        let start = start.min(machine.total());
        Self {
            bytes: bytes.min(machine.total() - start),
            memory: RandomAccess::new(machine),
            start,
        }
    }
}

impl Noncontiguous for Section {
    fn bytes(&self) -> usize {
        self.bytes
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        // SAFETY: as the caller vouches.
        unsafe { self.memory.pack(self.start + at, target, bytes) };
    }

    unsafe fn pack_into_lane(&mut self, at: usize, room: LaneRoom<'_>, bytes: usize) {
        // SAFETY: as the caller vouches.
        unsafe { self.memory.pack_into_lane(self.start + at, room, bytes) };
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        // SAFETY: as the caller vouches.
        unsafe { self.memory.unpack(self.start + at, source, bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather_scatter::Builder;

    #[test]
    fn a_section_is_a_part_of_the_packed_bytes() {
        let mut builder = Builder::new();
        builder.add_simple(3, 1, 4, 5).unwrap();
        let program = builder.complete().unwrap();
        let mut memory: Vec<u8> = (0..20).collect();
        // SAFETY: the program reaches 19 bytes of the memory.
        let machine = unsafe { Machine::new(program, memory.as_mut_ptr()) };
        let mut section = Section::new(machine.clone(), 4, 6);
        let mut packed = [0; 6];
        // SAFETY: the arrays have the bytes.
        unsafe {
            section.pack(0, packed.as_mut_ptr(), 6);
            assert_eq!(packed, [7, 8, 11, 12, 13, 16]);
            section.unpack(4, [99_u8, 98].as_ptr(), 2);
        }
        assert_eq!((memory[13], memory[16]), (99, 98));
        assert_eq!(Section::new(machine.clone(), 4, 100).bytes(), 8);
        assert_eq!(Section::new(machine, 400, 1).bytes(), 0);
    }
}
