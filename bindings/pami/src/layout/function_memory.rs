//! Memory whose bytes a function of the program's produces or consumes, or a predefined one.
//!
//! ```text
//!   produce   user memory ─function─▶ atoms ─▶ packet          consume   packet ─▶ atoms ─function─▶ user memory
//! ```
//!
//! A packet may end in the middle of an atom, begin anywhere in memory, and be changed by its
//! origin. The function sees none of this: it works on a buffer of whole, aligned atoms.
//!
//! Before: a typed transfer with a data function. After: the function was called for each piece
//! of the layout, in order, with a multiple of the atom.
//!
//! Invariant: the buffer holds the message's bytes `start..start + held`; `start` is a multiple of
//! the atom.

use pamir_transport::collective::Reduction;
use pamir_transport::gather_scatter::Program;
use pamir_transport::tagged::buffer::Noncontiguous;

use crate::layout::handling::Handling;
use crate::structures::pointer::Address;

const BUFFER_BYTES: usize = 8192;

/// Aligned as any atom may want to be.
#[repr(align(128))]
#[derive(Debug)]
struct Atoms([u8; BUFFER_BYTES]);

/// One end of a transfer with a data function; see the module.
#[derive(Debug)]
pub struct FunctionMemory {
    program: Program,
    address: Address,
    /// Packed bytes before the message.
    offset: usize,
    bytes: usize,
    atom_bytes: usize,
    handling: Handling,
    atoms: Box<Atoms>,
    start: usize,
    held: usize,
}

impl FunctionMemory {
    /// `section` is where the message begins in the program's bytes, and its length; both are
    /// multiples of the atom, which divides every block of the program.
    pub fn new(
        program: Program,
        address: Address,
        section: (usize, usize),
        atom_bytes: usize,
        handling: Handling,
    ) -> Self {
        Self {
            program,
            address,
            offset: section.0,
            bytes: section.1,
            atom_bytes,
            handling,
            atoms: Box::new(Atoms([0; BUFFER_BYTES])),
            start: 0,
            held: 0,
        }
    }

    /// Calls the function for the first `bytes` bytes of the buffer, piece by piece.
    ///
    /// # Safety
    ///
    /// The message's bytes from `self.start` on are good for the direction.
    unsafe fn handle(&mut self, bytes: usize, produce: bool) {
        let mut at = 0;
        for (displacement, block) in self.program.iter_blocks(self.offset + self.start) {
            if at == bytes {
                break;
            }
            let piece = block.min(bytes - at);
            let user = self.address.at(displacement as isize).raw();
            let buffer = self.atoms.0[at..].as_mut_ptr();
            let (target, source) = if produce {
                (buffer, user)
            } else {
                (user, buffer)
            };
            // SAFETY: the buffer has the piece, and the caller vouches for the user's memory.
            unsafe { handle(self.handling, target, source, piece) };
            at += piece;
        }
    }

    /// Whole atoms that the buffer takes.
    fn room(&self) -> usize {
        BUFFER_BYTES / self.atom_bytes * self.atom_bytes
    }
}

/// Handles `bytes` bytes.
///
/// # Safety
///
/// `source` is readable and `target` writable for the bytes, whole atoms of the layout; they do
/// not overlap.
unsafe fn handle(handling: Handling, target: *mut u8, source: *mut u8, bytes: usize) {
    match handling {
        // SAFETY: as the caller vouches.
        Handling::Own { function, cookie } => unsafe {
            function.handle(target, source, bytes, cookie);
        },
        Handling::Predefined(reducer) => {
            // SAFETY: as the caller vouches; both are bytes that nobody else uses meanwhile.
            let (incoming, inout) = unsafe {
                (
                    std::slice::from_raw_parts(source, bytes),
                    std::slice::from_raw_parts_mut(target, bytes),
                )
            };
            reducer.combine(incoming, inout);
        }
    }
}

impl Noncontiguous for FunctionMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        let mut done = 0;
        while done < bytes {
            let next = at + done;
            if !(self.start..self.start + self.held).contains(&next) {
                self.start = next / self.atom_bytes * self.atom_bytes;
                self.held = self.room().min(self.bytes - self.start);
                // SAFETY: as the caller vouches.
                unsafe { self.handle(self.held, true) };
            }
            let from = next - self.start;
            let piece = (self.held - from).min(bytes - done);
            let source = self.atoms.0[from..from + piece].as_ptr();
            // SAFETY: the caller gives room for the bytes; the buffer is this object's.
            unsafe { std::ptr::copy_nonoverlapping(source, target.wrapping_add(done), piece) };
            done += piece;
        }
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        debug_assert_eq!(
            at,
            self.start + self.held,
            "a message's bytes come in order"
        );
        let mut done = 0;
        while done < bytes {
            let piece = (self.room() - self.held).min(bytes - done);
            let target = self.atoms.0[self.held..self.held + piece].as_mut_ptr();
            // SAFETY: the caller vouches for the source; the buffer is this object's.
            unsafe { std::ptr::copy_nonoverlapping(source.wrapping_add(done), target, piece) };
            done += piece;
            self.held += piece;
            let whole = self.held / self.atom_bytes * self.atom_bytes;
            // SAFETY: as the caller vouches.
            unsafe { self.handle(whole, false) };
            self.atoms.0.copy_within(whole..self.held, 0);
            self.start += whole;
            self.held -= whole;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;

    use pamir_transport::gather_scatter::Builder;

    use super::*;
    use crate::structures::function::vouched::data;
    use crate::structures::pointer::vouched::address;

    /// What the function of a test is told of.
    #[derive(Default)]
    struct Calls {
        bytes: usize,
        calls: usize,
    }

    /// Doubles numbers on their way, and counts.
    unsafe extern "C" fn double(
        target: *mut c_void,
        source: *mut c_void,
        bytes: usize,
        cookie: *mut c_void,
    ) {
        // SAFETY: the tests give a `Calls` as cookie, and numbers.
        unsafe {
            let calls = &mut *cookie.cast::<Calls>();
            calls.bytes += bytes;
            calls.calls += 1;
            assert_eq!(bytes % 8, 0);
            for index in 0..bytes / 8 {
                let number = source.cast::<u64>().add(index).read();
                target.cast::<u64>().add(index).write(2 * number);
            }
        }
    }

    /// Numbers in pairs, a gap of one behind each.
    fn pairs(count: usize) -> Program {
        let mut builder = Builder::new();
        builder.add_simple(16, 0, count, 24).unwrap();
        builder.complete().unwrap()
    }

    fn memory(numbers: &mut [u64], section: (usize, usize), calls: &mut Calls) -> FunctionMemory {
        let handling = Handling::Own {
            function: data(double).unwrap(),
            cookie: std::ptr::from_mut(calls).cast(),
        };
        let program = pairs(numbers.len() / 3);
        FunctionMemory::new(program, address(numbers), section, 8, handling)
    }

    #[test]
    fn atoms_are_handled_once_and_whole_however_packets_cut_them() {
        const PAIRS: usize = 1500;
        let section = (24, 16 * PAIRS - 40);
        let count = section.1 / 8;
        for step in [1, 7, 8, 1000, 8192, 100_000] {
            let mut numbers: Vec<u64> = (0..3 * PAIRS as u64).collect();
            let (mut produced, mut consumed) = (Calls::default(), Calls::default());
            let mut packed = vec![0_u8; section.1];
            let mut source = memory(&mut numbers, section, &mut produced);
            for at in (0..section.1).step_by(step) {
                let bytes = step.min(section.1 - at);
                // SAFETY: the vector has the bytes.
                unsafe { source.pack(at, packed[at..].as_mut_ptr(), bytes) };
            }
            // The message begins with the second number of the second pair.
            let word =
                |at: usize| u64::from_ne_bytes(packed[8 * at..8 * at + 8].try_into().unwrap());
            let expected: Vec<u64> = (0..3 * PAIRS as u64).filter(|n| n % 3 != 2).collect();
            for at in 0..count {
                assert_eq!(word(at), 2 * expected[at + 3]);
            }
            assert_eq!(produced.bytes, section.1);
            let mut numbers = vec![1_u64; 3 * PAIRS];
            let mut target = memory(&mut numbers, section, &mut consumed);
            for at in (0..section.1).step_by(step) {
                let bytes = step.min(section.1 - at);
                // SAFETY: as above.
                unsafe { target.unpack(at, packed[at..].as_ptr(), bytes) };
            }
            assert_eq!(consumed.bytes, section.1);
            assert!(consumed.calls >= PAIRS - 3);
            for (at, number) in numbers.iter().enumerate() {
                let packed_at = at / 3 * 2 + at % 3;
                let inside = at % 3 != 2 && (3..count + 3).contains(&packed_at);
                let expected = if inside { 4 * at as u64 } else { 1 };
                assert_eq!(*number, expected, "number {at}");
            }
        }
    }
}
