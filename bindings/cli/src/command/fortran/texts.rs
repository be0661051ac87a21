//! The texts that are written: mpif.h, the modules, the files of pkg-config.
//!
//! Before: `pamir-fortran-generator` has the texts. After: a Fortran compiler, or `pkg-config`, reads them.

use std::fmt::Write as _;
use std::path::Path;

use pamir_fortran_generator::{Source, sources};

use super::error::{Access as _, FortranError};
use super::prefix::Prefix;
use crate::results;

/// The text that is included, and not compiled.
const HEADER: &str = "mpif.h";
const PACKAGE: &str = include_str!("../../../share/fortran/mpi-fort.pc.in");
/// The package's names: MPICH has none, Open MPI has both, Meson asks for the second.
const PACKAGES: [&str; 2] = ["mpi-fort", "ompi-fort"];

/// The header's text and those of the modules.
#[derive(Debug)]
pub(super) struct Texts {
    header: Option<Source>,
    /// In the order in which they are compiled.
    pub(super) modules: Vec<Source>,
}

impl Texts {
    pub(super) fn new() -> Result<Texts, FortranError> {
        let sources = sources().map_err(|reason| FortranError::Texts { reason })?;
        let (header, modules) = sources
            .into_iter()
            .partition::<Vec<_>, _>(|source| source.name == HEADER);
        Ok(Texts {
            header: header.into_iter().next(),
            modules,
        })
    }

    /// Writes the modules' texts, and the header that they may include.
    pub(super) fn write(&self, folder: &Path) -> Result<(), FortranError> {
        let mut modules = self.modules.iter();
        modules.try_for_each(|source| write(folder, source))?;
        self.write_header(folder)
    }

    /// Writes the header alone.
    pub(super) fn write_header(&self, folder: &Path) -> Result<(), FortranError> {
        let mut header = self.header.iter();
        header.try_for_each(|source| write(folder, source))
    }
}

/// Writes all into the user's folder; their names in the order of compiling.
pub(super) fn write_all(folder: &Path) -> Result<String, FortranError> {
    let texts = Texts::new()?;
    std::fs::create_dir_all(folder).access(folder)?;
    texts.write(folder)?;
    let mut names = String::new();
    for source in texts.header.iter().chain(&texts.modules) {
        let _ = writeln!(names, "{}", folder.join(source.name).display());
    }
    Ok(names)
}

/// Writes the packages with a set as the default, unless they have one that is there.
pub(super) fn write_packages(prefix: &Prefix, id: &str) -> Result<(), FortranError> {
    let folder = prefix.library.join("pkgconfig");
    std::fs::create_dir_all(&folder).access(&folder)?;
    for name in PACKAGES {
        let path = folder.join(name).with_extension("pc");
        let id = default_set(prefix, &path).unwrap_or_else(|| id.to_owned());
        let text = PACKAGE
            .replace("@NAME@", name)
            .replace("@ID@", &id)
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        results::write_file(&path, &text).access(&path)?;
    }
    Ok(())
}

/// The set that a package names, if that is still there.
fn default_set(prefix: &Prefix, package: &Path) -> Option<String> {
    let text = std::fs::read_to_string(package).ok()?;
    let mut lines = text.lines();
    let id = lines.find_map(|line| line.strip_prefix("fortran="))?;
    prefix.set(id).is_dir().then(|| id.to_owned())
}

fn write(folder: &Path, source: &Source) -> Result<(), FortranError> {
    let path = folder.join(source.name);
    results::write_file(&path, &source.text).access(&path)
}
