//! MPI's interface as data: every function and constant of the standard ABI, once.
//!
//! What: the text of `table/`, and what reads it. Why: whoever writes a face of the library from
//! it - C exports and header, Fortran, the names that `mpiexec` knows - means the same functions.
//!
//! ```text
//! table/functions.txt --+                      +--> bindings/abi      exports and mpi.h
//!                       +--> table::Table -----+--> bindings/fortran  entry points and modules
//! table/constants.txt --+                      +--> bindings/cli      what is missing
//! ```
//!
//! Step before: the tables, which people edit. Step after: a crate's `build.rs`, or its tests.
//! Invariant: a malformed line is an error with its file and line number.

pub mod c_type;
pub mod export;
pub mod face;
pub mod stand_in;
pub mod table;

pub use table::Table;

/// `table/functions.txt`.
pub const FUNCTIONS: &str = include_str!("../table/functions.txt");
/// `table/constants.txt`.
pub const CONSTANTS: &str = include_str!("../table/constants.txt");

/// Both tables, read.
///
/// # Errors
///
/// The line that is wrong, with its file and number.
pub fn read() -> Result<Table, String> {
    Table::parse(FUNCTIONS, CONSTANTS)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_are_read_whole() {
        let table = super::read().expect("the tables are right");
        let functions: usize = table.chapters.iter().map(|c| c.functions.len()).sum();
        let lines = super::FUNCTIONS.lines().filter(|line| line.contains('('));
        assert!(functions > lines.filter(|line| !line.starts_with('#')).count());
        assert!(table.is_callback("MPI_User_function"));
    }

    #[test]
    fn a_line_declares_a_function_unless_it_is_a_comment_or_a_heading() {
        let text = "[file later] Files\n# MPI_Name(C parameters)\ndouble MPI_Wtime()";
        let table = super::Table::parse(text, "").expect("the lines are right");
        let functions: Vec<_> = table.chapters.iter().flat_map(|c| &c.functions).collect();
        assert_eq!(functions.len(), 1);
        assert_eq!(
            (functions[0].name.as_str(), functions[0].returns.as_str()),
            ("MPI_Wtime", "double")
        );
    }

    #[test]
    fn a_malformed_line_is_told_by_its_number() {
        let error = super::Table::parse("\n[a later]\nMPI_Send", "").expect_err("no prototype");
        assert!(error.contains("functions.txt:3"), "{error}");
    }
}
