//! Where tables come from, in order of precedence.
//!
//! | source | rows of |
//! |--------|---------|
//! | environment variable `PAMIR_<KIND>` ([`super::grammar`]) | that kind |
//! | one file ([`super::file`]) | the kinds it lists |
//! | built in | all kinds |
//!
//! The file is the one that `PAMIR_SELECTION_FILE` names (empty: none); without that variable the
//! first that exists of `pamir/selection.toml` in the user's configuration directory
//! (`XDG_CONFIG_HOME`, else `~/.config`) and `etc/pamir/selection.toml` under the prefix of the
//! installation.
//!
//! Whatever is wrong is refused before a table is changed, with file and line, or variable and
//! item, and the reason: half a table would be slow for reasons that nobody sees.
//!
//! Before: [`crate::client::Client::open`], once a process. After: [`super::table`].
//! Invariant: all tasks of a job must find the same tables; see [`super::table`].

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::kind::{KINDS, Kind, KindRows, RowError};
use super::row::Row;
use super::{file, grammar, prefix};

/// The environment variable that names the file.
pub const FILE_VARIABLE: &str = pamir_settings::SELECTION_FILE.name();

/// The file's place below a configuration directory.
const FILE: &str = "pamir/selection.toml";

/// Why tables were refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// A file cannot be read.
    #[error("cannot read the selection file {path}: {source}; correct or unset {FILE_VARIABLE}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file's text is refused.
    #[error(
        "selection file {path}, {error}; correct the line, or set {FILE_VARIABLE} to another file, or to nothing for the built-in tables"
    )]
    File {
        /// The file.
        path: PathBuf,
        /// Line and reason.
        error: file::FileError,
    },
    /// A variable's value is refused.
    #[error("environment variable {name}={value:?}, item {item}: {reason}")]
    Variable {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
        /// Which of its rows, from 1.
        item: usize,
        /// Why.
        reason: String,
    },
    /// The tables cannot be installed.
    #[error(transparent)]
    Install(#[from] RowError),
}

/// Rows for some of the kinds, checked.
#[derive(Default)]
pub struct Configuration {
    file: Option<PathBuf>,
    file_fingerprint: u64,
    variables: Vec<String>,
    rows: Vec<KindRows>,
}

impl Configuration {
    /// What this process's environment asks for.
    pub fn from_environment() -> Result<Self, SelectionError> {
        Self::of(|name| std::env::var_os(name))
    }

    /// What the variables of an environment ask for.
    ///
    /// # Errors
    ///
    /// [`SelectionError`] names the variable or the file, and the reason.
    pub fn of(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, SelectionError> {
        let mut configuration = Self::default();
        for kind in KINDS {
            let name = kind.variable();
            if let Some(value) = variable(&name).filter(|value| !value.is_empty()) {
                let value = value.to_string_lossy().into_owned();
                let rows = variable_rows(kind, &name, value)?;
                configuration.variables.push(name);
                configuration.rows.push((kind, rows));
            }
        }
        if let Some((path, text)) = find_file(&variable)? {
            let kinds = file::read(&text).map_err(|error| SelectionError::File {
                path: path.clone(),
                error,
            })?;
            configuration.file_fingerprint = fingerprint(&kinds);
            kinds
                .into_iter()
                .for_each(|(kind, rows)| configuration.add(kind, rows));
            configuration.file = Some(path);
        }
        Ok(configuration)
    }

    /// Adds rows behind those that the kind has.
    fn add(&mut self, kind: &'static dyn Kind, mut rows: Vec<Row<String>>) {
        let same = |known: &&mut (&'static dyn Kind, _)| known.0.name() == kind.name();
        match self.rows.iter_mut().find(same) {
            Some((_, known)) => known.append(&mut rows),
            None => self.rows.push((kind, rows)),
        }
    }

    /// The file that was read.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// A number that is the same for processes whose files have the same rows; 0 without rows.
    pub fn file_fingerprint(&self) -> u64 {
        self.file_fingerprint
    }

    /// The variables of single kinds that were read.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Puts the rows in force in this process.
    pub fn install(&self) -> Result<(), SelectionError> {
        for (kind, rows) in &self.rows {
            kind.install(rows)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Configuration {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.rows.iter().map(|(kind, rows)| (kind.name(), rows));
        let mut text = formatter.debug_struct("Configuration");
        text.field("file", &self.file)
            .field("rows", &rows.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// Puts the tables in force that this process's environment asks for; the file's fingerprint.
///
/// # Errors
///
/// [`SelectionError`] names the variable or the file, and the reason.
pub fn install() -> Result<u64, SelectionError> {
    let configuration = Configuration::from_environment()?;
    configuration.install()?;
    Ok(configuration.file_fingerprint())
}

fn fingerprint(kinds: &[KindRows]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (kind, rows) in kinds {
        (kind.name(), format!("{rows:?}")).hash(&mut hasher);
    }
    if kinds.is_empty() { 0 } else { hasher.finish() }
}

fn variable_rows(
    kind: &dyn Kind,
    name: &str,
    value: String,
) -> Result<Vec<Row<String>>, SelectionError> {
    let refused = |(index, reason): (usize, String)| SelectionError::Variable {
        name: name.to_owned(),
        value: value.clone(),
        item: index + 1,
        reason,
    };
    let rows =
        grammar::rows(&value).map_err(|(index, error)| refused((index, error.to_string())))?;
    kind.check(&rows)
        .map_err(|(index, error)| refused((index, error.to_string())))?;
    Ok(rows)
}

/// The file and its text, if there is one.
fn find_file(
    variable: &impl Fn(&str) -> Option<OsString>,
) -> Result<Option<(PathBuf, String)>, SelectionError> {
    if let Some(path) = variable(FILE_VARIABLE) {
        if path.is_empty() {
            return Ok(None);
        }
        let path = PathBuf::from(path);
        return match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some((path, text))),
            Err(source) => Err(SelectionError::Unreadable { path, source }),
        };
    }
    let places = [user_file(variable), installed_file()];
    for path in places.into_iter().flatten() {
        match std::fs::read_to_string(&path) {
            Ok(text) => return Ok(Some((path, text))),
            Err(error) if is_absence(error.kind()) => {}
            Err(source) => return Err(SelectionError::Unreadable { path, source }),
        }
    }
    Ok(None)
}

/// Whether a file that nobody asked for by name counts as not there.
fn is_absence(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
    )
}

/// The user's own file, there or not.
fn user_file(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| {
        let directory = variable(name).map(PathBuf::from);
        directory.filter(|directory| directory.is_absolute())
    };
    let home = || absolute("HOME").map(|home| home.join(".config"));
    let directory = absolute("XDG_CONFIG_HOME").or_else(home)?;
    Some(directory.join(FILE))
}

/// Where `pamir tune` writes unless told otherwise.
pub fn own_file() -> Option<PathBuf> {
    user_file(&|name| std::env::var_os(name))
}

/// The installation's file, there or not.
fn installed_file() -> Option<PathBuf> {
    Some(prefix::of_installation()?.join("etc").join(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let directory =
            std::env::temp_dir().join(format!("pamir-selection-{}-{name}", std::process::id()));
        std::fs::create_dir_all(directory.join("pamir")).unwrap();
        directory
    }

    fn of(variables: &[(&str, &str)]) -> Result<Configuration, SelectionError> {
        Configuration::of(|name| {
            let found = variables.iter().find(|variable| variable.0 == name);
            found.map(|variable| variable.1.into())
        })
    }

    fn algorithms(configuration: &Configuration, kind: &str) -> Vec<String> {
        let mut kinds = configuration.rows.iter();
        let (_, rows) = kinds.find(|(found, _)| found.name() == kind).unwrap();
        rows.iter().map(|row| row.algorithm.clone()).collect()
    }

    #[test]
    fn a_variable_comes_before_the_file_and_other_kinds_stay() {
        let directory = directory("order");
        let file = directory.join(FILE);
        let text =
            "[[allreduce]]\nalgorithm = \"rabenseifner\"\n[[scan]]\nalgorithm = \"linear\"\n";
        std::fs::write(&file, text).unwrap();
        let configuration = of(&[
            ("XDG_CONFIG_HOME", directory.to_str().unwrap()),
            ("PAMIR_ALLREDUCE", "ring:65536-,recursive_doubling:-9"),
        ])
        .unwrap();
        assert_eq!(configuration.file(), Some(&*file));
        assert_eq!(configuration.variables(), ["PAMIR_ALLREDUCE"]);
        let expected = ["ring", "recursive_doubling", "rabenseifner"];
        assert_eq!(algorithms(&configuration, "allreduce"), expected);
        assert_eq!(algorithms(&configuration, "scan"), ["linear"]);
        let named = of(&[("PAMIR_SELECTION_FILE", file.to_str().unwrap())]).unwrap();
        assert_eq!(algorithms(&named, "scan"), ["linear"]);
        assert_eq!(named.file_fingerprint(), configuration.file_fingerprint());
        let none = of(&[
            ("XDG_CONFIG_HOME", directory.to_str().unwrap()),
            ("PAMIR_SELECTION_FILE", ""),
        ]);
        let none = none.unwrap();
        assert_eq!((none.file(), none.file_fingerprint()), (None, 0));
        assert_ne!(named.file_fingerprint(), 0);
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_bad_file_is_refused_with_path_and_line() {
        let directory = directory("bad");
        let file = directory.join(FILE);
        std::fs::write(&file, "\n\n[[scan]]\nalgorithm = \"lineal\"\n").unwrap();
        let error = of(&[("PAMIR_SELECTION_FILE", file.to_str().unwrap())]).unwrap_err();
        let text = error.to_string();
        let beginning = format!("selection file {}, line 3: scan has no", file.display());
        assert!(text.starts_with(&beginning), "{text}");
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_missing_file_is_refused_only_where_it_was_asked_for() {
        let error = of(&[("PAMIR_SELECTION_FILE", "/nowhere/selection.toml")]).unwrap_err();
        assert!(matches!(error, SelectionError::Unreadable { .. }));
        assert!(of(&[("XDG_CONFIG_HOME", "/nowhere")]).is_ok());
    }

    #[test]
    fn a_bad_variable_is_refused_with_its_item() {
        let refused = |name: &str, value: &str| of(&[(name, value)]).unwrap_err().to_string();
        let text = refused("PAMIR_ALLREDUCE", "ring:1-,wing");
        let beginning = "environment variable PAMIR_ALLREDUCE=\"ring:1-,wing\", item 2: ";
        assert!(text.starts_with(beginning), "{text}");
        let text = refused("PAMIR_BARRIER", "tree:5-");
        assert!(text.contains("barrier has no size"), "{text}");
        let text = refused("PAMIR_SEND", "eager:5-x");
        assert!(text.contains("\"5-x\" is no span of sizes"), "{text}");
    }
}
