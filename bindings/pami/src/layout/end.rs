//! One end of a typed transfer: where the bytes of a message are in the program's memory.
//!
//! | type and data function | end |
//! |---|---|
//! | the bytes follow each other, and are copied | contiguous: as without a type |
//! | they lie apart, and are copied | scattered: the machine moves them |
//! | a function of the program's handles them, or an operation on the type's elements | function |
//!
//! Before: a send, or a dispatch function's `pami_recv_t`. After: the transport fills packets from it,
//! or lands them in it.

use pamir_transport::gather_scatter::{Machine, Program, Section};
use pamir_transport::tagged::buffer::Noncontiguous;

use crate::edge::span::Span;
use crate::layout::Layout;
use crate::layout::function_memory::FunctionMemory;
use crate::layout::handling::Handling;
use crate::refusal::Refusal;
use crate::structures::pointer::Address;

/// One end of a typed transfer; see the module.
pub enum End {
    /// One piece of memory.
    Contiguous(Span),
    /// Pieces of memory.
    Scattered(Section),
    /// The program's function handles the data.
    Function(Box<FunctionMemory>),
}

impl End {
    /// `bytes` bytes of a layout that is applied to `address`, from `offset` bytes of data on.
    ///
    /// # Errors
    ///
    /// [`Refusal::NoData`] where the layout has not so many; [`Refusal::Atoms`].
    pub fn new(
        layout: &Layout,
        address: Address,
        offset: usize,
        bytes: usize,
        handling: Option<Handling>,
    ) -> Result<Self, Refusal> {
        let end = offset.checked_add(bytes).ok_or(Refusal::NoData { bytes })?;
        let program = layout
            .program
            .covering(end)
            .ok_or(Refusal::NoData { bytes })?;
        if let Some(handling) = handling {
            let atom_bytes = handling.atom_bytes(layout);
            if !offset.is_multiple_of(atom_bytes) || !bytes.is_multiple_of(atom_bytes) {
                return Err(Refusal::Atoms {
                    offset,
                    bytes,
                    atom_bytes,
                });
            }
            let memory =
                FunctionMemory::new(program, address, (offset, bytes), atom_bytes, handling);
            return Ok(Self::Function(Box::new(memory)));
        }
        Ok(match program.contiguous() {
            Some((displacement, _)) => {
                let start = address.at(displacement as isize).at(offset as isize);
                Self::Contiguous(Span::new(start, bytes, "address")?)
            }
            None => {
                let machine = machine_over(program, address);
                Self::Scattered(Section::new(machine, offset, bytes))
            }
        })
    }

    /// Takes all bytes of a message at once, as many as the end has.
    pub fn take(mut self, data: &[u8]) {
        self.unpack(0, data);
    }

    /// Takes the next bytes of a message, from byte `at` on.
    pub fn unpack(&mut self, at: usize, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        // SAFETY: the data is a slice, and the program vouches for the described memory.
        unsafe {
            match self {
                Self::Contiguous(span) => {
                    span.write()[at..][..data.len()].copy_from_slice(data);
                }
                Self::Scattered(memory) => memory.unpack(at, data.as_ptr(), data.len()),
                Self::Function(memory) => memory.unpack(at, data.as_ptr(), data.len()),
            }
        }
    }

    /// Gives bytes of a message, from byte `at` on.
    pub fn pack(&mut self, at: usize, data: &mut [u8]) {
        if data.is_empty() {
            return;
        }
        let bytes = data.len();
        // SAFETY: the data is a slice, and the program vouches for the described memory.
        unsafe {
            match self {
                Self::Contiguous(span) => data.copy_from_slice(&span.read()[at..][..bytes]),
                Self::Scattered(memory) => memory.pack(at, data.as_mut_ptr(), bytes),
                Self::Function(memory) => memory.pack(at, data.as_mut_ptr(), bytes),
            }
        }
    }

    /// All bytes of a message, packed.
    pub fn packed(&mut self, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        self.pack(0, &mut data);
        data
    }
}

/// The machine over memory of the program's.
fn machine_over(program: Program, address: Address) -> Machine {
    // SAFETY: the program vouches for what its layout reaches from the address.
    unsafe { Machine::new(program, address.raw()) }
}

impl Layout {
    /// The machine over memory of the program's, for `bytes` bytes from `offset` bytes of data on.
    ///
    /// # Errors
    ///
    /// [`Refusal::NoData`] where the layout has not so many.
    pub fn machine(
        &self,
        address: Address,
        offset: usize,
        bytes: usize,
    ) -> Result<Machine, Refusal> {
        let end = offset.checked_add(bytes);
        let program = end.and_then(|end| self.program.covering(end));
        let program = program.ok_or(Refusal::NoData { bytes })?;
        let mut machine = machine_over(program, address);
        machine.seek(offset);
        Ok(machine)
    }
}
