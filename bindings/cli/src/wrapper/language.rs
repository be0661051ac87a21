//! The language that a wrapper compiles, by the name it is called by.
//!
//! Before: the wrapper's name and the environment. After: the words that call the compiler.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The language a wrapper compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
    /// Fortran.
    Fortran,
}

/// How the names of the wrappers begin; `mpicc` and any other name is for C.
const NAMES: [(&str, Language); 7] = [
    ("mpicxx", Language::Cxx),
    ("mpic++", Language::Cxx),
    ("mpiCC", Language::Cxx),
    ("mpifort", Language::Fortran),
    ("mpif77", Language::Fortran),
    ("mpif90", Language::Fortran),
    ("mpifc", Language::Fortran),
];

impl Language {
    /// The language of the name the wrapper was called by.
    pub fn of(name: &OsStr) -> Language {
        let name = Path::new(name).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let known = NAMES.iter().find(|(begin, _)| name.starts_with(begin));
        known.map_or(Language::C, |(_, language)| *language)
    }

    /// Variables which name the compiler, in order, and the compiler when none does.
    fn compiler(self) -> (&'static [&'static str], &'static str) {
        const C: &[&str] = &[pamir_settings::CC.name(), "MPICH_CC", "OMPI_CC"];
        const CXX: &[&str] = &[pamir_settings::CXX.name(), "MPICH_CXX", "OMPI_CXX"];
        const FC: &[&str] = &[
            pamir_settings::FC.name(),
            "MPICH_FC",
            "OMPI_FC",
            "MPICH_F90",
            "OMPI_F90",
            "I_MPI_F90",
            "MPICH_F77",
            "OMPI_F77",
            "I_MPI_F77",
        ];
        match self {
            Language::C => (C, "cc"),
            Language::Cxx => (CXX, "c++"),
            Language::Fortran => (FC, "gfortran"),
        }
    }

    /// Pamir's variable that names the compiler.
    pub(super) fn variable(self) -> &'static str {
        self.compiler().0[0]
    }

    /// The words that call the compiler: the one that an option names, a variable's, or the usual one.
    pub(super) fn compiler_words(self, named: Option<OsString>) -> Vec<OsString> {
        let (variables, default) = self.compiler();
        let mut values = variables.iter().filter_map(std::env::var_os);
        let value = named.or_else(|| values.find(|value| !value.is_empty()));
        // The value may hold arguments: "ccache gcc".
        let value = value.unwrap_or_else(|| default.into());
        let words = value.to_string_lossy();
        words.split_whitespace().map(OsString::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language() {
        assert_eq!(Language::of(OsStr::new("/a/mpicc")), Language::C);
        assert_eq!(Language::of(OsStr::new("mpic++")), Language::Cxx);
        assert_eq!(Language::of(OsStr::new("../mpicxx")), Language::Cxx);
        for name in ["mpifort", "/opt/bin/mpif90", "mpif77", "mpifort.pamir"] {
            assert_eq!(Language::of(OsStr::new(name)), Language::Fortran);
        }
    }
}
