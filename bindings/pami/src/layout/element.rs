//! What the data of a type is made of: elements of one predefined type, or something else.
//!
//! Before: data is added to a type. After: predefined data functions know how to combine it.
//!
//! | so far \\ added | nothing | elements of T | other elements, bytes |
//! |---------------|---------|---------------|-----------------------|
//! | nothing       | nothing | elements of T | mixed |
//! | elements of T | elements of T | elements of T | mixed |
//! | mixed         | mixed   | mixed         | mixed |

use crate::structures::Type;
use crate::structures::variables::element_bytes;

/// What the data of a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// There is no data yet.
    Nothing,
    /// All of it is elements of the predefined type with this number.
    Each(u8),
    /// Elements of several types, or bytes that nobody has told more of.
    Mixed,
}

impl Element {
    /// The code of [`Self::Nothing`] and of [`Self::Mixed`]: both name no type.
    const NO_TYPE: u8 = 0;

    /// What the data is when more is added.
    pub fn and(self, more: Self) -> Self {
        match (self, more) {
            (Self::Nothing, other) | (other, Self::Nothing) => other,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }

    /// The same for data whose blocks are multiples of `unit` bytes: no element is cut.
    pub fn of(self, unit: usize) -> Self {
        let bytes = self.type_().and_then(element_bytes);
        match bytes {
            Some(bytes) if unit.is_multiple_of(bytes) => self,
            _ => Self::Mixed,
        }
    }

    /// The predefined type of each element.
    pub fn type_(self) -> Option<Type> {
        match self {
            Self::Each(number) => Some(std::ptr::without_provenance_mut(number.into())),
            _ => None,
        }
    }

    /// As a byte.
    pub fn code(self) -> u8 {
        match self {
            Self::Each(number) => number,
            _ => Self::NO_TYPE,
        }
    }

    /// What a byte of [`Self::code`] stands for.
    pub fn from_code(code: u8) -> Option<Self> {
        let each = Self::Each(code);
        match code {
            Self::NO_TYPE => Some(Self::Mixed),
            _ => each.type_().and_then(element_bytes).map(|_| each),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::variables::{PAMI_TYPE_DOUBLE, PAMI_TYPE_FLOAT};

    #[test]
    fn elements_of_one_type_stay_so() {
        let [double, float] =
            [PAMI_TYPE_DOUBLE.0, PAMI_TYPE_FLOAT.0].map(|of| Element::Each(of.addr() as u8));
        assert_eq!(Element::Nothing.and(double), double);
        assert_eq!(double.and(double), double);
        assert_eq!(double.and(float), Element::Mixed);
        assert_eq!(Element::Mixed.and(double), Element::Mixed);
        assert_eq!(double.of(24), double);
        assert_eq!(double.of(12), Element::Mixed);
        for element in [double, float, Element::Mixed] {
            assert_eq!(Element::from_code(element.code()), Some(element));
        }
        assert_eq!(Element::from_code(255), None);
    }
}
