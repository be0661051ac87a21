//! Writes `mpif.h`: constants, sentinels and the types of functions, for fixed and free form.
//!
//! What: declarations without a procedure's interface, as programs of FORTRAN 77 include them.
//! Step before: `constant`. Step after: `INCLUDE 'mpif.h'`.
//! Invariant: no line is continued or longer than 72 columns, and each begins in column 7: it is right in
//! both forms.

use pamir_interface::Table;

use crate::argument::PREFIXES;
use crate::constant::{self, BLOCK, SENTINELS};
use crate::text::line;

const OPENING: &str = "\
! mpif.h: the Fortran interface of MPI-5.0 on the standard ABI.
!
! Written by bindings/fortran/generator. New programs: use mpi_f08.
!
! An INTEGER of four bytes is what the library has. Compiled with -fdefault-integer-8
! or -i8 the next constant is a division by zero, which says so at once.
      INTEGER MPI_NEEDS_AN_INTEGER_OF_4_BYTES
      PARAMETER (MPI_NEEDS_AN_INTEGER_OF_4_BYTES=1/(8/KIND(0)-1))
";

/// Functions and their types.
const FUNCTIONS: &[(&str, &str)] = &[
    ("DOUBLE PRECISION", "MPI_WTIME"),
    ("DOUBLE PRECISION", "MPI_WTICK"),
    ("INTEGER(KIND=8)", "MPI_AINT_ADD"),
    ("INTEGER(KIND=8)", "MPI_AINT_DIFF"),
];

/// The text.
pub fn include(table: &Table) -> String {
    let mut out = OPENING.to_string();
    for (name, value) in constant::integers_and_handles(table) {
        parameter(&mut out, "INTEGER", &name, &value.to_string());
    }
    for (name, value) in constant::offsets(table) {
        parameter(&mut out, "INTEGER(KIND=8)", &name, &value.to_string());
    }
    parameter(&mut out, "LOGICAL", "MPI_SUBARRAYS_SUPPORTED", ".FALSE.");
    parameter(
        &mut out,
        "LOGICAL",
        "MPI_ASYNC_PROTECTS_NONBLOCKING",
        ".FALSE.",
    );
    sentinels(&mut out);
    for (kind, name) in FUNCTIONS {
        for prefix in PREFIXES {
            line(&mut out, format_args!("      {kind} {prefix}{name}"));
            line(&mut out, format_args!("      EXTERNAL {prefix}{name}"));
        }
    }
    for procedure in constant::procedures(table) {
        line(&mut out, format_args!("      EXTERNAL {}", procedure.name));
    }
    out
}

fn parameter(out: &mut String, kind: &str, name: &str, value: &str) {
    line(out, format_args!("      {kind} {name}"));
    line(out, format_args!("      PARAMETER ({name}={value})"));
}

fn sentinels(out: &mut String) {
    for (name, sentinel) in SENTINELS {
        let (kind, dimensions) = (
            sentinel.kind("integer").to_uppercase(),
            sentinel.dimensions(Some("MPI_STATUS_SIZE")),
        );
        line(out, format_args!("      {kind} {name}{dimensions}"));
    }
    for (name, _) in SENTINELS {
        line(out, format_args!("      COMMON /{BLOCK}/ {name}"));
    }
    line(out, format_args!("      SAVE /{BLOCK}/"));
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_fit_both_forms() {
        let text = super::include(&pamir_interface::read().expect("the tables are right"));
        for line in text.lines().filter(|line| !line.starts_with('!')) {
            assert!(line.len() <= 72 && line.starts_with("      "), "{line}");
        }
        assert!(text.contains("PARAMETER (MPI_COMM_WORLD=257)"));
        assert!(text.contains("PARAMETER (MPI_MAX_PROCESSOR_NAME=255)"));
    }
}
