//! The external32 representation (MPI-5.0 section 14.5.2): big-endian, byte
//! aligned, with sizes that no machine chooses.
//!
//! ```text
//!   user memory ──machine─► packed, native ──signature──► external32
//!                                    reversed; long double as binary128;
//!                                    long in 4 bytes, wchar_t in 2
//! ```
//!
//! Step before: `MPI_Pack_external` and files with that representation. Step
//! after: bytes that any MPI reads.
//!
//! Invariants: conversion goes through a bounded buffer of whole elements; a
//! value that does not fit is refused, never cut.

mod conversion;

#[cfg(test)]
mod tests;

use super::Datatype;
use pamir_transport::gather_scatter::Machine;

use super::error::DatatypeError;
use super::primitive::Primitive;
use conversion::{conversion, decode, encode, external_bytes};

/// Bytes of native data converted in one go; a multiple of every size.
const BURST_BYTES: usize = 4096;

impl Datatype {
    /// Bytes that `count` elements take (`MPI_Pack_external_size`); `None`
    /// where that does not fit.
    pub fn external32_bytes(&self, count: usize) -> Option<usize> {
        // A pair's members follow each other.
        self.signature().total(&external_bytes).checked_mul(count)
    }

    /// Packs `count` elements at the machine's start into `out`; answers how
    /// many bytes (`MPI_Pack_external`). The machine must have been made for
    /// this type and this count, and stand at its start.
    pub fn pack_external32(
        &self,
        count: usize,
        machine: &mut Machine,
        out: &mut [u8],
    ) -> Result<usize, DatatypeError> {
        let needed = self.external32_needed(count, out.len())?;
        let mut written = 0;
        let mut buffer = [0; BURST_BYTES];
        self.external32_runs(count, |primitive, elements| {
            let native = &mut buffer[..elements * primitive.bytes()];
            machine.pack(native);
            let bytes = elements * external_bytes(primitive);
            let burst = &mut out[written..written + bytes];
            written += bytes;
            encode(native, conversion(primitive), burst)
        })?;
        Ok(needed)
    }

    /// Unpacks `count` elements from `input` to the machine's start; answers
    /// how many bytes were taken (`MPI_Unpack_external`). The machine must have
    /// been made for this type and this count, and stand at its start.
    pub fn unpack_external32(
        &self,
        count: usize,
        machine: &mut Machine,
        input: &[u8],
    ) -> Result<usize, DatatypeError> {
        let needed = self.external32_needed(count, input.len())?;
        let mut read = 0;
        let mut buffer = [0; BURST_BYTES];
        self.external32_runs(count, |primitive, elements| {
            let bytes = elements * external_bytes(primitive);
            let native = &mut buffer[..elements * primitive.bytes()];
            decode(&input[read..read + bytes], conversion(primitive), native);
            machine.unpack(native);
            read += bytes;
            Ok(())
        })?;
        Ok(needed)
    }

    fn external32_needed(&self, count: usize, found: usize) -> Result<usize, DatatypeError> {
        let needed = self.external32_bytes(count).unwrap_or(usize::MAX);
        if found < needed {
            return Err(DatatypeError::BufferTooSmall { needed, found });
        }
        Ok(needed)
    }

    /// Calls `burst(primitive, elements)` for pieces of at most [`BURST_BYTES`] in memory.
    fn external32_runs(
        &self,
        count: usize,
        mut burst: impl FnMut(Primitive, usize) -> Result<(), DatatypeError>,
    ) -> Result<(), DatatypeError> {
        let mut visit = |primitive: Primitive, count: usize| {
            let mut left = count;
            while left != 0 {
                let elements = left.min(BURST_BYTES / primitive.bytes());
                burst(primitive, elements)?;
                left -= elements;
            }
            Ok(())
        };
        match self.signature().runs() {
            // Elements of one primitive are one run however many there are.
            [] => Ok(()),
            [run]
                if self
                    .uniform_primitive()
                    .is_some_and(|only| only.pair().is_none()) =>
            {
                let (Some(primitive), each) = (self.uniform_primitive(), self.size()) else {
                    return Ok(());
                };
                debug_assert!(run.count != 0);
                visit(primitive, each / primitive.bytes() * count)
            }
            _ => {
                for _ in 0..count {
                    self.signature().visit(&mut visit)?;
                }
                Ok(())
            }
        }
    }
}
