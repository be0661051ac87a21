//! C's `long double` on x86-64: x87 extended precision, computed by the x87 itself.
//!
//! Rust has no such type, and narrowing to `f64` would lose what the
//! application chose it for; so each operation is a few x87 instructions.
//!
//! ```text
//! byte 0..8   fraction with its explicit leading bit, little-endian
//! byte 8..10  sign and exponent
//! byte 10..16 padding: never read, never written
//! ```
//!
//! Invariant of every block of assembly: the x87 stack is empty on entry (all
//! eight registers are declared clobbered, which the compiler answers with an
//! empty stack) and is left empty. Precision is the control word's, 64 bits of
//! fraction unless the application changed it, as for compiled C.

use std::arch::asm;
use std::cmp::Ordering;

/// Bytes of a `long double` in memory, padding included.
pub(super) const BYTES: usize = 16;

/// A `long double` in memory.
pub(super) type LongDouble = [u8; BYTES];

/// Assembly that uses the x87 stack and leaves it empty.
macro_rules! x87 {
    ($($line:literal),+ ; $($operands:tt)*) => {
        asm!(
            $($line),+,
            $($operands)*
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack),
        )
    };
}

/// `inout = incoming + inout`.
#[inline]
pub(super) fn add(incoming: &LongDouble, inout: &mut LongDouble) {
    // SAFETY: both references are to 16 bytes, of which `tbyte` accesses the first
    // ten at any alignment, and only `inout` is written. Two values are pushed and two popped.
    unsafe {
        x87!(
            "fld tbyte ptr [{a}]",
            "fld tbyte ptr [{b}]",
            "faddp st(1), st",
            "fstp tbyte ptr [{b}]";
            a = in(reg) incoming.as_ptr(),
            b = in(reg) inout.as_mut_ptr(),
        );
    }
}

/// `inout = incoming * inout`.
#[inline]
pub(super) fn multiply(incoming: &LongDouble, inout: &mut LongDouble) {
    // SAFETY: as in `add`.
    unsafe {
        x87!(
            "fld tbyte ptr [{a}]",
            "fld tbyte ptr [{b}]",
            "fmulp st(1), st",
            "fstp tbyte ptr [{b}]";
            a = in(reg) incoming.as_ptr(),
            b = in(reg) inout.as_mut_ptr(),
        );
    }
}

/// `inout = incoming * inout` for complex numbers, each the real part followed by
/// the imaginary part: `(a + bi)(c + di) = (ac - bd) + (ad + bc)i`.
#[inline]
pub(super) fn multiply_complex(incoming: &[LongDouble; 2], inout: &mut [LongDouble; 2]) {
    // SAFETY: both references are to 32 bytes, of which `tbyte` accesses bytes 0..10 and
    // 16..26 at any alignment, and only `inout` is written, after its last read. Each push has its pop.
    unsafe {
        x87!(
            "fld tbyte ptr [{a}]",
            "fld tbyte ptr [{c}]",
            "fmulp st(1), st",          // ac
            "fld tbyte ptr [{a} + 16]",
            "fld tbyte ptr [{c} + 16]",
            "fmulp st(1), st",          // bd, ac
            "fsubp st(1), st",          // ac - bd
            "fld tbyte ptr [{a}]",
            "fld tbyte ptr [{c} + 16]",
            "fmulp st(1), st",          // ad, ac - bd
            "fld tbyte ptr [{a} + 16]",
            "fld tbyte ptr [{c}]",
            "fmulp st(1), st",          // bc, ad, ac - bd
            "faddp st(1), st",          // ad + bc, ac - bd
            "fstp tbyte ptr [{c} + 16]",
            "fstp tbyte ptr [{c}]";
            a = in(reg) incoming.as_ptr(),
            c = in(reg) inout.as_mut_ptr(),
        );
    }
}

/// How `a` stands to `b`; `None` where one is not a number.
#[inline]
pub(super) fn compare(a: &LongDouble, b: &LongDouble) -> Option<Ordering> {
    let (above, below, unordered): (u8, u8, u8);
    // SAFETY: both references are to 16 bytes, of which `tbyte` reads the first ten at
    // any alignment. `fucomip` pops one of the two values pushed, `fstp st(0)` the other.
    unsafe {
        x87!(
            "fld tbyte ptr [{b}]",
            "fld tbyte ptr [{a}]",
            "fucomip st, st(1)",
            "seta {above}",
            "setb {below}",
            "setp {unordered}",
            "fstp st(0)";
            a = in(reg) a.as_ptr(),
            b = in(reg) b.as_ptr(),
            above = out(reg_byte) above,
            below = out(reg_byte) below,
            unordered = out(reg_byte) unordered,
        );
    }
    match (unordered, above, below) {
        (1, _, _) => None,
        (_, 1, _) => Some(Ordering::Greater),
        (_, _, 1) => Some(Ordering::Less),
        _ => Some(Ordering::Equal),
    }
}

/// Copies the value of one `long double` over another, leaving the padding as it was.
#[inline]
pub(super) fn copy(from: &LongDouble, to: &mut LongDouble) {
    to[..10].copy_from_slice(&from[..10]);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A `long double` of the value of an integer, by its definition.
    pub(in crate::operation) fn from_integer(value: i64) -> LongDouble {
        let mut bytes = [0xAA; BYTES];
        bytes[..10].fill(0);
        if value != 0 {
            let magnitude = value.unsigned_abs();
            let shift = magnitude.leading_zeros();
            let exponent = 16383 + 63 - shift as u16;
            let sign = if value < 0 { 0x8000 } else { 0 };
            bytes[..8].copy_from_slice(&(magnitude << shift).to_le_bytes());
            bytes[8..10].copy_from_slice(&(exponent | sign).to_le_bytes());
        }
        bytes
    }

    /// Not a number (quiet).
    pub(in crate::operation) fn not_a_number() -> LongDouble {
        let mut bytes = [0; BYTES];
        bytes[..10].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0xC0, 0xFF, 0x7F]);
        bytes
    }

    proptest! {
        #[test]
        fn sums_and_products_are_exact_to_64_bits(
            a in -(1i64 << 62)..(1i64 << 62),
            b in -(1i64 << 62)..(1i64 << 62),
            c in -(1i64 << 31)..(1i64 << 31),
            d in -(1i64 << 31)..(1i64 << 31),
        ) {
            // Such sums need more than the 53 bits of a double.
            let mut sum = from_integer(b);
            add(&from_integer(a), &mut sum);
            prop_assert_eq!(sum, from_integer(a + b));
            let mut product = from_integer(d);
            multiply(&from_integer(c), &mut product);
            // The x87 knows a negative zero, which integers do not.
            let expected = from_integer(c * d);
            if c * d != 0 { prop_assert_eq!(product, expected); }
            prop_assert_eq!(compare(&product, &expected), Some(Ordering::Equal));
            prop_assert_eq!(compare(&from_integer(a), &from_integer(b)), Some(a.cmp(&b)));
        }

        #[test]
        fn complex_products_follow_the_definition(
            a in -(1i64 << 30)..(1i64 << 30),
            b in -(1i64 << 30)..(1i64 << 30),
            c in -(1i64 << 30)..(1i64 << 30),
            d in -(1i64 << 30)..(1i64 << 30),
        ) {
            let mut product = [from_integer(c), from_integer(d)];
            multiply_complex(&[from_integer(a), from_integer(b)], &mut product);
            let equal = Some(Ordering::Equal);
            prop_assert_eq!(compare(&product[0], &from_integer(a * c - b * d)), equal);
            prop_assert_eq!(compare(&product[1], &from_integer(a * d + b * c)), equal);
        }
    }

    #[test]
    fn what_is_not_a_number_has_no_order() {
        assert_eq!(compare(&not_a_number(), &from_integer(1)), None);
        assert_eq!(compare(&from_integer(1), &not_a_number()), None);
    }

    #[test]
    fn many_operations_leave_the_stack_empty() {
        // Nine leaks of one register would give NaN from a full stack.
        let mut sum = from_integer(0);
        for _ in 0..100 {
            add(&from_integer(1), &mut sum);
            multiply(&from_integer(1), &mut sum);
            compare(&sum, &sum);
        }
        assert_eq!(sum, from_integer(100));
    }
}
