//! Makes a set: compiles the modules, archives their objects, and puts all in its place.
//!
//! Before: the compiler's words, and an installation with `libmpi_abi_fortran.so.1`. After: a folder that `mpifort` finds.
//! Invariants: a set is whole or not there, since it is made in another folder beside its own. Its library is an
//! archive, so that a program that is moved needs only the installation's `lib`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::{Access as _, FortranError};
use super::prefix::Prefix;
use super::texts::{Texts, write_packages};
use crate::fortran::{CompilerFile, MODULES_LIBRARY, Record, Version};

/// Makes the set of the compiler that these words call; its name.
pub(super) fn make(prefix: &Prefix, words: &[String]) -> Result<String, FortranError> {
    let fortran = prefix.library.join("libmpi_abi_fortran.so.1");
    if !fortran.exists() {
        return Err(FortranError::NoLibrary { path: fortran });
    }
    let compiler: Vec<OsString> = words.iter().map(OsString::from).collect();
    let version = Version::asked(&compiler)?;
    let texts = Texts::new()?;
    let workshop = Workshop::new(&prefix.sets())?;
    texts.write(&workshop.folder)?;
    workshop.compile(&compiler, &texts)?;
    workshop.archive(&texts)?;
    workshop.clear()?;
    let file = CompilerFile::of(&compiler).filter(|file| file.is_named_by(&version.id));
    let record = Record {
        compiler: words.to_vec(),
        version: version.line,
        file,
    };
    record.write(&workshop.folder)?;
    workshop.put_in_place(&prefix.set(&version.id))?;
    std::fs::create_dir_all(&prefix.include).access(&prefix.include)?;
    texts.write_header(&prefix.include)?;
    write_packages(prefix, &version.id)?;
    Ok(version.id)
}

/// A folder beside the sets, which goes again unless it becomes one.
#[derive(Debug)]
struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    fn new(sets: &Path) -> Result<Workshop, FortranError> {
        let folder = sets.join(format!(".{}", std::process::id()));
        // Those of a process that had this number and was killed.
        for left in [&folder, &folder.with_extension("old")] {
            let _ = std::fs::remove_dir_all(left);
        }
        std::fs::create_dir_all(&folder).access(&folder)?;
        Ok(Workshop { folder })
    }

    fn compile(&self, compiler: &[OsString], texts: &Texts) -> Result<(), FortranError> {
        for source in &texts.modules {
            let arguments = ["-O2", "-fPIC", "-I.", "-c", source.name].map(OsString::from);
            let failed = |line| FortranError::Compilation { line };
            self.run(compiler, &arguments, failed)?;
        }
        Ok(())
    }

    /// Puts the modules' objects into an archive: programs need nothing of the set when they run.
    fn archive(&self, texts: &Texts) -> Result<(), FortranError> {
        let objects = texts
            .modules
            .iter()
            .map(|source| Path::new(source.name).with_extension("o").into());
        let arguments: Vec<OsString> = ["rcs".into(), MODULES_LIBRARY.into()]
            .into_iter()
            .chain(objects)
            .collect();
        self.run(&["ar".into()], &arguments, |line| FortranError::Archive {
            line,
        })
    }

    /// Runs a command in the folder, where it leaves what it makes.
    fn run(
        &self,
        compiler: &[OsString],
        arguments: &[OsString],
        failed: impl Fn(String) -> FortranError,
    ) -> Result<(), FortranError> {
        let words: Vec<&OsString> = compiler.iter().chain(arguments).collect();
        let shown: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        let status = command.status().access(Path::new(words[0]))?;
        status
            .success()
            .then_some(())
            .ok_or_else(|| failed(shown.join(" ")))
    }

    /// Leaves only what compilers and programs read.
    fn clear(&self) -> Result<(), FortranError> {
        for entry in std::fs::read_dir(&self.folder).access(&self.folder)? {
            let path = entry.access(&self.folder)?.path();
            let end = path.extension().and_then(|end| end.to_str());
            if !matches!(end, Some("mod" | "smod" | "a")) {
                std::fs::remove_file(&path).access(&path)?;
            }
        }
        Ok(())
    }

    /// Gives the folder its name; one that had it goes.
    fn put_in_place(&self, set: &Path) -> Result<(), FortranError> {
        let old = self.folder.with_extension("old");
        if set.exists() {
            std::fs::rename(set, &old).access(set)?;
        }
        std::fs::rename(&self.folder, set).access(set)?;
        if old.exists() {
            std::fs::remove_dir_all(&old).access(&old)?;
        }
        Ok(())
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
