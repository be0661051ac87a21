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

use pamir_transport::gather_scatter::{Machine, Section};
use pamir_transport::tagged::buffer::Noncontiguous;

use crate::layout::Layout;
use crate::layout::function_memory::FunctionMemory;
use crate::layout::handling::Handling;
use crate::refusal::Refusal;

/// One end of a typed transfer; see the module.
pub enum End {
    /// One piece of memory.
    Contiguous(*mut u8),
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
    ///
    /// # Safety
    ///
    /// What the layout reaches from the address is good for the transfer, until it has ended.
    pub unsafe fn new(
        layout: &Layout,
        address: *mut u8,
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
                let start = address.wrapping_offset(displacement as isize);
                Self::Contiguous(start.wrapping_add(offset))
            }
            None => {
                // SAFETY: the caller vouches for what the program reaches.
                let machine = unsafe { Machine::new(program, address) };
                Self::Scattered(Section::new(machine, offset, bytes))
            }
        })
    }

    /// Takes all bytes of a message at once.
    ///
    /// # Safety
    ///
    /// As for [`Self::new`]; the message has as many bytes as the end.
    pub unsafe fn take(self, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        // SAFETY: as the caller vouches; the data is no part of the described memory.
        unsafe {
            match self {
                Self::Contiguous(address) => {
                    std::ptr::copy_nonoverlapping(data.as_ptr(), address, data.len());
                }
                Self::Scattered(mut memory) => memory.unpack(0, data.as_ptr(), data.len()),
                Self::Function(mut memory) => memory.unpack(0, data.as_ptr(), data.len()),
            }
        }
    }

    /// All bytes of a message, packed.
    ///
    /// # Safety
    ///
    /// As for [`Self::new`]; the end has `bytes` bytes.
    pub unsafe fn packed(&mut self, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        if bytes != 0 {
            // SAFETY: as the caller vouches; the vector has the room.
            unsafe {
                match self {
                    Self::Contiguous(address) => {
                        std::ptr::copy_nonoverlapping(*address, data.as_mut_ptr(), bytes);
                    }
                    Self::Scattered(memory) => memory.pack(0, data.as_mut_ptr(), bytes),
                    Self::Function(memory) => memory.pack(0, data.as_mut_ptr(), bytes),
                }
            }
        }
        data
    }
}
