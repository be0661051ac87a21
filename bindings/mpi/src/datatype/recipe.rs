//! The arguments that a datatype was made with, as they were passed.
//!
//! Before: a constructor has checked them. After: [`super::decode`] answers them, and the drop of the type lets go of
//! those that it was made from. `T` is how these are held.

use super::argument::{Combiner, Distribution, DistributionArgument, Form, Order};
use super::named::Named;
use super::primitive::Primitive;

type List = Box<[i64]>;

/// The arguments of the constructor, as they were passed.
#[derive(Debug)]
pub(super) enum Recipe<T> {
    Named(&'static Named),
    Dup {
        old: T,
    },
    Contiguous {
        form: Form,
        count: i64,
        old: T,
    },
    Vector {
        form: Form,
        count: i64,
        blocklength: i64,
        stride: i64,
        old: T,
    },
    Hvector {
        form: Form,
        count: i64,
        blocklength: i64,
        stride: i64,
        old: T,
    },
    Indexed {
        form: Form,
        blocklengths: List,
        displacements: List,
        old: T,
    },
    Hindexed {
        form: Form,
        blocklengths: List,
        displacements: List,
        old: T,
    },
    IndexedBlock {
        form: Form,
        blocklength: i64,
        displacements: List,
        old: T,
    },
    HindexedBlock {
        form: Form,
        blocklength: i64,
        displacements: List,
        old: T,
    },
    Structure {
        form: Form,
        blocklengths: List,
        displacements: List,
        types: Box<[T]>,
    },
    Subarray {
        form: Form,
        sizes: List,
        subsizes: List,
        starts: List,
        order: Order,
        old: T,
    },
    Darray {
        form: Form,
        size: i64,
        rank: i64,
        sizes: List,
        distributions: Box<[Distribution]>,
        arguments: Box<[DistributionArgument]>,
        grid: List,
        order: Order,
        old: T,
    },
    Resized {
        form: Form,
        lower: i64,
        extent: i64,
        old: T,
    },
    Fortran {
        combiner: Combiner,
        arguments: Vec<Option<i64>>,
        primitive: Primitive,
    },
    /// While the type is being dropped.
    Released,
}

impl<T> Recipe<T> {
    /// The types it was made from.
    pub fn into_datatypes(self) -> Vec<T> {
        match self {
            Recipe::Named(_) | Recipe::Fortran { .. } | Recipe::Released => Vec::new(),
            Recipe::Structure { types, .. } => types.into_vec(),
            Recipe::Dup { old }
            | Recipe::Contiguous { old, .. }
            | Recipe::Vector { old, .. }
            | Recipe::Hvector { old, .. }
            | Recipe::Indexed { old, .. }
            | Recipe::Hindexed { old, .. }
            | Recipe::IndexedBlock { old, .. }
            | Recipe::HindexedBlock { old, .. }
            | Recipe::Subarray { old, .. }
            | Recipe::Darray { old, .. }
            | Recipe::Resized { old, .. } => vec![old],
        }
    }
}
