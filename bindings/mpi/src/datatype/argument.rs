//! What the constructors of datatypes are told in words.
//!
//! Before: the C layer has found the constant. After: a constructor lays the type out, and keeps the word for
//! [`super::decode`].

/// Which of the two C functions made a type: `MPI_X` or `MPI_X_c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Counts were `int`, displacements in bytes `MPI_Aint`.
    Int,
    /// Counts and displacements were `MPI_Count`.
    Large,
}

/// How a datatype was made (`MPI_COMBINER_...`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)] // Each is the standard's constant of the same name.
pub enum Combiner {
    Named,
    Dup,
    Contiguous,
    Vector,
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
    F90Real,
    F90Complex,
    F90Integer,
    Resized,
}

/// Which dimension of an array runs fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last (`MPI_ORDER_C`).
    C,
    /// The first (`MPI_ORDER_FORTRAN`).
    Fortran,
}

/// How a dimension is dealt out to processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// One block each (`MPI_DISTRIBUTE_BLOCK`).
    Block,
    /// Blocks dealt out in turn (`MPI_DISTRIBUTE_CYCLIC`).
    Cyclic,
    /// Not at all (`MPI_DISTRIBUTE_NONE`).
    None,
}

/// The distribution argument of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistributionArgument {
    /// `MPI_DISTRIBUTE_DFLT_DARG`.
    Default,
    /// Elements in a block.
    Block(i64),
}
