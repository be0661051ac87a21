//! x87's extended precision to IEEE binary128 and back.
//!
//! ```text
//!   x87        sign 1 | exponent 15 | integer bit 1 | fraction  63     80 bits
//!   binary128  sign 1 | exponent 15 |                 fraction 112    128 bits
//! ```
//!
//! Both have the bias 16383, so that every x87 number is exact in binary128:
//! the fraction moves up by 49 bits. The way back rounds to nearest, ties to
//! even.
//!
//! Step before: `super::external32` met a `long double`. Step after: the bytes
//! go out in big-endian order.

const EXPONENT: u16 = 0x7FFF;
const INTEGER_BIT: u64 = 1 << 63;
const FRACTION_BITS: u32 = 112;
const FRACTION: u128 = (1 << FRACTION_BITS) - 1;
const SHIFT: u32 = 49;

/// The binary128 of an x87 number, given by its low 10 bytes.
pub(super) fn from_extended(bytes: [u8; 10]) -> u128 {
    let [a, b, c, d, e, f, g, h, i, j] = bytes;
    let significand = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let top = u16::from_le_bytes([i, j]);
    let sign = u128::from(top >> 15) << 127;
    let exponent = top & EXPONENT;
    let integer = significand & INTEGER_BIT != 0;
    let mut fraction = u128::from(significand & !INTEGER_BIT) << SHIFT;
    let exponent = match (exponent, integer) {
        // A pseudo-denormal has the value of the least normal exponent.
        (0, true) => 1,
        (0, false) => 0,
        (_, true) => exponent,
        // Without its integer bit a number is invalid since the 80387.
        (_, false) => {
            fraction |= 1 << (FRACTION_BITS - 1);
            EXPONENT
        }
    };
    sign | (u128::from(exponent) << FRACTION_BITS) | fraction
}

/// The x87 number nearest to a binary128, as 10 bytes.
pub(super) fn to_extended(value: u128) -> [u8; 10] {
    let sign = ((value >> 127) as u16) << 15;
    let mut exponent = (value >> FRACTION_BITS) as u16 & EXPONENT;
    let fraction = value & FRACTION;
    let mut significand = (fraction >> SHIFT) as u64;
    if exponent == EXPONENT {
        if fraction != 0 && significand == 0 {
            significand = 1 << 62; // A NaN stays one.
        }
        significand |= INTEGER_BIT;
    } else {
        if exponent != 0 {
            significand |= INTEGER_BIT;
        }
        let rest = fraction & ((1 << SHIFT) - 1);
        let half = 1 << (SHIFT - 1);
        if rest > half || (rest == half && significand & 1 == 1) {
            match significand.checked_add(1) {
                None => {
                    significand = INTEGER_BIT;
                    exponent += 1; // May become infinity, rightly.
                }
                Some(next) => {
                    significand = next;
                    if exponent == 0 && next & INTEGER_BIT != 0 {
                        exponent = 1;
                    }
                }
            }
        }
    }
    let [a, b, c, d, e, f, g, h] = significand.to_le_bytes();
    let [i, j] = (sign | exponent).to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn extended(top: u16, significand: u64) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&significand.to_le_bytes());
        bytes[8..].copy_from_slice(&top.to_le_bytes());
        bytes
    }

    #[test]
    fn known_values() {
        let known: [(u16, u64, u128); 8] = [
            (0, 0, 0),
            (0x8000, 0, 1 << 127),
            (0x3FFF, INTEGER_BIT, 0x3FFF << 112), // 1
            (0xC000, INTEGER_BIT | 1 << 62, (0xC000 << 112) | 1 << 111), // -3
            (0x7FFF, INTEGER_BIT, 0x7FFF << 112), // infinity
            (0x7FFF, INTEGER_BIT | 1 << 62, (0x7FFF << 112) | 1 << 111), // NaN
            (0, 1, 1 << 49),                      // least denormal
            (
                0x7FFE,
                u64::MAX,
                (0x7FFE << 112) | (FRACTION & !((1 << 49) - 1)),
            ),
        ];
        for (top, significand, quadruple) in known {
            let bytes = extended(top, significand);
            assert_eq!(from_extended(bytes), quadruple, "{top:x} {significand:x}");
            assert_eq!(to_extended(quadruple), bytes, "{top:x} {significand:x}");
        }
        // A pseudo-denormal is the same value as a normal number.
        assert_eq!(from_extended(extended(0, INTEGER_BIT)), 1 << 112);
        // A pseudo-infinity is not a number.
        assert!(from_extended(extended(0x7FFF, 0)) & FRACTION != 0);
    }

    #[test]
    fn the_way_back_rounds_to_even() {
        let one = 0x3FFFu128 << 112;
        assert_eq!(to_extended(one | 1 << 48), extended(0x3FFF, INTEGER_BIT));
        assert_eq!(
            to_extended(one | 1 << 48 | 1),
            extended(0x3FFF, INTEGER_BIT | 1)
        );
        assert_eq!(
            to_extended(one | 3 << 48),
            extended(0x3FFF, INTEGER_BIT | 2)
        );
        // All ones round up into the next exponent, the greatest to infinity.
        assert_eq!(to_extended(one | FRACTION), extended(0x4000, INTEGER_BIT));
        assert_eq!(
            to_extended((0x7FFE << 112) | FRACTION),
            extended(0x7FFF, INTEGER_BIT)
        );
        // The greatest denormal rounds up to the least normal number.
        assert_eq!(to_extended(FRACTION), extended(1, INTEGER_BIT));
        // A NaN whose payload lies below keeps being one.
        assert_eq!(
            to_extended((0x7FFF << 112) | 1),
            extended(0x7FFF, INTEGER_BIT | 1 << 62)
        );
    }

    proptest! {
        #[test]
        fn every_canonical_number_survives(top: u16, significand: u64) {
            let integer = if top & EXPONENT == 0 { 0 } else { INTEGER_BIT };
            let bytes = extended(top, significand & !INTEGER_BIT | integer);
            prop_assert_eq!(to_extended(from_extended(bytes)), bytes);
        }
    }
}
