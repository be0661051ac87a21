//! `pamir jobs`: the jobs of this user that run, or one of them with its ranks.
//!
//! What: asks the launchers by their status sockets ([`crate::status::client`]) and prints a table, or their documents.
//! Why: a launcher in another terminal, or one in the background, knows all of its job, and had nobody to tell it to.
//! Step before: [`super::main`]. Step after: standard output.
//! Invariant: what a document says is printed without control characters, whoever chose the names in it.

mod job;
mod table;

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use job::Job;

use crate::results;
use crate::status::client::{self, Answer};
use crate::status::document::FORMAT;
use crate::status::folder::FolderError;

/// Clears a terminal, and goes to its first line.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Arguments of `pamir jobs`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Show this job alone, with its ranks.
    #[arg(value_name = "ID")]
    job: Option<u32>,
    /// Print what the launchers say as JSON: a list of jobs, or the one job.
    #[arg(long)]
    json: bool,
    /// Show it again and again, every so many seconds; that of one job until it has ended.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "2",
        value_parser = clap::value_parser!(u32).range(1..=86_400))]
    watch: Option<u32>,
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobsError {
    /// Nobody can look for jobs.
    #[error("cannot look for jobs: {0}")]
    Folder(#[from] FolderError),
    /// There is no such job.
    #[error("no job of this user has the number {job} here: pamir jobs lists those that run")]
    NoJob {
        /// The number.
        job: u32,
    },
    /// The job's launcher gave no document.
    #[error("job {job}: {reason}")]
    NoAnswer {
        /// The job's number.
        job: u32,
        /// Why.
        reason: String,
    },
    /// A document cannot be written.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Shows; the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    let Some(seconds) = arguments.watch else {
        return results::conclude("pamir jobs", show(arguments), 1);
    };
    let clear = if io::stdout().is_terminal() {
        CLEAR
    } else {
        ""
    };
    let mut seen = false;
    loop {
        let shown = match show(arguments) {
            // It was there, and has ended.
            Err(JobsError::NoJob { .. }) if seen => return 0,
            shown => shown,
        };
        seen = shown.is_ok();
        let text = shown.map(|text| format!("{clear}{text}"));
        let code = results::conclude("pamir jobs", text, 1);
        if !seen || code != 0 {
            return code;
        }
        std::thread::sleep(Duration::from_secs(seconds.into()));
    }
}

fn show(arguments: &Arguments) -> Result<String, JobsError> {
    let answers = client::jobs(arguments.job)?;
    match (arguments.job, arguments.json) {
        (None, false) => Ok(table::of_jobs(
            &answers.iter().map(Job::of).collect::<Vec<_>>(),
        )),
        (None, true) => Ok(list(&answers)?),
        (Some(job), json) => {
            let answer = answers.first().ok_or(JobsError::NoJob { job })?;
            let shown = if json {
                job::text(answer).map(|text| format!("{text}\n"))
            } else {
                Job::of(answer)
                    .document
                    .map(|document| table::of_job(&document))
            };
            shown.map_err(|reason| JobsError::NoAnswer { job, reason })
        }
    }
}

/// The documents as one list of JSON. A launcher that does not answer has an entry that says so.
fn list(answers: &[Answer]) -> Result<String, serde_json::Error> {
    let entry = |answer: &Answer| match job::text(answer) {
        Ok(text) => Ok(text.to_string()),
        Err(error) => {
            let (format, job) = (FORMAT, answer.name.process);
            serde_json::to_string(
                &serde_json::json!({"format": format, "job": job, "error": error}),
            )
        }
    };
    let entries = answers.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[{}]\n", entries.join(",\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::document::tests::document as sample;
    use crate::status::socket_name::SocketName;

    fn answer(text: io::Result<String>) -> Answer {
        Answer {
            name: SocketName::own(),
            text,
        }
    }

    #[test]
    fn documents_are_passed_on_and_launchers_that_say_nothing_are_told_of() {
        let good = serde_json::to_string(&sample()).unwrap();
        let answers = [
            answer(Ok(good)),
            answer(Err(io::Error::other("silent"))),
            answer(Ok("{\"format\"".into())),
        ];
        let list: serde_json::Value = serde_json::from_str(&list(&answers).unwrap()).unwrap();
        assert_eq!(list[0]["ranks"][1]["state"], "killed");
        assert_eq!(list[1]["job"], std::process::id());
        assert_eq!(list[1]["error"], "silent");
        assert!(list[2]["error"].as_str().unwrap().contains("EOF"));
    }
}
