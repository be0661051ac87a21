//! `pamir report`: what a run's cycles say: who waited how long, what moved, how even it was.
//!
//! What: reads a record that `mpiexec --balance-record` wrote, prints its measures, and draws it.
//! Why: a load balance of 0.8 tells that a fifth is lost, and not where; a picture does.
//!
//! ```text
//! record ─▶ metrics ─▶ text: the run, its ranks, its cycles
//!              └─────▶ picture: bars of computing and waiting, the curve of the load balance
//! ```
//!
//! Step before: [`super::main`]. Step after: the reader changes the program, or its placement.

mod picture;
mod text;

use std::path::PathBuf;

use pamir_transport::balance::record::metrics::RunMetrics;
use pamir_transport::balance::record::{Record, RecordError};

use crate::command::number::whole;
use crate::results;

/// Arguments of `pamir report`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The record that mpiexec --balance-record wrote.
    #[arg(value_name = "FILE")]
    record: PathBuf,
    /// Draw the cycles as SVG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print at most so many cycles; those after which something was moved come first.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = whole::<usize>(0..=u64::MAX))]
    cycles: usize,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The record cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The picture cannot be written.
    #[error("cannot write {path}: {source}")]
    Picture {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Reports; the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    results::conclude("pamir report", report(arguments), 1)
}

fn report(arguments: &Arguments) -> Result<String, ReportError> {
    let record = Record::read(&arguments.record)?;
    let metrics = RunMetrics::of(&record);
    if let Some(path) = &arguments.plot {
        let picture = picture::draw(&record, &metrics);
        results::write_file(path, &picture).map_err(|source| ReportError::Picture {
            path: path.clone(),
            source,
        })?;
    }
    Ok(text::describe(&record, &metrics, arguments.cycles))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use pamir_transport::balance::record::TITLE;

    /// Three ranks on two cores; after the first cycle one of them moves.
    pub(super) fn record() -> Record {
        let text = "ranks 3\n\
                    call 1 0 0 0 40000000 30000000 1\n\
                    call 1 1 1 0 10000000 10000000 1\n\
                    call 1 2 0 0 40000000 10000000 1\n\
                    sat 1 2 0 1\n\
                    said 1 load balance 0.625: rank 2 goes from processor 0 to 1\n\
                    call 2 0 0 40000000 70000000 30000000 1\n\
                    call 2 1 1 40000000 60000000 10000000 1\n\
                    call 2 2 1 40000000 60000000 10000000 1\n\
                    gave 2 0 1 5\n\
                    call 3 0 0 70000000 90000000 20000000 1\n";
        Record::parse(&format!("{TITLE}\n{text}")).unwrap()
    }

    #[test]
    fn a_record_that_is_not_there_is_named() {
        let arguments = Arguments {
            record: "/nowhere/cycles".into(),
            plot: None,
            cycles: 5,
        };
        let error = report(&arguments).unwrap_err().to_string();
        assert!(error.contains("/nowhere/cycles"), "{error}");
    }
}
