//! The inner loops of the gain tables, over rows of numbers that lie together.
//!
//! What: a row plus a multiple of a vector, a row less products of differences, the lowest number
//! of a row. Why a file of their own: nine tenths of a search's time passes here, and on processors
//! with 256-bit registers the same loops, compiled for these, take half as long.
//!
//! This file is one of the few with `unsafe`: a function that is compiled for a processor's
//! feature may be called only where the feature is there.

/// Numbers handled together: as many as fit two wide registers.
const LANES: usize = 8;

/// `row[l] += factor * vector[l]`.
pub(super) fn add_product(row: &mut [f64], factor: f64, vector: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, the only feature the function is compiled for.
        return unsafe { wide::add_product(row, factor, vector) };
    }
    plain::add_product(row, factor, vector);
}

/// `row[j] -= (x - xs[j]) * (z - zs[j])`.
pub(super) fn subtract_products(row: &mut [f64], x: f64, xs: &[f64], z: f64, zs: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, the only feature the function is compiled for.
        return unsafe { wide::subtract_products(row, x, xs, z, zs) };
    }
    plain::subtract_products(row, x, xs, z, zs);
}

/// The lowest number; infinity if there is none.
pub(super) fn lowest(row: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, the only feature the function is compiled for.
        return unsafe { wide::lowest(row) };
    }
    plain::lowest(row)
}

mod plain {
    use super::LANES;

    #[inline(always)]
    pub(super) fn add_product(row: &mut [f64], factor: f64, vector: &[f64]) {
        for (value, other) in row.iter_mut().zip(vector) {
            *value += factor * other;
        }
    }

    #[inline(always)]
    pub(super) fn subtract_products(row: &mut [f64], x: f64, xs: &[f64], z: f64, zs: &[f64]) {
        for ((value, other_x), other_z) in row.iter_mut().zip(xs).zip(zs) {
            *value -= (x - other_x) * (z - other_z);
        }
    }

    /// Lanes are compared each for itself, so that the compiler may do them at once.
    #[inline(always)]
    pub(super) fn lowest(row: &[f64]) -> f64 {
        let mut lanes = [f64::INFINITY; LANES];
        let chunks = row.chunks_exact(LANES);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (lane, &value) in lanes.iter_mut().zip(chunk) {
                *lane = if value < *lane { value } else { *lane };
            }
        }
        rest.iter()
            .chain(&lanes)
            .fold(f64::INFINITY, |lowest, value| lowest.min(*value))
    }
}

/// The same loops for processors with 256-bit registers.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::plain;

    #[target_feature(enable = "avx2")]
    pub(super) fn add_product(row: &mut [f64], factor: f64, vector: &[f64]) {
        plain::add_product(row, factor, vector);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn subtract_products(row: &mut [f64], x: f64, xs: &[f64], z: f64, zs: &[f64]) {
        plain::subtract_products(row, x, xs, z, zs);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn lowest(row: &[f64]) -> f64 {
        plain::lowest(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_loops_give_the_same_numbers_as_plain_ones() {
        for length in 0..40 {
            let at = |factor: usize| (0..length).map(move |at| ((at * factor) % 23) as f64 - 11.0);
            let (xs, zs): (Vec<f64>, Vec<f64>) = (at(7).collect(), at(5).collect());
            let (mut one, mut other): (Vec<f64>, Vec<f64>) = (at(3).collect(), at(3).collect());
            add_product(&mut one, 2.5, &xs);
            plain::add_product(&mut other, 2.5, &xs);
            subtract_products(&mut one, 3.0, &xs, -4.0, &zs);
            plain::subtract_products(&mut other, 3.0, &xs, -4.0, &zs);
            assert_eq!(one, other);
            assert_eq!(
                lowest(&one),
                one.iter().copied().fold(f64::INFINITY, f64::min)
            );
        }
    }
}
