//! The datatype constructors of MPI-5.0 sections 5.1.2 and 5.1.7.
//!
//! Step before: the C layer has turned handles into `Rc`s and pointers into
//! slices. Step after: `super::piece` composes layout, bounds and signature.
//!
//! Invariant: every argument is checked before anything is computed from it.
//! The arrays of one call have the length that its count says. `form` says
//! which of the two C functions was called, which decoding must answer.

use std::rc::Rc;

use super::Datatype;
use super::argument::Form;
use super::error::{DatatypeError, count as checked, same_length};
use super::piece::{Piece, scaled};
use super::recipe::Recipe;

type Made = Result<Rc<Datatype>, DatatypeError>;

impl Datatype {
    fn derived(piece: Piece, recipe: Recipe<Rc<Datatype>>) -> Made {
        Self::from_parts(piece, recipe, false)
    }

    /// `MPI_Type_dup`: the same type, committed as the old one is.
    pub fn dup(old: &Rc<Self>) -> Made {
        Self::from_parts(
            old.piece.clone(),
            Recipe::Dup { old: old.clone() },
            old.is_committed(),
        )
    }

    /// `MPI_Type_contiguous`.
    pub fn contiguous(form: Form, count: i64, old: &Rc<Self>) -> Made {
        let piece = old.piece.array(checked("count", count)?)?;
        Self::derived(
            piece,
            Recipe::Contiguous {
                form,
                count,
                old: old.clone(),
            },
        )
    }

    /// `MPI_Type_vector`: `stride` in elements.
    pub fn vector(form: Form, count: i64, blocklength: i64, stride: i64, old: &Rc<Self>) -> Made {
        // An empty or single block has no use for its stride, however large.
        let bytes = if count > 1 {
            scaled(stride, old.extent())?
        } else {
            0
        };
        let piece = old.strided(count, blocklength, bytes)?;
        let old = old.clone();
        Self::derived(
            piece,
            Recipe::Vector {
                form,
                count,
                blocklength,
                stride,
                old,
            },
        )
    }

    /// `MPI_Type_create_hvector`: `stride` in bytes.
    pub fn hvector(form: Form, count: i64, blocklength: i64, stride: i64, old: &Rc<Self>) -> Made {
        let piece = old.strided(count, blocklength, stride)?;
        let old = old.clone();
        Self::derived(
            piece,
            Recipe::Hvector {
                form,
                count,
                blocklength,
                stride,
                old,
            },
        )
    }

    fn strided(&self, count: i64, blocklength: i64, bytes: i64) -> Result<Piece, DatatypeError> {
        let count = checked("count", count)?;
        let blocklength = checked("blocklength", blocklength)?;
        self.piece.array(blocklength)?.repeated(count, bytes)
    }

    /// `MPI_Type_indexed`: `displacements` in elements.
    pub fn indexed(
        form: Form,
        blocklengths: &[i64],
        displacements: &[i64],
        old: &Rc<Self>,
    ) -> Made {
        let bytes = old.in_bytes(displacements)?;
        let piece = old.listed(blocklengths, &bytes)?;
        let (blocklengths, displacements) = (blocklengths.into(), displacements.into());
        let old = old.clone();
        Self::derived(
            piece,
            Recipe::Indexed {
                form,
                blocklengths,
                displacements,
                old,
            },
        )
    }

    /// `MPI_Type_create_hindexed`: `displacements` in bytes.
    pub fn hindexed(
        form: Form,
        blocklengths: &[i64],
        displacements: &[i64],
        old: &Rc<Self>,
    ) -> Made {
        let piece = old.listed(blocklengths, displacements)?;
        let (blocklengths, displacements) = (blocklengths.into(), displacements.into());
        let old = old.clone();
        Self::derived(
            piece,
            Recipe::Hindexed {
                form,
                blocklengths,
                displacements,
                old,
            },
        )
    }

    fn in_bytes(&self, displacements: &[i64]) -> Result<Vec<i64>, DatatypeError> {
        let extent = self.extent();
        displacements
            .iter()
            .map(|&elements| scaled(elements, extent))
            .collect()
    }

    fn listed(&self, blocklengths: &[i64], bytes: &[i64]) -> Result<Piece, DatatypeError> {
        same_length("the list of displacements", blocklengths.len(), bytes.len())?;
        for &blocklength in blocklengths {
            checked("a blocklength", blocklength)?;
        }
        let entries = blocklengths.iter().zip(bytes);
        self.piece
            .listed(entries.map(|(&length, &bytes)| (length as usize, bytes)))
    }

    /// `MPI_Type_create_indexed_block`: `displacements` in elements.
    pub fn indexed_block(
        form: Form,
        blocklength: i64,
        displacements: &[i64],
        old: &Rc<Self>,
    ) -> Made {
        let length = checked("blocklength", blocklength)?;
        let bytes = old.in_bytes(displacements)?;
        let piece = old.piece.listed(bytes.iter().map(|&at| (length, at)))?;
        let displacements = displacements.into();
        let old = old.clone();
        Self::derived(
            piece,
            Recipe::IndexedBlock {
                form,
                blocklength,
                displacements,
                old,
            },
        )
    }

    /// `MPI_Type_create_hindexed_block`: `displacements` in bytes.
    pub fn hindexed_block(
        form: Form,
        blocklength: i64,
        displacements: &[i64],
        old: &Rc<Self>,
    ) -> Made {
        let length = checked("blocklength", blocklength)?;
        let piece = old
            .piece
            .listed(displacements.iter().map(|&at| (length, at)))?;
        let displacements = displacements.into();
        let old = old.clone();
        Self::derived(
            piece,
            Recipe::HindexedBlock {
                form,
                blocklength,
                displacements,
                old,
            },
        )
    }

    /// `MPI_Type_create_struct`: `displacements` in bytes.
    pub fn structure(
        form: Form,
        blocklengths: &[i64],
        displacements: &[i64],
        types: &[Rc<Self>],
    ) -> Made {
        same_length(
            "the list of displacements",
            blocklengths.len(),
            displacements.len(),
        )?;
        same_length("the list of datatypes", blocklengths.len(), types.len())?;
        for &blocklength in blocklengths {
            checked("a blocklength", blocklength)?;
        }
        let fields = blocklengths.iter().zip(displacements).zip(types);
        let piece = Piece::structure(
            fields.map(|((&length, &bytes), old)| (length as usize, bytes, &old.piece)),
        )?;
        Self::derived(
            piece,
            Recipe::Structure {
                form,
                blocklengths: blocklengths.into(),
                displacements: displacements.into(),
                types: types.into(),
            },
        )
    }

    /// `MPI_Type_create_resized`: bounds in bytes.
    pub fn resized(form: Form, lower: i64, extent: i64, old: &Rc<Self>) -> Made {
        let piece = old.piece.clone().bounded(lower, extent)?;
        Self::derived(
            piece,
            Recipe::Resized {
                form,
                lower,
                extent,
                old: old.clone(),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::named;

    fn of(name: &str) -> Rc<Datatype> {
        Datatype::named(named::find(name).unwrap())
    }

    #[test]
    fn structures_are_padded_like_c() {
        let record = Datatype::structure(
            Form::Int,
            &[1, 1, 3],
            &[0, 8, 16],
            &[of("MPI_CHAR"), of("MPI_DOUBLE"), of("MPI_SHORT")],
        )
        .unwrap();
        assert_eq!(
            (record.size(), record.extent(), record.true_extent()),
            (15, 24, 22)
        );
        assert!(!record.is_committed() && !record.dense());
    }

    #[test]
    fn resized_bounds_stick_in_structures() {
        let int = of("MPI_INT");
        let wide = Datatype::resized(Form::Int, -4, 40, &int).unwrap();
        let record =
            Datatype::structure(Form::Int, &[1, 1], &[0, 100], &[wide, int.clone()]).unwrap();
        assert_eq!((record.lower_bound(), record.extent()), (-4, 40));
        assert_eq!((record.true_lower_bound(), record.true_extent()), (0, 104));
    }

    #[test]
    fn empty_blocks_have_no_bounds() {
        let int = of("MPI_INT");
        let none = Datatype::contiguous(Form::Int, 0, &int).unwrap();
        assert_eq!((none.size(), none.extent(), none.dense()), (0, 0, true));
        let record = Datatype::structure(
            Form::Int,
            &[1, 0, 1],
            &[4, 900, 800],
            &[int.clone(), int, none],
        )
        .unwrap();
        assert_eq!((record.lower_bound(), record.extent()), (4, 4));
    }

    #[test]
    fn the_dense_flag_recognises_contiguous_types() {
        let double = of("MPI_DOUBLE");
        let dense = [
            Datatype::contiguous(Form::Int, 7, &double),
            Datatype::vector(Form::Int, 3, 2, 2, &double),
            Datatype::indexed(Form::Int, &[1, 2], &[0, 1], &double),
            Datatype::dup(&double),
        ];
        for datatype in dense {
            assert!(datatype.unwrap().dense());
        }
        let gaps = Datatype::vector(Form::Int, 3, 1, 2, &double).unwrap();
        assert!(!gaps.dense());
        assert_eq!(gaps.contiguous_bytes(1), None);
        let later = Datatype::hindexed(Form::Int, &[2], &[24], &double).unwrap();
        assert_eq!(later.contiguous_bytes(3), Some((24, 48)));
        assert!(!later.dense());
    }

    #[test]
    fn bad_arguments_are_refused() {
        use crate::datatype::ErrorClass;
        let int = of("MPI_INT");
        let negative = Datatype::contiguous(Form::Int, -1, &int).unwrap_err();
        assert_eq!(negative.class(), ErrorClass::Count);
        assert!(Datatype::vector(Form::Int, 2, -1, 2, &int).is_err());
        assert!(Datatype::indexed(Form::Int, &[1, -2], &[0, 4], &int).is_err());
        assert!(Datatype::indexed(Form::Int, &[1, 2], &[0], &int).is_err());
        assert!(Datatype::indexed_block(Form::Int, -1, &[0], &int).is_err());
        let huge = Datatype::contiguous(Form::Large, i64::MAX / 4, &int).unwrap();
        assert!(Datatype::contiguous(Form::Large, 2, &huge).is_err());
        assert!(Datatype::resized(Form::Large, i64::MAX, 1, &int).is_err());
    }

    #[test]
    fn a_long_chain_of_duplicates_is_freed() {
        let mut last = of("MPI_INT");
        for _ in 0..200_000 {
            last = Datatype::dup(&last).unwrap();
        }
        assert!(last.dense());
        drop(last);
    }
}
