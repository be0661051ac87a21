//! Writes MPI's Fortran from the tables of its interface.
//!
//! What: [`sources`] gives the text of `mpif.h` and of the modules `mpi` and `mpi_f08`;
//! [`entry::entries`] gives the Rust of the library's entry points.
//! Why: three interfaces of 400 functions are one description, written three times.
//!
//! ```text
//!                                        +--> entry        mpi_send_, mpi_send_f08ts: Rust
//! pamir_interface::read --> form::form --+--> include      mpif.h
//!   what C takes            what Fortran +--> module       mpi.f90
//!                           takes        +--> module_f08   mpi_f08.f90
//! ```
//!
//! Step before: `pamir-interface`. Step after: `bindings/fortran/build.rs` compiles the entry points, as do the
//! libraries of other [`face`]s ([`library`]); a Fortran compiler the modules (`pamir fortran` runs it).
//! Invariant: an argument has one meaning, [`argument::Argument`], in all outputs.

pub mod argument;
pub mod constant;
pub mod entry;
pub mod face;
pub mod form;
pub mod include;
pub mod interface;
pub mod library;
pub mod module;
pub mod module_f08;
pub mod special;
mod text;

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
/// A line of the tables that is wrong, with its file and number; a function whose Fortran form is not known.
pub fn sources() -> Result<Vec<Source>, String> {
    let table = pamir_interface::read()?;
    let forms = form::forms(&table)?;
    let source = |name, text| Source { name, text };
    Ok(vec![
        source("mpif.h", include::include(&table)),
        source("mpi.f90", module::module(&table, &forms)),
        source("mpi_f08.f90", module_f08::module(&table, &forms)),
    ])
}
