//! `mpiexec --balance-record FILE`: the cycles of a run, as they end.
//!
//! What: writes what [`pamir_transport::balance::record`] describes. Why as they end: a job that is
//! killed leaves the record of all cycles before.
//! Step before: [`super::Balancing`] saw a cycle. Step after: `pamir report`.
//! Invariants: after a write that failed nothing more is written, and that is said once; no write
//! waits for a reader.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use pamir_transport::balance::record::{Call, Deed, RecordedCycle, head};

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
#[error("--balance-record: cannot write {path}: {source}")]
pub struct RecorderError {
    path: PathBuf,
    source: std::io::Error,
}

/// Writes a record.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Recorder {
    /// Begins the record of a job of so many ranks.
    ///
    /// # Errors
    ///
    /// [`RecorderError`] if the file cannot be written.
    pub fn begin(path: &Path, ranks: usize) -> Result<Self, RecorderError> {
        let failed = |source| RecorderError {
            path: path.to_path_buf(),
            source,
        };
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            // The launcher waits for no reader of a pipe.
            .custom_flags(libc::O_NONBLOCK)
            .open(path);
        let mut file = BufWriter::new(opened.map_err(failed)?);
        file.write_all(head(ranks).as_bytes()).map_err(failed)?;
        file.flush().map_err(failed)?;
        Ok(Self {
            path: path.to_path_buf(),
            file: Some(file),
        })
    }

    /// Writes a cycle.
    ///
    /// # Errors
    ///
    /// [`RecorderError`] the first time that writing fails.
    pub fn cycle(&mut self, number: u64, calls: Vec<Call>) -> Result<(), RecorderError> {
        self.write(&RecordedCycle { number, calls }.lines())
    }

    /// Writes what was done after cycle `number`.
    ///
    /// # Errors
    ///
    /// As for [`Self::cycle`].
    pub fn deed(&mut self, number: u64, deed: &Deed) -> Result<(), RecorderError> {
        self.write(&deed.line(number))
    }

    /// Hands what was written to the system.
    ///
    /// # Errors
    ///
    /// As for [`Self::cycle`].
    pub fn flush(&mut self) -> Result<(), RecorderError> {
        self.write("")
    }

    fn write(&mut self, text: &str) -> Result<(), RecorderError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let outcome = if text.is_empty() {
            file.flush()
        } else {
            file.write_all(text.as_bytes())
        };
        outcome.map_err(|source| {
            self.file = None;
            RecorderError {
                path: self.path.clone(),
                source,
            }
        })
    }
}
