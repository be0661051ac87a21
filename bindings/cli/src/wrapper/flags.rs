//! What a wrapper adds to the compiler's arguments: directories and libraries.
//!
//! Before: where the wrapper lies, its language, and its compiler. After: the command line, or an answer.
//! Invariant: a Fortran compiler gets the modules that were made for it, or an error; never another one's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::WrapperError;
use super::language::Language;
use crate::fortran::{CompilerError, ModuleSet, SetError};

/// Where an installed tree lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Directory of `mpi.h`.
    pub include: PathBuf,
    /// Directory of `libmpi_abi.so`.
    pub library: PathBuf,
}

impl Tree {
    /// The tree of a program in `PREFIX/bin`.
    pub fn around(executable: &Path) -> Tree {
        let prefix = executable
            .parent()
            .and_then(Path::parent)
            .unwrap_or(Path::new("/usr"));
        Tree {
            include: prefix.join("include"),
            library: prefix.join("lib"),
        }
    }
}

/// The directories and libraries of one language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    pub(super) include: Vec<PathBuf>,
    pub(super) library: Vec<PathBuf>,
    pub(super) names: Vec<&'static str>,
}

impl Flags {
    /// Those of a program in this language, which this compiler compiles.
    ///
    /// # Errors
    ///
    /// [`WrapperError`] where a Fortran compiler has no modules here, or cannot be run.
    pub fn of(
        language: Language,
        tree: &Tree,
        compiler: &[OsString],
    ) -> Result<Self, WrapperError> {
        match language {
            Language::C | Language::Cxx => Ok(Self::plain(tree)),
            Language::Fortran => Ok(Self::with_modules(tree, &modules(tree, compiler)?)),
        }
    }

    fn plain(tree: &Tree) -> Self {
        Self {
            include: vec![tree.include.clone()],
            library: vec![tree.library.clone()],
            names: vec!["mpi_abi"],
        }
    }

    fn with_modules(tree: &Tree, set: &Path) -> Self {
        Self {
            include: vec![tree.include.clone(), set.to_path_buf()],
            library: vec![tree.library.clone(), set.to_path_buf()],
            names: vec!["mpi_abi_modules", "mpi_abi_fortran", "mpi_abi"],
        }
    }

    pub(super) fn compile(&self) -> Vec<OsString> {
        let directories = self.include.iter();
        directories.map(|path| joined("-I", path)).collect()
    }

    pub(super) fn link(&self) -> Vec<OsString> {
        // The first has the libraries that a program loads, the others only archives.
        let run_path = self.library.first().map(|path| joined("-Wl,-rpath,", path));
        let paths = self.library.iter().map(|path| joined("-L", path));
        let names = self.names.iter();
        paths
            .chain(run_path)
            .chain(names.map(|name| format!("-l{name}").into()))
            .collect()
    }
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut text = OsString::from(flag);
    text.push(path);
    text
}

/// The folder of a compiler's modules.
fn modules(tree: &Tree, compiler: &[OsString]) -> Result<PathBuf, WrapperError> {
    let name = compiler.join(" ".as_ref()).to_string_lossy().into_owned();
    match ModuleSet::of(&tree.library, compiler) {
        Ok(Some(set)) => Ok(set.folder),
        Ok(None) => Err(WrapperError::NoModules { compiler: name }),
        Err(SetError::Compiler(CompilerError::Execution { compiler, reason })) => {
            let variable = Language::Fortran.variable();
            Err(WrapperError::Compiler {
                compiler,
                reason,
                variable,
            })
        }
        Err(error) => Err(WrapperError::Modules {
            reason: error.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn fortran_has_its_modules_and_the_libraries_that_they_need() {
        let tree = Tree::around(Path::new("/p/bin/mpifort"));
        let flags = Flags::with_modules(&tree, Path::new("/p/lib/pamir/fortran/f-1"));
        let text = |flags: Vec<OsString>| flags.join(OsStr::new(" ")).into_string().expect("text");
        let set = "/p/lib/pamir/fortran/f-1";
        assert_eq!(text(flags.compile()), format!("-I/p/include -I{set}"));
        assert_eq!(
            text(flags.link()),
            format!(
                "-L/p/lib -L{set} -Wl,-rpath,/p/lib \
                 -lmpi_abi_modules -lmpi_abi_fortran -lmpi_abi"
            )
        );
    }
}
