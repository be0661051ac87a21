//! IEEE 754 binary128 (Fortran's `REAL*16`), computed in integers: Rust has no such type, and no processor
//! of this architecture either.
//!
//! ```text
//! bit 127        sign
//! bit 112..127   exponent, bias 16383; 0 is for zeros and subnormals, 0x7fff for infinities and NaN
//! bit 0..112     fraction, above which normal numbers have a 1 that is not stored
//! ```
//!
//! Values are these bits in a `u128`. Results are rounded to the nearest, ties to even. An operand that is not
//! a number is the result, quiet; an invalid operation gives the NaN that x86 gives, whose sign is set.

use std::cmp::Ordering;

const SIGN: u128 = 1 << 127;
const FRACTION_BITS: u32 = 112;
const FRACTION: u128 = (1 << FRACTION_BITS) - 1;
const INFINITY: u128 = 0x7fff << FRACTION_BITS;
const QUIET: u128 = 1 << (FRACTION_BITS - 1);
/// What an operation without a value gives.
const INVALID: u128 = SIGN | INFINITY | QUIET;
const BIAS: i32 = 16383;
/// Bits of a significand below its last one, the lowest of which is set where anything below it was.
const GUARD_BITS: u32 = 3;

/// `a + b`.
pub(super) fn add(a: u128, b: u128) -> u128 {
    // A sum has the exponent and the sign of the operand that is farther from zero.
    let (large, small) = if a & !SIGN >= b & !SIGN {
        (a, b)
    } else {
        (b, a)
    };
    if large & !SIGN >= INFINITY {
        let opposed = (a ^ b) == SIGN;
        return not_a_number(a, b).unwrap_or(if opposed { INVALID } else { large });
    }
    let (exponent, significand) = parts(large);
    let (small_exponent, small_significand) = parts(small);
    let addend = shifted_right(
        small_significand << GUARD_BITS,
        (exponent - small_exponent) as u32,
    );
    let augend = significand << GUARD_BITS;
    if (a ^ b) & SIGN == 0 {
        return rounded(large & SIGN, exponent, augend + addend);
    }
    match augend - addend {
        0 => 0,
        difference => rounded(large & SIGN, exponent, difference),
    }
}

/// `a * b`.
pub(super) fn multiply(a: u128, b: u128) -> u128 {
    let sign = (a ^ b) & SIGN;
    let (least, greatest) = {
        let (a, b) = (a & !SIGN, b & !SIGN);
        (a.min(b), a.max(b))
    };
    if greatest >= INFINITY {
        let product = if least == 0 { INVALID } else { sign | INFINITY };
        return not_a_number(a, b).unwrap_or(product);
    }
    if least == 0 {
        return sign;
    }
    let ((a_exponent, a), (b_exponent, b)) = (normalised(a), normalised(b));
    let (high, low) = full_product(a, b);
    // The product's point is 224 bits up; it comes to where `rounded` has it.
    const DOWN: u32 = FRACTION_BITS - GUARD_BITS;
    let product = high << (128 - DOWN) | shifted_right(low, DOWN);
    rounded(sign, a_exponent + b_exponent - BIAS, product)
}

/// `ab` for complex numbers of a real and an imaginary part.
pub(super) fn multiply_complex(a: [u128; 2], b: [u128; 2]) -> [u128; 2] {
    [
        add(multiply(a[0], b[0]), multiply(a[1], b[1]) ^ SIGN),
        add(multiply(a[0], b[1]), multiply(a[1], b[0])),
    ]
}

/// How `a` stands to `b`; `None` where one is not a number.
pub(super) fn compare(a: u128, b: u128) -> Option<Ordering> {
    if not_a_number(a, b).is_some() {
        return None;
    }
    // In the order of the numbers; both zeros are 0.
    let place = |bits: u128| {
        let magnitude = (bits & !SIGN) as i128;
        if bits & SIGN == 0 {
            magnitude
        } else {
            -magnitude
        }
    };
    Some(place(a).cmp(&place(b)))
}

/// The first operand that is not a number, quiet.
fn not_a_number(a: u128, b: u128) -> Option<u128> {
    let nan = [a, b].into_iter().find(|bits| bits & !SIGN > INFINITY)?;
    Some(nan | QUIET)
}

/// The exponent of a finite number and its significand, whose unit is 2^(exponent - bias - 112).
fn parts(bits: u128) -> (i32, u128) {
    match (bits & INFINITY) >> FRACTION_BITS {
        0 => (1, bits & FRACTION),
        exponent => (exponent as i32, bits & FRACTION | 1 << FRACTION_BITS),
    }
}

/// As [`parts`] of a number that is not zero, with bit 112 set for subnormals too.
fn normalised(bits: u128) -> (i32, u128) {
    let (exponent, significand) = parts(bits);
    let up = significand.leading_zeros() - (127 - FRACTION_BITS);
    (exponent - up as i32, significand << up)
}

/// The product's upper and lower 128 bits, of factors of at most 113 bits.
fn full_product(a: u128, b: u128) -> (u128, u128) {
    let halves = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let (carry, lowest) = halves(a_low * b_low);
    // At most 113 bits each, so that three have room.
    let (carry, middle) = halves(a_high * b_low + a_low * b_high + carry);
    (a_high * b_high + carry, middle << 64 | lowest)
}

/// `value >> by`, with the lowest bit set where a bit was lost.
fn shifted_right(value: u128, by: u32) -> u128 {
    let kept = value.checked_shr(by).unwrap_or(0);
    let lost = kept.checked_shl(by).unwrap_or(0) != value;
    kept | u128::from(lost)
}

/// The number nearest to a significand with guard bits, whose unit is 2^(exponent - bias - 115).
fn rounded(sign: u128, exponent: i32, significand: u128) -> u128 {
    // The first bit goes to where normal numbers have it, but no further up than the least exponent allows.
    let to_normal = significand.leading_zeros() as i32 - (127 - FRACTION_BITS - GUARD_BITS) as i32;
    let up = to_normal.min(exponent - 1);
    let exponent = exponent - up;
    let significand = if up >= 0 {
        significand << up
    } else {
        shifted_right(significand, up.unsigned_abs())
    };
    if exponent >= 0x7fff {
        return sign | INFINITY;
    }
    // A normal number's first bit counts the exponent up by one, as does a carry from rounding: from the
    // subnormal numbers to the normal ones, and from the greatest to infinity.
    let truncated = (((exponent - 1) as u128) << FRACTION_BITS) + (significand >> GUARD_BITS);
    let half = 1 << (GUARD_BITS - 1);
    let guard = significand & (2 * half - 1);
    let up = guard > half || guard == half && truncated & 1 == 1;
    sign | (truncated + u128::from(up))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: u128 = 0x3fff << 112;
    const LEAST: u128 = 1;
    const LEAST_NORMAL: u128 = 1 << 112;
    const GREATEST: u128 = INFINITY - 1;

    /// `significand * 2^exponent`, exact: at most 113 bits of the significand count, and the number is normal.
    fn exactly(negative: bool, significand: u128, exponent: i32) -> u128 {
        let sign = if negative { SIGN } else { 0 };
        if significand == 0 {
            return sign;
        }
        let first = 127 - significand.leading_zeros();
        let fraction = (significand << (127 - first) >> 15) & FRACTION;
        sign | ((exponent + first as i32 + BIAS) as u128) << 112 | fraction
    }

    /// Sign, significand and exponent of a finite `f64`.
    fn f64_parts(value: f64) -> (bool, u128, i32) {
        let bits = value.to_bits();
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let (significand, exponent) = match (bits >> 52 & 0x7ff) as i32 {
            0 => (fraction, -1074),
            exponent => (fraction | 1 << 52, exponent - 1075),
        };
        (value.is_sign_negative(), significand, exponent)
    }

    /// The binary128 of the value of an `f64`.
    pub(in crate::operation) fn from_f64(value: f64) -> u128 {
        let (negative, significand, exponent) = f64_parts(value);
        match value {
            _ if value.is_nan() => INFINITY | QUIET,
            _ if value.is_infinite() => INFINITY | if negative { SIGN } else { 0 },
            _ => exactly(negative, significand, exponent),
        }
    }

    /// The value of a small integer's binary128, or NaN.
    pub(in crate::operation) fn to_f64(bits: u128) -> f64 {
        if bits & !SIGN > INFINITY {
            return f64::NAN;
        }
        let (exponent, significand) = parts(bits);
        let magnitude = significand as f64 * 2f64.powi(exponent - BIAS - 112);
        if bits & SIGN == 0 {
            magnitude
        } else {
            -magnitude
        }
    }

    #[test]
    fn sums_round_to_nearest_even() {
        let half_unit = exactly(false, 1, -113);
        let next = ONE + 1;
        assert_eq!(add(ONE, half_unit), ONE);
        assert_eq!(add(next, half_unit), ONE + 2);
        assert_eq!(add(ONE, half_unit + 1), next);
        assert_eq!(add(next, half_unit - 1), next);
        // Below one, units are half as long, and a tie is at a quarter.
        let quarter_unit = exactly(false, 1, -114);
        assert_eq!(add(ONE, SIGN | half_unit), ONE - 1);
        assert_eq!(add(ONE, SIGN | quarter_unit), ONE);
        assert_eq!(add(ONE, SIGN | (quarter_unit + 1)), ONE - 1);
        assert_eq!(add(ONE - 1, SIGN | quarter_unit), ONE - 2);
        assert_eq!(add(ONE, SIGN | LEAST), ONE);
        assert_eq!(add(next, SIGN | ONE), exactly(false, 1, -112));
        // All ones carry into the next exponent.
        assert_eq!(add(2 * ONE - ONE + FRACTION, half_unit), ONE + LEAST_NORMAL);
    }

    #[test]
    fn products_round_to_nearest_even() {
        // (1 + u)(1 + u) = 1 + 2u + u^2, (1.5)(1 + u) = 1.5 + 1.5 u, a tie; (1.5)(1 + 3u) = 1.5 + 4.5u, the other.
        let one_and_a_half = ONE | QUIET;
        assert_eq!(multiply(ONE + 1, ONE + 1), ONE + 2);
        assert_eq!(multiply(one_and_a_half, ONE + 1), one_and_a_half + 2);
        assert_eq!(multiply(one_and_a_half, ONE + 3), one_and_a_half + 4);
        // (2 - 2u)(2 - 2u) = 4 - 8u + 4u^2, where the unit is 2u.
        let below_two = ONE + FRACTION;
        assert_eq!(multiply(below_two, below_two), LEAST_NORMAL + below_two - 1);
    }

    #[test]
    fn the_ends_of_the_range_are_right() {
        let (half, two) = (exactly(false, 1, -1), exactly(false, 2, 0));
        assert_eq!(add(GREATEST, GREATEST), INFINITY);
        // Half a unit of the greatest number overflows, less does not.
        let half_unit = exactly(false, 1, 16383 - 113);
        assert_eq!(add(GREATEST, half_unit), INFINITY);
        assert_eq!(add(GREATEST, half_unit - 1), GREATEST);
        assert_eq!(multiply(GREATEST, SIGN | two), SIGN | INFINITY);
        assert_eq!(multiply(GREATEST, GREATEST), INFINITY);
        assert_eq!(multiply(multiply(GREATEST, half), two), GREATEST);
        // Subnormal numbers are exact in sums, and round to even in products.
        assert_eq!(add(LEAST, LEAST), 2);
        assert_eq!(add(LEAST_NORMAL, SIGN | LEAST), LEAST_NORMAL - 1);
        assert_eq!(add(LEAST_NORMAL - 1, LEAST), LEAST_NORMAL);
        assert_eq!(multiply(LEAST, half), 0);
        assert_eq!(multiply(SIGN | LEAST, half), SIGN);
        assert_eq!(multiply(LEAST, half + 1), LEAST);
        assert_eq!(multiply(3, half), 2);
        assert_eq!(multiply(5, half), 2);
        assert_eq!(multiply(LEAST, exactly(false, 1, 112)), LEAST_NORMAL);
        assert_eq!(multiply(LEAST_NORMAL, half), LEAST_NORMAL / 2);
        assert_eq!(multiply(LEAST_NORMAL + 1, half), LEAST_NORMAL / 2);
        // Rounding makes it normal.
        assert_eq!(multiply(LEAST_NORMAL, ONE - 1), LEAST_NORMAL);
        assert_eq!(
            multiply(LEAST, GREATEST),
            exactly(false, (1 << 113) - 1, -16494 + 16384 - 113)
        );
        assert_eq!(multiply(LEAST_NORMAL, LEAST_NORMAL), 0);
    }

    #[test]
    fn zeros_have_signs() {
        assert_eq!(add(0, 0), 0);
        assert_eq!(add(SIGN, SIGN), SIGN);
        assert_eq!(add(0, SIGN), 0);
        assert_eq!(add(SIGN, 0), 0);
        assert_eq!(add(ONE, SIGN | ONE), 0);
        assert_eq!(add(SIGN | LEAST, LEAST), 0);
        assert_eq!(add(SIGN, LEAST), LEAST);
        assert_eq!(multiply(SIGN, ONE), SIGN);
        assert_eq!(multiply(SIGN, SIGN | GREATEST), 0);
        assert_eq!(compare(0, SIGN), Some(Ordering::Equal));
    }

    #[test]
    fn infinities_and_what_is_not_a_number() {
        let minus_infinity = SIGN | INFINITY;
        assert_eq!(add(INFINITY, SIGN | GREATEST), INFINITY);
        assert_eq!(add(ONE, minus_infinity), minus_infinity);
        assert_eq!(add(INFINITY, INFINITY), INFINITY);
        assert_eq!(add(INFINITY, minus_infinity), INVALID);
        assert_eq!(multiply(minus_infinity, LEAST), minus_infinity);
        assert_eq!(multiply(minus_infinity, minus_infinity), INFINITY);
        assert_eq!(multiply(INFINITY, 0), INVALID);
        assert_eq!(multiply(SIGN, INFINITY), INVALID);
        // A signalling one becomes quiet and keeps its payload; the first of two is taken.
        let (first, second) = (INFINITY | 5, SIGN | INFINITY | QUIET | 7);
        for operation in [add, multiply] {
            assert_eq!(operation(first, ONE), first | QUIET);
            assert_eq!(operation(INFINITY, second), second);
            assert_eq!(operation(0, first), first | QUIET);
            assert_eq!(operation(second, first), second);
        }
        assert_eq!(compare(first, ONE), None);
        assert_eq!(compare(INFINITY, second), None);
        assert_eq!(
            compare(minus_infinity, SIGN | GREATEST),
            Some(Ordering::Less)
        );
        assert_eq!(compare(INFINITY, INFINITY), Some(Ordering::Equal));
    }

    /// A finite `f64`, of any bits or near one.
    fn finite() -> impl Strategy<Value = f64> {
        let of_any_bits = any::<u64>().prop_map(f64::from_bits);
        let near = (any::<u64>(), 963u64..1083)
            .prop_map(|(bits, exponent)| f64::from_bits(bits & !(0x7ff << 52) | exponent << 52));
        prop_oneof![of_any_bits, near].prop_filter("finite", |value| value.is_finite())
    }

    /// A fraction of any bits, or of few that are unlike the others, so that there are ties and what almost is one.
    fn fraction() -> impl Strategy<Value = u128> {
        let few = (0..112u32, 0..112u32).prop_map(|(i, j)| 1 << i | 1 << j);
        let most = (0..112u32, 0..112u32).prop_map(|(i, j)| !(1 << i | 1 << j));
        prop_oneof![any::<u128>(), few, most].prop_map(|bits: u128| bits & FRACTION)
    }

    /// The binary digits of `value << up`, the lowest first.
    fn digits(value: u128, up: usize) -> Vec<bool> {
        let zeros = std::iter::repeat_n(false, up);
        let mut digits: Vec<bool> = zeros
            .chain((0..128).map(|place| value >> place & 1 == 1))
            .collect();
        digits.resize(512, false);
        digits
    }

    /// `a + b`, or `a - b` where that is not negative, digit by digit.
    fn on_paper(a: &[bool], b: &[bool], subtract: bool) -> Vec<bool> {
        let mut carry = false;
        let column = |(&a, &b): (&bool, &bool)| {
            let digit = a ^ b ^ carry;
            let a = a ^ subtract;
            carry = a & b | a & carry | b & carry;
            digit
        };
        a.iter().zip(b).map(column).collect()
    }

    /// What digits are rounded to, by the definition; the lowest counts 2^exponent.
    fn nearest(negative: bool, digits: &[bool], exponent: i32) -> u128 {
        let Some(first) = digits.iter().rposition(|&digit| digit) else {
            return 0;
        };
        let last = first.saturating_sub(112);
        let kept = (last..=first)
            .rev()
            .fold(0, |kept, place| kept << 1 | u128::from(digits[place]));
        let half = last > 0 && digits[last - 1];
        let more = last > 1 && digits[..last - 1].contains(&true);
        let up = half && (more || kept & 1 == 1);
        exactly(negative, kept + u128::from(up), exponent + last as i32)
    }

    proptest! {
        #[test]
        fn products_of_doubles_are_exact(a in finite(), b in finite()) {
            let ((a_sign, x, e), (b_sign, y, f)) = (f64_parts(a), f64_parts(b));
            let product = multiply(from_f64(a), from_f64(b));
            prop_assert_eq!(product, exactly(a_sign != b_sign, x * y, e + f));
        }

        #[test]
        fn sums_of_doubles_that_are_near_are_exact(a in finite(), gap in -59i32..60, bits: u64) {
            let exponent = (a.to_bits() >> 52 & 0x7ff) as i32 + gap;
            prop_assume!((0..0x7ff).contains(&exponent));
            let b = f64::from_bits(bits & !(0x7ff << 52) | (exponent as u64) << 52);
            let ((a_sign, x, e), (b_sign, y, f)) = (f64_parts(a), f64_parts(b));
            let unit = e.min(f);
            let signed = |negative, magnitude: u128| if negative { -(magnitude as i128) } else { magnitude as i128 };
            let sum = signed(a_sign, x << (e - unit)) + signed(b_sign, y << (f - unit));
            let negative = sum < 0 || sum == 0 && a_sign && b_sign && x | y == 0;
            let expected = exactly(negative, sum.unsigned_abs(), unit);
            prop_assert_eq!(add(from_f64(a), from_f64(b)), expected);
        }

        #[test]
        fn sums_are_those_on_paper(a in fraction(), b in fraction(), gap in 0i32..125, a_sign: bool, b_sign: bool) {
            let [x, y] = [(a, a_sign, 0), (b, b_sign, -gap)]
                .map(|(fraction, negative, exponent)| exactly(negative, fraction | 1 << 112, exponent));
            let (large, small) = if a >= b || gap > 0 { (x, y) } else { (y, x) };
            let digits = |bits| {
                let (exponent, significand) = parts(bits);
                digits(significand, (exponent - BIAS - 112 + 125) as usize)
            };
            let sum = on_paper(&digits(large), &digits(small), a_sign != b_sign);
            let expected = nearest(large & SIGN != 0, &sum, -125);
            prop_assert_eq!(add(x, y), expected);
            prop_assert_eq!(add(y, x), expected);
        }

        #[test]
        fn products_are_those_on_paper(a in fraction(), b in fraction()) {
            let (a, b) = (a | 1 << 112, b | 1 << 112);
            let mut product = digits(0, 0);
            for place in (0..113).filter(|place| b >> place & 1 == 1) {
                product = on_paper(&product, &digits(a, place), false);
            }
            let (x, y) = (exactly(false, a, 0), exactly(true, b, 0));
            prop_assert_eq!(multiply(x, y), nearest(true, &product, 0));
        }

        #[test]
        fn order_is_that_of_doubles(a in any::<f64>(), b in any::<f64>()) {
            prop_assert_eq!(compare(from_f64(a), from_f64(b)), a.partial_cmp(&b));
        }

        #[test]
        fn complex_products_follow_the_definition(a: [i32; 2], b: [i32; 2]) {
            let [x, y] = [a, b].map(|z| z.map(|part| from_f64(part.into())));
            let [a, b] = [a, b].map(|z| z.map(i128::from));
            let expected = [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
                .map(|part| exactly(part < 0, part.unsigned_abs(), 0));
            for (got, expected) in multiply_complex(x, y).into_iter().zip(expected) {
                prop_assert!(got == expected || compare(got, expected) == Some(Ordering::Equal));
            }
        }
    }
}
