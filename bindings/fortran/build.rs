//! Generates the entry points of the standard ABI's Fortran library before the crate is compiled.

use std::path::Path;

fn main() {
    pamir_fortran_generator::library::build(
        &pamir_fortran_generator::face::STANDARD,
        Path::new(env!("CARGO_MANIFEST_DIR")),
    );
}
