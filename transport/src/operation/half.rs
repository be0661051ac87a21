//! IEEE 754 binary16 to and from `f32`, in which it is computed.
//!
//! One sum or product in `f32`, rounded to binary16, is the correctly rounded
//! result: 24 bits of precision are at least twice 11 and two more, so that
//! rounding twice gives what rounding once would.
//!
//! ```text
//! binary16  s eeeee ffffffffff                        bias 15
//! binary32  s eeeeeeee fffffffffffffffffffffff        bias 127
//! ```

/// The value of a binary16, exactly.
#[inline]
pub(super) fn to_f32(half: [u8; 2]) -> f32 {
    let bits = u32::from(u16::from_ne_bytes(half));
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    // Exponent and fraction moved to binary32's place, the exponent short by
    // 112; the multiplication adds those, and normalises subnormals as it goes.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    let finite = scaled.to_bits();
    // Infinity and NaN keep their fraction, and take the greatest exponent.
    let bits = if magnitude >= 0x7c00 {
        0x7f80_0000 | (magnitude << 13)
    } else {
        finite
    };
    f32::from_bits(sign | bits)
}

/// The binary16 nearest to `value`, ties to even; overflow gives infinity.
#[inline]
pub(super) fn from_f32(value: f32) -> [u8; 2] {
    let bits = value.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    let half = if magnitude > 0x7f80_0000 {
        // NaN: quiet, with what fits of its payload.
        0x7e00 | ((magnitude >> 13) & 0x3ff)
    } else if magnitude >= (127 + 16) << 23 {
        0x7c00
    } else if magnitude >= (127 - 14) << 23 {
        // Normal: rebias, then round off 13 bits. A carry out of the fraction
        // goes to the exponent, and from the greatest one to infinity: as it should.
        let rebiased = magnitude - (112 << 23);
        (rebiased + 0xfff + ((rebiased >> 13) & 1)) >> 13
    } else {
        // Subnormal: an addition to 0.5 leaves the fraction in units of 2^-24,
        // rounded by the processor.
        let shifted = f32::from_bits(magnitude) + 0.5;
        shifted.to_bits() - 0.5f32.to_bits()
    };
    ((sign | half) as u16).to_ne_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of binary16, by its fields.
    fn by_definition(bits: u16) -> f64 {
        let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
        let exponent = i32::from(bits >> 10 & 0x1f);
        let fraction = f64::from(bits & 0x3ff);
        sign * match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
        }
    }

    #[test]
    fn every_half_has_its_value_and_comes_back() {
        for bits in 0..=u16::MAX {
            let value = to_f32(bits.to_ne_bytes());
            let expected = by_definition(bits);
            if expected.is_nan() {
                assert!(value.is_nan());
                assert!(to_f32(from_f32(value)).is_nan());
            } else {
                assert_eq!(f64::from(value), expected, "{bits:#x}");
                assert_eq!(u16::from_ne_bytes(from_f32(value)), bits);
            }
        }
    }

    #[test]
    fn rounding_is_to_nearest_even() {
        // Between each pair of finite neighbours: the midpoint goes to the even
        // one, and its own neighbours to the nearer.
        for low in 0..0x7bffu16 {
            let high = low + 1;
            let middle = ((by_definition(low) + by_definition(high)) / 2.0) as f32;
            let even = if low & 1 == 0 { low } else { high };
            assert_eq!(u16::from_ne_bytes(from_f32(middle)), even);
            assert_eq!(u16::from_ne_bytes(from_f32(middle.next_up())), high);
            assert_eq!(u16::from_ne_bytes(from_f32(middle.next_down())), low);
            assert_eq!(u16::from_ne_bytes(from_f32(-middle)), even | 0x8000);
        }
        assert_eq!(u16::from_ne_bytes(from_f32(65519.996)), 0x7bff);
        assert_eq!(u16::from_ne_bytes(from_f32(65520.0)), 0x7c00);
        assert_eq!(u16::from_ne_bytes(from_f32(1e30)), 0x7c00);
        assert_eq!(u16::from_ne_bytes(from_f32(f32::MIN_POSITIVE)), 0);
    }
}
