//! What becomes of single elements between memory and external32.
//!
//! Step before: [`super`] has packed whole elements of one primitive. Step after: their bytes
//! in external32, or the reverse.
//!
//! Invariant: a value that does not fit is refused, never cut.

use super::super::error::DatatypeError;
use super::super::primitive::Primitive;
use super::super::quadruple::{from_extended, to_extended};

/// What has to be done to one element.
#[derive(Clone, Copy)]
pub(super) enum Conversion {
    /// As it is.
    Keep,
    /// Each group of so many bytes back to front.
    Reverse(usize),
    /// Each 16 bytes from x87 to binary128.
    Quadruple,
    /// Integers that are shorter there.
    Narrow {
        /// Bytes in memory.
        native: usize,
        /// Bytes in external32.
        external: usize,
        /// Negative values exist.
        signed: bool,
    },
}

/// Bytes of one element in external32: the standard's table. A C `long double` and a `REAL*16`
/// both are binary128 there.
pub(super) const fn external_bytes(primitive: Primitive) -> usize {
    match primitive {
        Primitive::Long | Primitive::UnsignedLong => 4,
        Primitive::WideCharacter => 2,
        other => other.bytes(),
    }
}

/// What becomes of an element of a primitive; pairs come as their members.
pub(super) fn conversion(primitive: Primitive) -> Conversion {
    use Primitive::*;
    match primitive {
        LongDouble | ComplexLongDouble => Conversion::Quadruple,
        Complex16 => Conversion::Reverse(2),
        Complex32 => Conversion::Reverse(4),
        Complex64 => Conversion::Reverse(8),
        Complex128 => Conversion::Reverse(16),
        Long | UnsignedLong | WideCharacter => Conversion::Narrow {
            native: primitive.bytes(),
            external: external_bytes(primitive),
            signed: primitive == Long,
        },
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

/// `native` in external32, to `out`, which has room for just that.
pub(super) fn encode(
    native: &[u8],
    conversion: Conversion,
    out: &mut [u8],
) -> Result<(), DatatypeError> {
    match conversion {
        Conversion::Keep => out.copy_from_slice(native),
        Conversion::Reverse(bytes) => {
            out.copy_from_slice(native);
            reverse(out, bytes);
        }
        Conversion::Quadruple => {
            let elements = out.as_chunks_mut::<16>().0;
            for (out, native) in elements.iter_mut().zip(native.as_chunks::<16>().0) {
                let [a, b, c, d, e, f, g, h, i, j, ..] = *native;
                *out = from_extended([a, b, c, d, e, f, g, h, i, j]).to_be_bytes();
            }
        }
        Conversion::Narrow {
            native: wide,
            external,
            signed,
        } => {
            let elements = out.chunks_exact_mut(external);
            for (out, native) in elements.zip(native.chunks_exact(wide)) {
                narrow(native, signed, out)?;
            }
        }
    }
    Ok(())
}

/// A little-endian integer as a shorter big-endian one.
fn narrow(native: &[u8], signed: bool, out: &mut [u8]) -> Result<(), DatatypeError> {
    let (low, high) = native.split_at(out.len());
    let negative = signed && low.last().is_some_and(|byte| byte & 0x80 != 0);
    let above = if negative { 0xFF } else { 0 };
    if high.iter().any(|byte| *byte != above) {
        return Err(DatatypeError::NotRepresentable {
            value: integer(native, signed),
            bytes: out.len(),
        });
    }
    out.copy_from_slice(low);
    out.reverse();
    Ok(())
}

/// The value of a little-endian integer of at most 8 bytes.
fn integer(native: &[u8], signed: bool) -> i128 {
    let negative = signed && native.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut wide = [if negative { 0xFF } else { 0 }; 16];
    wide[..native.len()].copy_from_slice(native);
    i128::from_le_bytes(wide)
}

/// `external` as the machine has it, to `out`, which has room for just that.
pub(super) fn decode(external: &[u8], conversion: Conversion, out: &mut [u8]) {
    match conversion {
        Conversion::Keep => out.copy_from_slice(external),
        Conversion::Reverse(bytes) => {
            out.copy_from_slice(external);
            reverse(out, bytes);
        }
        Conversion::Quadruple => {
            let elements = out.as_chunks_mut::<16>().0;
            for (out, external) in elements.iter_mut().zip(external.as_chunks::<16>().0) {
                let extended = to_extended(u128::from_be_bytes(*external));
                *out = [0; 16];
                out[..10].copy_from_slice(&extended);
            }
        }
        Conversion::Narrow {
            native,
            external: short,
            signed,
        } => {
            let elements = out.chunks_exact_mut(native);
            for (out, external) in elements.zip(external.chunks_exact(short)) {
                let negative = signed && external[0] & 0x80 != 0;
                out.fill(if negative { 0xFF } else { 0 });
                out[..short].copy_from_slice(external);
                out[..short].reverse();
            }
        }
    }
}
