//! The numbers that gain tables are made of: floating point, or whole numbers of 32 bits.
//!
//! What: the arithmetic of the tables' inner loops. Why two: twice as many whole numbers of 32
//! bits as `f64` fit a vector register and a cache, and they are exact. Sums may wrap around on
//! their way; they are right as long as the result fits, which
//! [`super::Numbers::to_integers`] makes sure of.
//! Step before: [`super::numbers`]. Step after: [`super::kernel`].

/// A number of a gain table.
pub trait Number: Copy + PartialEq + PartialOrd + std::fmt::Debug + Send + Sync + 'static {
    /// Nothing.
    const ZERO: Self;
    /// Above every change: the change of a swap that is never made.
    const NEVER: Self;

    /// From a number that it can represent.
    fn of(value: f64) -> Self;
    /// As floating point; [`Number::NEVER`] is infinite.
    fn value(self) -> f64;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The difference.
    fn minus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    const NEVER: f64 = f64::INFINITY;

    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: f64) -> f64 {
        self - other
    }
    #[inline(always)]
    fn times(self, other: f64) -> f64 {
        self * other
    }
}

impl Number for i32 {
    const ZERO: i32 = 0;
    const NEVER: i32 = i32::MAX;

    #[inline(always)]
    fn of(value: f64) -> i32 {
        value as i32
    }
    #[inline(always)]
    fn value(self) -> f64 {
        if self == Self::NEVER {
            f64::INFINITY
        } else {
            f64::from(self)
        }
    }
    #[inline(always)]
    fn plus(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn minus(self, other: i32) -> i32 {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn times(self, other: i32) -> i32 {
        self.wrapping_mul(other)
    }
}
