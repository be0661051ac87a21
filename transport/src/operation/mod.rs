//! Predefined operations of reductions and of accumulating one-sided calls (MPI-5.0 sections 6.9
//! and 12.3.4), for MPI's types and PAMI's.
//!
//! They are defined on primitives: [`combine`] takes bytes in *memory layout*, elements
//! [`extent_bytes`] apart, padding of pairs included, at any alignment.
//!
//! ```text
//! inout[i] = incoming[i] op inout[i]
//! ```
//!
//! The operand order is that of `MPI_User_function`: where ranks combine in
//! order, `incoming` comes from the lower rank. For predefined operations it
//! shows only in `MAX` and `MIN`, which are C's `a > b ? a : b` with `a` the
//! incoming element: where either is not a number the comparison is false and
//! `inout` stays.
//!
//! Integers wrap around. Logical results are 1 or 0, and every nonzero operand
//! is true. Complex products are `(ac - bd) + (ad + bc)i` without the recovery
//! of infinities that C's Annex G suggests.
//!
//! Step before: a collective algorithm or an accumulate that has both operands
//! in memory. Step after: none.

mod half;
mod kernel;
mod long_double;
mod pair;
mod predefined;
mod quad;

pub mod primitive;

#[cfg(test)]
mod tests;

pub use predefined::{Operation, OperationError, TypeGroup, extent_bytes};
pub use primitive::Primitive;

use kernel::{Inout, combine_as, each};
use long_double::LongDouble;
use pair::Extreme;

/// `inout[i] = incoming[i] op inout[i]` for the first `count` elements.
///
/// Both buffers are in memory layout, elements [`extent_bytes`] apart, at any alignment.
///
/// # Errors
///
/// Those of [`Operation::check`], and [`OperationError::Short`] where a buffer
/// has fewer than `count` elements. Nothing was combined then.
#[inline]
pub fn combine(
    operation: Operation,
    primitive: Primitive,
    incoming: &[u8],
    inout: &mut [u8],
    count: usize,
) -> Result<(), OperationError> {
    let inout = Inout {
        own: None,
        result: inout,
    };
    combine_with(operation, primitive, incoming, inout, count)
}

/// `result[i] = incoming[i] op own[i]` for the first `count` elements, as [`combine`] after a copy of `own`, but in one
/// go.
///
/// # Errors
///
/// As for [`combine`].
#[inline]
pub fn combine_out_of_place(
    operation: Operation,
    primitive: Primitive,
    (incoming, own): (&[u8], &[u8]),
    result: &mut [u8],
    count: usize,
) -> Result<(), OperationError> {
    let own = Some(own);
    let inout = Inout { own, result };
    combine_with(operation, primitive, incoming, inout, count)
}

#[inline]
fn combine_with(
    operation: Operation,
    primitive: Primitive,
    incoming: &[u8],
    inout: Inout<'_>,
    count: usize,
) -> Result<(), OperationError> {
    let needed_bytes = count.saturating_mul(extent_bytes(primitive));
    let own_bytes = inout.own.map_or(usize::MAX, <[u8]>::len);
    let available_bytes = incoming.len().min(inout.result.len()).min(own_bytes);
    if needed_bytes > available_bytes {
        return Err(OperationError::Short {
            needed_bytes,
            available_bytes,
        });
    }
    let incoming = &incoming[..needed_bytes];
    let inout = Inout {
        own: inout.own.map(|own| &own[..needed_bytes]),
        result: &mut inout.result[..needed_bytes],
    };
    let combined = match operation {
        Operation::Max => maximum(primitive, incoming, inout),
        Operation::Min => minimum(primitive, incoming, inout),
        Operation::Sum => sum(primitive, incoming, inout),
        Operation::Prod => product(primitive, incoming, inout),
        Operation::LogicalAnd => logical(primitive, incoming, inout, |a, b| a & b),
        Operation::LogicalOr => logical(primitive, incoming, inout, |a, b| a | b),
        Operation::LogicalXor => logical(primitive, incoming, inout, |a, b| a ^ b),
        Operation::BitAnd => bits(primitive, incoming, inout, |a, b| a & b),
        Operation::BitOr => bits(primitive, incoming, inout, |a, b| a | b),
        Operation::BitXor => bits(primitive, incoming, inout, |a, b| a ^ b),
        Operation::MinLocation => pair::combine(Extreme::Least, primitive, incoming, inout),
        Operation::MaxLocation => pair::combine(Extreme::Greatest, primitive, incoming, inout),
        Operation::Replace => {
            inout.result.copy_from_slice(incoming);
            true
        }
        Operation::NoOperation => {
            inout.in_place();
            true
        }
    };
    if combined {
        return Ok(());
    }
    // What the functions above compute is what `check` accepts: everything that is defined.
    Err(OperationError::Undefined {
        operation,
        primitive,
    })
}

/// `MPI_MAX`; `false` where it is not defined.
fn maximum(primitive: Primitive, incoming: &[u8], inout: Inout<'_>) -> bool {
    macro_rules! greatest {
        ($element:ty) => {
            combine_as!($element, incoming, inout, |a, b| if a > b { a } else { b })
        };
    }
    match primitive {
        Primitive::Int8 => greatest!(i8),
        Primitive::Int16 => greatest!(i16),
        Primitive::Int32 => greatest!(i32),
        Primitive::Int64 | Primitive::Long => greatest!(i64),
        Primitive::Int128 => greatest!(i128),
        Primitive::UInt8 => greatest!(u8),
        Primitive::UInt16 => greatest!(u16),
        Primitive::UInt32 => greatest!(u32),
        Primitive::UInt64 | Primitive::UnsignedLong => greatest!(u64),
        Primitive::Float32 => greatest!(f32),
        Primitive::Float64 => greatest!(f64),
        Primitive::Float16 => each(incoming, inout, |a, b| {
            if half::to_f32(a) > half::to_f32(b) {
                a
            } else {
                b
            }
        }),
        Primitive::LongDouble => each_long_double(incoming, inout, |a, b| {
            if long_double::compare(a, b).is_some_and(|order| order.is_gt()) {
                long_double::copy(a, b);
            }
        }),
        Primitive::Float128 => combine_as!(u128, incoming, inout, |a, b| {
            let order = quad::compare(a, b);
            if order.is_some_and(|order| order.is_gt()) {
                a
            } else {
                b
            }
        }),
        _ => return false,
    }
    true
}

/// `MPI_MIN`; `false` where it is not defined.
fn minimum(primitive: Primitive, incoming: &[u8], inout: Inout<'_>) -> bool {
    macro_rules! least {
        ($element:ty) => {
            combine_as!($element, incoming, inout, |a, b| if a < b { a } else { b })
        };
    }
    match primitive {
        Primitive::Int8 => least!(i8),
        Primitive::Int16 => least!(i16),
        Primitive::Int32 => least!(i32),
        Primitive::Int64 | Primitive::Long => least!(i64),
        Primitive::Int128 => least!(i128),
        Primitive::UInt8 => least!(u8),
        Primitive::UInt16 => least!(u16),
        Primitive::UInt32 => least!(u32),
        Primitive::UInt64 | Primitive::UnsignedLong => least!(u64),
        Primitive::Float32 => least!(f32),
        Primitive::Float64 => least!(f64),
        Primitive::Float16 => each(incoming, inout, |a, b| {
            if half::to_f32(a) < half::to_f32(b) {
                a
            } else {
                b
            }
        }),
        Primitive::LongDouble => each_long_double(incoming, inout, |a, b| {
            if long_double::compare(a, b).is_some_and(|order| order.is_lt()) {
                long_double::copy(a, b);
            }
        }),
        Primitive::Float128 => combine_as!(u128, incoming, inout, |a, b| {
            let order = quad::compare(a, b);
            if order.is_some_and(|order| order.is_lt()) {
                a
            } else {
                b
            }
        }),
        _ => return false,
    }
    true
}

/// `MPI_SUM`; `false` where it is not defined. A complex sum is the sum of its
/// parts, and a signed sum is an unsigned one in two's complement.
fn sum(primitive: Primitive, incoming: &[u8], inout: Inout<'_>) -> bool {
    use Primitive::*;
    match primitive {
        Int8 | UInt8 => combine_as!(u8, incoming, inout, |a, b| a.wrapping_add(b)),
        Int16 | UInt16 => combine_as!(u16, incoming, inout, |a, b| a.wrapping_add(b)),
        Int32 | UInt32 => combine_as!(u32, incoming, inout, |a, b| a.wrapping_add(b)),
        Int64 | UInt64 | Long | UnsignedLong => {
            combine_as!(u64, incoming, inout, |a, b| a.wrapping_add(b));
        }
        Int128 => combine_as!(u128, incoming, inout, |a, b| a.wrapping_add(b)),
        Float32 | Complex32 => combine_as!(f32, incoming, inout, |a, b| a + b),
        Float64 | Complex64 => combine_as!(f64, incoming, inout, |a, b| a + b),
        Float16 | Complex16 => {
            each(incoming, inout, |a, b| {
                half::from_f32(half::to_f32(a) + half::to_f32(b))
            });
        }
        LongDouble | ComplexLongDouble => each_long_double(incoming, inout, long_double::add),
        Float128 | Complex128 => combine_as!(u128, incoming, inout, |a, b| quad::add(a, b)),
        _ => return false,
    }
    true
}

/// `MPI_PROD`; `false` where it is not defined.
fn product(primitive: Primitive, incoming: &[u8], inout: Inout<'_>) -> bool {
    use Primitive::*;
    match primitive {
        Int8 | UInt8 => combine_as!(u8, incoming, inout, |a, b| a.wrapping_mul(b)),
        Int16 | UInt16 => combine_as!(u16, incoming, inout, |a, b| a.wrapping_mul(b)),
        Int32 | UInt32 => combine_as!(u32, incoming, inout, |a, b| a.wrapping_mul(b)),
        Int64 | UInt64 | Long | UnsignedLong => {
            combine_as!(u64, incoming, inout, |a, b| a.wrapping_mul(b));
        }
        Int128 => combine_as!(u128, incoming, inout, |a, b| a.wrapping_mul(b)),
        Float32 => combine_as!(f32, incoming, inout, |a, b| a * b),
        Float64 => combine_as!(f64, incoming, inout, |a, b| a * b),
        Float16 => {
            each(incoming, inout, |a, b| {
                half::from_f32(half::to_f32(a) * half::to_f32(b))
            });
        }
        Complex16 => each(incoming, inout, |a: [u8; 4], b: [u8; 4]| {
            let [a, b] = [a, b].map(|z| [half::to_f32([z[0], z[1]]), half::to_f32([z[2], z[3]])]);
            let [real, imaginary] =
                [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]].map(half::from_f32);
            [real[0], real[1], imaginary[0], imaginary[1]]
        }),
        Complex32 => each(incoming, inout, |a: [u8; 8], b: [u8; 8]| {
            let [a, b] = [a, b].map(|z| {
                let (parts, _) = z.as_chunks::<4>();
                [f32::from_ne_bytes(parts[0]), f32::from_ne_bytes(parts[1])]
            });
            let mut product = [0; 8];
            product[..4].copy_from_slice(&(a[0] * b[0] - a[1] * b[1]).to_ne_bytes());
            product[4..].copy_from_slice(&(a[0] * b[1] + a[1] * b[0]).to_ne_bytes());
            product
        }),
        Complex64 => each(incoming, inout, |a: [u8; 16], b: [u8; 16]| {
            let [a, b] = [a, b].map(|z| {
                let (parts, _) = z.as_chunks::<8>();
                [f64::from_ne_bytes(parts[0]), f64::from_ne_bytes(parts[1])]
            });
            let mut product = [0; 16];
            product[..8].copy_from_slice(&(a[0] * b[0] - a[1] * b[1]).to_ne_bytes());
            product[8..].copy_from_slice(&(a[0] * b[1] + a[1] * b[0]).to_ne_bytes());
            product
        }),
        LongDouble => each_long_double(incoming, inout, long_double::multiply),
        ComplexLongDouble => {
            let (incoming, _) = incoming.as_chunks::<{ long_double::BYTES }>();
            let (inout, _) = inout.in_place().as_chunks_mut::<{ long_double::BYTES }>();
            let (incoming, _) = incoming.as_chunks::<2>();
            let (inout, _) = inout.as_chunks_mut::<2>();
            for (b, a) in inout.iter_mut().zip(incoming) {
                long_double::multiply_complex(a, b);
            }
        }
        Float128 => combine_as!(u128, incoming, inout, |a, b| quad::multiply(a, b)),
        Complex128 => each(incoming, inout, |a: [u8; 32], b: [u8; 32]| {
            let [a, b] = [a, b].map(|z| {
                let (parts, _) = z.as_chunks::<16>();
                [u128::from_ne_bytes(parts[0]), u128::from_ne_bytes(parts[1])]
            });
            let parts = quad::multiply_complex(a, b).map(u128::to_ne_bytes);
            let mut product = [0; 32];
            product[..16].copy_from_slice(&parts[0]);
            product[16..].copy_from_slice(&parts[1]);
            product
        }),
        _ => return false,
    }
    true
}

/// `MPI_LAND`, `MPI_LOR`, `MPI_LXOR`: `f` of two truths; `false` where it is not defined.
fn logical(
    primitive: Primitive,
    incoming: &[u8],
    inout: Inout<'_>,
    f: impl Fn(bool, bool) -> bool,
) -> bool {
    use Primitive::*;
    macro_rules! truths {
        ($element:ty) => {
            combine_as!($element, incoming, inout, |a, b| f(a != 0, b != 0).into())
        };
    }
    match primitive {
        Int8 | UInt8 | Bool | Logical8 => truths!(u8),
        Int16 | UInt16 | Logical16 => truths!(u16),
        Int32 | UInt32 | Logical32 => truths!(u32),
        Int64 | UInt64 | Long | UnsignedLong | Logical64 => truths!(u64),
        Int128 | Logical128 => truths!(u128),
        _ => return false,
    }
    true
}

/// `MPI_BAND`, `MPI_BOR`, `MPI_BXOR`: the same on bytes, whatever the width;
/// `false` where it is not defined.
fn bits(primitive: Primitive, incoming: &[u8], inout: Inout<'_>, f: impl Fn(u8, u8) -> u8) -> bool {
    use Primitive::*;
    match primitive {
        Int8 | Int16 | Int32 | Int64 | Int128 | UInt8 | UInt16 | UInt32 | UInt64 | Long
        | UnsignedLong | Byte => {
            combine_as!(u8, incoming, inout, |a, b| f(a, b));
            true
        }
        _ => false,
    }
}

/// Calls `f` on each pair of elements of `long double`s.
fn each_long_double(incoming: &[u8], inout: Inout<'_>, f: impl Fn(&LongDouble, &mut LongDouble)) {
    let (incoming, _) = incoming.as_chunks::<{ long_double::BYTES }>();
    let (inout, _) = inout.in_place().as_chunks_mut::<{ long_double::BYTES }>();
    for (b, a) in inout.iter_mut().zip(incoming) {
        f(a, b);
    }
}
