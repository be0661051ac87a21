//! The algorithms of a geometry, as a program is given them to choose from.
//!
//! Before: `PAMI_Geometry_algorithms_query`. After: `pami_xfer_t` names one, and
//! [`crate::collective`] runs it.
//!
//! | list           | algorithms |
//! |----------------|------------|
//! | always works   | first the one that asks the tables for each size; then all that serve everything with this many members |
//! | must be asked  | those that need a commutative data function |
//!
//! Where the attribute `PAMI_GEOMETRY_OPTIMIZE` is 0, the first one stands alone.
//!
//! An algorithm's handle is a number:
//!
//! ```text
//! bit 0..8 algorithm (0: the tables'; 1...: in the kind's order)   8..16 kind   16..64 geometry
//! ```

use std::sync::Arc;

use pamir_transport::collective::geometry::Members;
use pamir_transport::selection::{Choice, Situation};

use crate::geometry::{Geometry, GeometryObject, geometry_at};
use crate::refusal::Refusal;
use crate::structures::kind::TransferKind;

/// An algorithm of a kind of operation, for one geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    geometry: usize,
    /// The kind.
    pub kind: TransferKind,
    /// Which one.
    pub chosen: Chosen,
}

/// Which algorithm a program has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen(u8);

impl Chosen {
    /// The one that asks the tables.
    pub const BY_TABLE: Self = Self(0);

    /// As a choice of the kind, or nothing where the tables decide.
    pub fn of<A: Choice>(self) -> Option<A> {
        let index = usize::from(self.0).checked_sub(1)?;
        A::ALL.get(index).copied()
    }
}

impl Algorithm {
    /// An algorithm in a list of `geometry`.
    pub fn listed(geometry: &GeometryObject, kind: TransferKind, listed: &Listed) -> Self {
        Self {
            geometry: geometry.index(),
            kind,
            chosen: listed.chosen,
        }
    }

    /// As C has it; 1 is added so that none is 0.
    pub fn word(self) -> usize {
        (self.geometry + 1) << 16 | (self.kind as usize) << 8 | usize::from(self.chosen.0)
    }

    /// What C gave.
    pub fn of_word(word: usize) -> Result<Self, Refusal> {
        let kind = TransferKind::of((word >> 8 & 0xFF) as u32);
        let geometry = (word >> 16).checked_sub(1);
        let (Some(kind), Some(geometry)) = (kind, geometry) else {
            return Err(Refusal::Algorithm { algorithm: word });
        };
        let chosen = Chosen(word as u8);
        let most = kind.table().map_or(0, |table| table.algorithms().len());
        if usize::from(chosen.0) > most {
            return Err(Refusal::Algorithm { algorithm: word });
        }
        Ok(Self {
            geometry,
            kind,
            chosen,
        })
    }

    /// The geometry that it is for.
    pub fn geometry(self) -> Result<Arc<Geometry>, Refusal> {
        let algorithm = self.word();
        let object = geometry_at(self.geometry).ok_or(Refusal::Algorithm { algorithm })?;
        object.geometry()
    }
}

/// An algorithm in a list.
pub struct Listed {
    chosen: Chosen,
    /// Its name; none if it asks the tables.
    pub name: Option<&'static str>,
}

/// Both lists: what always works, and what has to be asked.
pub fn lists(geometry: &Geometry, kind: TransferKind) -> [Vec<Listed>; 2] {
    let mut always = vec![Listed {
        chosen: Chosen::BY_TABLE,
        name: None,
    }];
    let mut conditional = Vec::new();
    let all = kind.table().filter(|_| geometry.attributes.lists_all());
    let algorithms = all.map_or(Vec::new(), |table| table.algorithms());
    for (index, (name, needs)) in algorithms.into_iter().enumerate() {
        let listed = Listed {
            chosen: Chosen(index as u8 + 1),
            name: Some(name),
        };
        if needs.met(Situation::new(geometry.size(), false)) {
            always.push(listed);
        } else if needs.met(Situation::new(geometry.size(), true)) {
            conditional.push(listed);
        }
    }
    [always, conditional]
}

/// The kind with C's number.
///
/// # Errors
///
/// [`Refusal::TransferType`].
pub fn kind_of(number: u32) -> Result<TransferKind, Refusal> {
    TransferKind::of(number).ok_or(Refusal::TransferType { number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_transport::collective::moving::broadcast;

    #[test]
    fn algorithms_come_back_from_their_numbers() {
        for kind in TransferKind::ALL {
            let most = kind.table().map_or(0, |table| table.algorithms().len());
            for chosen in 0..=most {
                let algorithm = Algorithm {
                    geometry: 12,
                    kind: *kind,
                    chosen: Chosen(chosen as u8),
                };
                assert_eq!(Algorithm::of_word(algorithm.word()).unwrap(), algorithm);
            }
            let beyond = 13 << 16 | (*kind as usize) << 8 | (most + 1);
            assert!(matches!(
                Algorithm::of_word(beyond),
                Err(Refusal::Algorithm { .. })
            ));
        }
        for nothing in [0, usize::MAX, 22 << 8 | 1 << 16] {
            assert!(Algorithm::of_word(nothing).is_err(), "{nothing:#x}");
        }
    }

    #[test]
    fn a_number_stands_for_the_kinds_own_algorithm() {
        assert_eq!(Chosen::BY_TABLE.of::<broadcast::Algorithm>(), None);
        for (index, algorithm) in broadcast::Algorithm::ALL.iter().enumerate() {
            assert_eq!(Chosen(index as u8 + 1).of(), Some(*algorithm));
        }
    }
}
