//! Functions of MPI that a program calls and that this library has not yet.
//!
//! What: [`functions`] reads which of them a program's file wants from a library.
//! Why: they fail at the call, which may come after hours; `mpiexec -v` tells when the program starts.
//! Step before: [`super::locate`]. Step after: standard error.
//! Source: the table that the library's symbols are made from. Code that a program loads besides (its own
//! libraries, plugins, an interpreter's modules) is not looked at.
//! Invariant: a file that is no program for this machine, or damaged, has none.

use std::collections::HashSet;
use std::path::Path;

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol};
use pamir_interface::table::Status;

/// The functions that the file at this path wants and that are left for later, by name.
pub fn functions(path: &Path) -> Vec<String> {
    let Ok(bytes) = std::fs::read(path) else {
        return Vec::new();
    };
    let later = later();
    let mut found: Vec<String> = undefined(&bytes)
        .into_iter()
        .filter_map(|name| wanted_function(&name, &later))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The function that is left for later and that a symbol stands for: in C, or by a name that a Fortran compiler makes.
fn wanted_function(symbol: &str, later: &HashSet<String>) -> Option<String> {
    if later.contains(symbol.strip_prefix('P').unwrap_or(symbol)) {
        return Some(symbol.to_string());
    }
    let name = symbol.trim_end_matches('_');
    let name = name
        .strip_suffix("_f08ts")
        .or_else(|| name.strip_suffix("_f08"))
        .unwrap_or(name);
    let profiling = name.strip_prefix('p').unwrap_or(name);
    let same =
        |other: &&String| other.eq_ignore_ascii_case(name) || other.eq_ignore_ascii_case(profiling);
    later.iter().find(same).cloned()
}

/// The names that the dynamic linker is to find for this program.
fn undefined(bytes: &[u8]) -> Vec<String> {
    let Ok(file) = ElfFile64::<Endianness>::parse(bytes) else {
        return Vec::new();
    };
    let symbols = file.dynamic_symbols();
    let wanted = symbols.filter(|symbol| symbol.is_undefined());
    wanted
        .filter_map(|symbol| symbol.name().ok().map(str::to_string))
        .collect()
}

/// The functions of the table's chapters that are left for later; none where the table cannot be read.
fn later() -> HashSet<String> {
    let chapters = pamir_interface::read().map_or(Vec::new(), |table| table.chapters);
    let left = chapters
        .into_iter()
        .filter(|chapter| chapter.status == Status::Later);
    left.flat_map(|chapter| chapter.functions)
        .map(|function| function.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_what_is_left() {
        let names = later();
        assert!(!names.contains("MPI_Send") && !names.contains("MPI_Allreduce_c"));
        assert!(
            names.iter().all(|name| name.starts_with("MPI_")),
            "{names:?}"
        );
        assert!(names.iter().any(|name| name.ends_with("_c")), "{names:?}");
    }

    #[test]
    fn names_of_fortran_compilers_stand_for_the_function() {
        let later = HashSet::from(["MPI_File_open".to_string()]);
        let wanted = |symbol| wanted_function(symbol, &later);
        for symbol in [
            "mpi_file_open_",
            "mpi_file_open_f08_",
            "mpi_file_open_f08ts",
            "pmpi_file_open__",
        ] {
            assert_eq!(wanted(symbol).as_deref(), Some("MPI_File_open"), "{symbol}");
        }
        assert_eq!(wanted("PMPI_File_open").as_deref(), Some("PMPI_File_open"));
        for symbol in [
            "mpi_file_open_all_",
            "file_open",
            "_",
            "\u{e9}mpi_file_open",
        ] {
            assert_eq!(wanted(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn files_that_are_no_programs_want_nothing() {
        assert!(functions(Path::new("/no/such/file")).is_empty());
        for bytes in [
            &b""[..],
            b"#!/bin/sh\n",
            b"\x7fELF\x02\x01\x01",
            &[0x7f; 300],
        ] {
            assert!(undefined(bytes).is_empty());
        }
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(undefined(&own).iter().any(|name| name == "malloc"));
        let cut = &own[..own.len() / 2];
        let _ = undefined(cut);
    }
}
