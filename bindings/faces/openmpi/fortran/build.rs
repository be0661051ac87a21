//! Generates the entry points of Open MPI's Fortran library before the crate is compiled.

use std::path::Path;

fn main() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fortran");
    pamir_fortran_generator::library::build(&pamir_fortran_generator::face::OPENMPI, &sources);
}
