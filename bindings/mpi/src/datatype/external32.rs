//! The external32 representation (MPI-5.0 section 14.5.2): big-endian, byte
//! aligned, with sizes that no machine chooses.
//!
//! ```text
//!   user memory ──machine─► packed, native ──signature──► external32
//!                                    reversed; long double as binary128
//! ```
//!
//! Step before: `MPI_Pack_external` and files with that representation. Step
//! after: bytes that any MPI reads.
//!
//! Invariant: conversion goes through a bounded buffer of whole elements.
//! Sizes follow LP64 machines: `long` is 8 bytes and `wchar_t` is 4.

use super::Datatype;
use pamir_transport::gather_scatter::Machine;

use super::error::DatatypeError;
use super::primitive::Primitive;
use super::quadruple::{from_extended, to_extended};

/// Bytes of native data converted in one go; a multiple of every size.
const BURST_BYTES: usize = 4096;

/// What has to be done to one element.
#[derive(Clone, Copy)]
enum Conversion {
    /// As it is.
    Keep,
    /// Each group of so many bytes back to front.
    Reverse(usize),
    /// Each 16 bytes from x87 to binary128.
    Quadruple,
}

fn conversion(primitive: Primitive) -> Conversion {
    use Primitive::*;
    match primitive {
        LongDouble | ComplexLongDouble => Conversion::Quadruple,
        Complex16 => Conversion::Reverse(2),
        Complex32 => Conversion::Reverse(4),
        Complex64 => Conversion::Reverse(8),
        Complex128 => Conversion::Reverse(16),
        other => match other.bytes() {
            1 => Conversion::Keep,
            bytes => Conversion::Reverse(bytes),
        },
    }
}

fn reverse(buffer: &mut [u8], bytes: usize) {
    for element in buffer.chunks_exact_mut(bytes) {
        element.reverse();
    }
}

fn encode(buffer: &mut [u8], conversion: Conversion) {
    match conversion {
        Conversion::Keep => {}
        Conversion::Reverse(bytes) => reverse(buffer, bytes),
        Conversion::Quadruple => {
            for element in buffer.as_chunks_mut::<16>().0 {
                let [a, b, c, d, e, f, g, h, i, j, ..] = *element;
                *element = from_extended([a, b, c, d, e, f, g, h, i, j]).to_be_bytes();
            }
        }
    }
}

fn decode(buffer: &mut [u8], conversion: Conversion) {
    match conversion {
        Conversion::Keep => {}
        Conversion::Reverse(bytes) => reverse(buffer, bytes),
        Conversion::Quadruple => {
            for element in buffer.as_chunks_mut::<16>().0 {
                let extended = to_extended(u128::from_be_bytes(*element));
                *element = [0; 16];
                element[..10].copy_from_slice(&extended);
            }
        }
    }
}

impl Datatype {
    /// Bytes that `count` elements take (`MPI_Pack_external_size`); `None`
    /// where that does not fit.
    pub fn external32_bytes(&self, count: usize) -> Option<usize> {
        // The sizes of the standard's table are those of LP64 throughout: a C long double and a
        // REAL*16 both are binary128 there. A pair's members follow each other.
        self.signature().total(&Primitive::bytes).checked_mul(count)
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
        self.external32_runs(count, |primitive, bytes| {
            let burst = &mut out[written..written + bytes];
            machine.pack(burst);
            encode(burst, conversion(primitive));
            written += bytes;
        });
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
        self.external32_runs(count, |primitive, bytes| {
            let burst = &mut buffer[..bytes];
            burst.copy_from_slice(&input[read..read + bytes]);
            decode(burst, conversion(primitive));
            machine.unpack(burst);
            read += bytes;
        });
        Ok(needed)
    }

    fn external32_needed(&self, count: usize, found: usize) -> Result<usize, DatatypeError> {
        let needed = self.external32_bytes(count).unwrap_or(usize::MAX);
        if found < needed {
            return Err(DatatypeError::BufferTooSmall { needed, found });
        }
        Ok(needed)
    }

    /// Calls `burst(primitive, bytes)` for pieces of whole elements.
    fn external32_runs(&self, count: usize, mut burst: impl FnMut(Primitive, usize)) {
        let mut visit = |primitive: Primitive, count: usize| {
            let mut left = primitive.bytes() * count;
            while left != 0 {
                let bytes = left.min(BURST_BYTES);
                burst(primitive, bytes);
                left -= bytes;
            }
            Ok::<(), std::convert::Infallible>(())
        };
        match self.signature().runs() {
            // Elements of one primitive are one run however many there are.
            [] => {}
            [run]
                if self
                    .uniform_primitive()
                    .is_some_and(|only| only.pair().is_none()) =>
            {
                let (Some(primitive), each) = (self.uniform_primitive(), self.size()) else {
                    return;
                };
                debug_assert!(run.count != 0);
                let Ok(()) = visit(primitive, each / primitive.bytes() * count);
            }
            _ => {
                for _ in 0..count {
                    let Ok(()) = self.signature().visit(&mut visit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Form, named};

    fn of(name: &str) -> std::rc::Rc<Datatype> {
        Datatype::named(named::find(name).unwrap())
    }

    fn there_and_back(datatype: &Datatype, count: usize, memory: &mut [u8]) -> Vec<u8> {
        let (low, bytes) = datatype.span(count);
        assert!(low >= 0 && low as usize + bytes <= memory.len());
        let before = memory.to_vec();
        let mut out = vec![0; datatype.external32_bytes(count).unwrap()];
        // SAFETY: the span of the type lies within `memory`.
        let mut machine = unsafe { datatype.machine(count, memory.as_mut_ptr()) };
        let packed = datatype
            .pack_external32(count, &mut machine, &mut out)
            .unwrap();
        assert_eq!(packed, out.len());
        for (displacement, bytes) in machine.program().iter_blocks(0) {
            memory[displacement as usize..][..bytes].fill(0xEE);
        }
        // SAFETY: as above.
        let mut machine = unsafe { datatype.machine(count, memory.as_mut_ptr()) };
        datatype
            .unpack_external32(count, &mut machine, &out)
            .unwrap();
        assert_eq!(memory, before);
        out
    }

    #[test]
    fn numbers_are_big_endian() {
        let mut memory: Vec<u8> = [1i32, -2, 300]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        let out = there_and_back(&of("MPI_INT"), 3, &mut memory);
        assert_eq!(out, [0, 0, 0, 1, 255, 255, 255, 254, 0, 0, 1, 44]);
        let mut memory: Vec<u8> = [1.5f64, -0.25]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        let out = there_and_back(&of("MPI_C_DOUBLE_COMPLEX"), 1, &mut memory);
        assert_eq!(out[..8], 1.5f64.to_be_bytes());
        assert_eq!(out[8..], (-0.25f64).to_be_bytes());
    }

    #[test]
    fn long_double_is_binary128() {
        // 1.5 in x87: exponent 0x3FFF, significand 1.1.
        let mut memory = vec![0; 16];
        memory[7] = 0xC0;
        memory[8..10].copy_from_slice(&0x3FFFu16.to_le_bytes());
        let out = there_and_back(&of("MPI_LONG_DOUBLE"), 1, &mut memory);
        assert_eq!(out, ((0x3FFFu128 << 112) | 1 << 111).to_be_bytes());
    }

    #[test]
    fn pairs_lose_their_padding() {
        let mut memory = vec![0xAA; 16];
        memory[..2].copy_from_slice(&7i16.to_le_bytes());
        memory[4..8].copy_from_slice(&9i32.to_le_bytes());
        memory[8..10].copy_from_slice(&(-1i16).to_le_bytes());
        memory[12..16].copy_from_slice(&2i32.to_le_bytes());
        let out = there_and_back(&of("MPI_SHORT_INT"), 2, &mut memory);
        assert_eq!(out, [0, 7, 0, 0, 0, 9, 255, 255, 0, 0, 0, 2]);
    }

    #[test]
    fn large_irregular_types_go_in_bursts() {
        let column = Datatype::vector(Form::Int, 3000, 1, 3, &of("MPI_DOUBLE")).unwrap();
        let record =
            Datatype::structure(Form::Int, &[1, 1], &[0, 8], &[of("MPI_INT"), column]).unwrap();
        let mut memory: Vec<u8> = (0..80_000u32).map(|i| (i * 7) as u8).collect();
        let out = there_and_back(&record, 1, &mut memory);
        assert_eq!(out.len(), 24_004);
        let mut last: [u8; 8] = memory[8 + 24 * 2999..][..8].try_into().unwrap();
        last.reverse();
        assert_eq!(out[23_996..], last);
    }

    #[test]
    fn a_short_buffer_is_refused() {
        let int = of("MPI_INT");
        let mut memory = [0; 8];
        // SAFETY: two integers lie within `memory`.
        let mut machine = unsafe { int.machine(2, memory.as_mut_ptr()) };
        let result = int.pack_external32(2, &mut machine, &mut [0; 7]);
        assert_eq!(
            result,
            Err(DatatypeError::BufferTooSmall {
                needed: 8,
                found: 7
            })
        );
    }
}
