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

use std::ffi::c_void;
use std::sync::Arc;

use pamir_transport::collective::geometry::Members;
use pamir_transport::selection::{Choice, Situation};

use crate::collective::kind::TransferKind;
use crate::geometry::metadata::Metadata;
use crate::geometry::{Geometry, geometry_at, geometry_of};
use crate::refusal::{Code, Refusal, answer};

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
    const BY_TABLE: Self = Self(0);

    /// As a choice of the kind, or nothing where the tables decide.
    pub fn of<A: Choice>(self) -> Option<A> {
        let index = usize::from(self.0).checked_sub(1)?;
        A::ALL.get(index).copied()
    }
}

impl Algorithm {
    /// As C has it; 1 is added so that none is 0.
    fn word(self) -> usize {
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
struct Listed {
    chosen: Chosen,
    name: Option<&'static str>,
}

/// Both lists: what always works, and what has to be asked.
fn lists(geometry: &Geometry, kind: TransferKind) -> [Vec<Listed>; 2] {
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

fn kind_of(number: u32) -> Result<TransferKind, Refusal> {
    TransferKind::of(number).ok_or(Refusal::TransferType { number })
}

/// # Safety
///
/// `geometry` is a geometry's handle; `lists_lengths` has room for two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_algorithms_num(
    geometry: *mut c_void,
    coll_type: u32,
    lists_lengths: *mut usize,
) -> Code {
    let count = || {
        // SAFETY: the caller vouches for the handle.
        let geometry = unsafe { geometry_of(geometry)? }.geometry()?;
        let kind = kind_of(coll_type)?;
        if lists_lengths.is_null() {
            let argument = "lists_lengths";
            return Err(Refusal::Null { argument });
        }
        for (index, list) in lists(&geometry, kind).iter().enumerate() {
            // SAFETY: the caller vouches for the room.
            unsafe { *lists_lengths.add(index) = list.len() };
        }
        Ok(())
    };
    answer(count())
}

/// Where a list goes that C asks for.
struct Room {
    algorithms: *mut usize,
    metadata: *mut Metadata,
    count: usize,
}

impl Room {
    /// # Safety
    ///
    /// Both are NULL, or have room for `count` values.
    unsafe fn fill(
        self,
        list: &[Listed],
        describe: impl Fn(&Listed) -> (Algorithm, Metadata),
    ) -> Result<(), Refusal> {
        if self.count > list.len() {
            let (asked, listed) = (self.count, list.len());
            return Err(Refusal::TooManyAlgorithms { asked, listed });
        }
        if self.count > 0 && self.algorithms.is_null() {
            let argument = "algs";
            return Err(Refusal::Null { argument });
        }
        for (index, listed) in list[..self.count].iter().enumerate() {
            let (algorithm, metadata) = describe(listed);
            // SAFETY: the caller vouches for the room.
            unsafe {
                *self.algorithms.add(index) = algorithm.word();
                if !self.metadata.is_null() {
                    *self.metadata.add(index) = metadata;
                }
            }
        }
        Ok(())
    }
}

/// # Safety
///
/// `geometry` is a geometry's handle; `algs0` has room for `num0` algorithms, and `mdata0`, unless
/// it is NULL, for as many descriptions; so have `algs1` and `mdata1` for `num1`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_algorithms_query(
    geometry: *mut c_void,
    colltype: u32,
    algs0: *mut usize,
    mdata0: *mut Metadata,
    num0: usize,
    algs1: *mut usize,
    mdata1: *mut Metadata,
    num1: usize,
) -> Code {
    let list = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { geometry_of(geometry)? };
        let (geometry, kind) = (object.geometry()?, kind_of(colltype)?);
        let [always, conditional] = lists(&geometry, kind);
        let oversubscribed = geometry.client.is_job_oversubscribed();
        let describe = |asked: bool| {
            let situation = Situation::new(geometry.size(), true).oversubscribed(oversubscribed);
            move |listed: &Listed| {
                let algorithm = Algorithm {
                    geometry: object.index(),
                    kind,
                    chosen: listed.chosen,
                };
                (
                    algorithm,
                    Metadata::new(kind, listed.name, asked, situation),
                )
            }
        };
        let room = |algorithms, metadata, count| Room {
            algorithms,
            metadata,
            count,
        };
        // SAFETY: the caller vouches for the room of both.
        unsafe {
            room(algs0, mdata0, num0).fill(&always, describe(false))?;
            room(algs1, mdata1, num1).fill(&conditional, describe(true))
        }
    };
    answer(list())
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
