//! Jobs and ranks as tables.
//!
//! Before: the documents are there. After: text with columns that stand below each other, by `tabwriter`.

use std::fmt::Write as _;
use std::io::Write as _;

use tabwriter::TabWriter;

use super::job::Job;
use crate::status::document::{Document, JobState, Rank, RankState};

/// Spaces between columns.
const GAP: usize = 2;

/// The table of all jobs.
pub(super) fn of_jobs(jobs: &[Job]) -> String {
    if jobs.is_empty() {
        return "no job of this user runs here\n".to_string();
    }
    let title = ["ID", "RANKS", "TIME", "STATE", "COMMAND"].map(String::from);
    let rows = jobs.iter().map(|job| match &job.document {
        Ok(document) => [
            job.number.to_string(),
            document.ranks.len().to_string(),
            time(document.elapsed_ms),
            state_of_job(document),
            commands(document),
        ],
        Err(reason) => [
            job.number.to_string(),
            "?".into(),
            "?".into(),
            "unknown".into(),
            format!("({reason})"),
        ],
    });
    aligned([title].into_iter().chain(rows))
}

/// One job: what it is, then its ranks.
pub(super) fn of_job(document: &Document) -> String {
    let mut text = String::new();
    let limit = document
        .time_limit_ms
        .map(|limit| format!(" of {}", time(limit)));
    let lines = [
        ("job", format!("{} on {}", document.job, document.host)),
        ("command", joined(&document.command)),
        ("directory", document.directory.clone()),
        (
            "time",
            time(document.elapsed_ms) + &limit.unwrap_or_default(),
        ),
        ("state", state_of_job(document)),
    ];
    for (name, value) in lines {
        let _ = writeln!(text, "{name:<9}  {}", printable(&value));
    }
    text.push('\n');
    text + &of_ranks(document)
}

fn of_ranks(document: &Document) -> String {
    let (several_nodes, several_programs) = (document.nodes > 1, document.programs.len() > 1);
    let columns = |cells: [String; 9]| {
        let [rank, node, program, rest @ ..] = cells;
        let mut row = vec![rank];
        row.extend(several_nodes.then_some(node));
        row.extend(several_programs.then_some(program));
        row.extend(rest);
        row
    };
    let title = [
        "RANK",
        "NODE",
        "PROGRAM",
        "PID",
        "PROCESSORS",
        "STATE",
        "CPU",
        "MEMORY",
        "INTERRUPTS",
    ];
    let rows = document.ranks.iter().map(|rank| {
        let program = document.programs.get(rank.program);
        let name = program.and_then(|program| program.command.first());
        columns([
            rank.rank.to_string(),
            rank.node.to_string(),
            name.cloned().unwrap_or_default(),
            rank.pid.to_string(),
            rank.processors.as_deref().map_or_else(unknown, ranges),
            state_of_rank(rank),
            rank.processor_time_ms.map_or_else(unknown, time),
            rank.resident_bytes.map_or_else(unknown, mebibytes),
            rank.counters.interrupts.to_string(),
        ])
    });
    aligned([columns(title.map(String::from))].into_iter().chain(rows))
}

/// Rows with their columns below each other.
fn aligned<R: AsRef<[String]>>(rows: impl Iterator<Item = R>) -> String {
    let mut writer = TabWriter::new(Vec::new()).padding(GAP);
    for row in rows {
        let cells: Vec<String> = row.as_ref().iter().map(|cell| printable(cell)).collect();
        // Nothing keeps memory from being written.
        let _ = writeln!(writer, "{}", cells.join("\t"));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text without what would move a terminal's cursor or part its cells.
fn printable(text: &str) -> String {
    let shown = |letter: char| if letter.is_control() { '?' } else { letter };
    text.chars().map(shown).collect()
}

/// The job's state; where some ranks have ended, how many run.
fn state_of_job(document: &Document) -> String {
    let word = match document.state {
        JobState::Running => "running",
        JobState::Ending => "ending",
        JobState::Closing => "closing",
    };
    let lives = |rank: &&Rank| rank.state.lives();
    let living = document.ranks.iter().filter(lives).count();
    if living == document.ranks.len() || document.state == JobState::Closing {
        return word.to_string();
    }
    format!("{word} ({living} of {})", document.ranks.len())
}

fn state_of_rank(rank: &Rank) -> String {
    match &rank.state {
        RankState::Starting => "starting".into(),
        RankState::Running => "running".into(),
        RankState::Waiting => "waiting".into(),
        RankState::Stopped => "stopped".into(),
        RankState::Finalized => "finalized".into(),
        RankState::Exited { exit_code } => format!("exited {exit_code}"),
        RankState::Aborted { code } => format!("aborted {code}"),
        RankState::Killed {
            signal,
            signal_name,
            ..
        } => format!("killed {signal} ({signal_name})"),
    }
}

/// The programs' commands, as mpiexec parts them.
fn commands(document: &Document) -> String {
    let commands = document
        .programs
        .iter()
        .map(|program| joined(&program.command));
    commands.collect::<Vec<_>>().join(" : ")
}

/// Words as a shell would take them.
fn joined(words: &[String]) -> String {
    let plain = |word: &str| {
        let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=:,+@%".contains(letter);
        !word.is_empty() && word.chars().all(is_plain)
    };
    let quoted = words.iter().map(|word| {
        if plain(word) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Hours, minutes and seconds.
fn time(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// `0-3,8`.
fn ranges(processors: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &unit in processors {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(unit) => *last = unit,
            _ => ranges.push((unit, unit)),
        }
    }
    let text = |(first, last): &(u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

fn unknown() -> String {
    "-".to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::document::tests::document;

    fn job(document: Result<Document, String>) -> Job {
        Job {
            number: 99,
            document,
        }
    }

    #[test]
    fn jobs_are_listed() {
        let jobs = [
            job(Ok(document())),
            job(Err("its launcher does not answer".into())),
        ];
        assert_eq!(
            of_jobs(&jobs),
            "ID  RANKS  TIME     STATE            COMMAND\n\
             99  2      1:02:05  ending (1 of 2)  ./solve 'a b'\n\
             99  ?      ?        unknown          (its launcher does not answer)\n"
        );
        assert_eq!(of_jobs(&[]), "no job of this user runs here\n");
    }

    #[test]
    fn a_job_is_shown_with_its_ranks() {
        let mut document = document();
        assert_eq!(
            of_job(&document),
            "job        99 on here\n\
             command    mpiexec -n 2 ./solve 'a b'\n\
             directory  /home\n\
             time       1:02:05\n\
             state      ending (1 of 2)\n\
             \n\
             RANK  NODE  PID  PROCESSORS  STATE               CPU      MEMORY   INTERRUPTS\n\
             0     0     100  0-1,4       running             0:01:01  3.0 MiB  7\n\
             1     1     101  -           killed 9 (SIGKILL)  -        -        7\n"
        );
        // One node is not worth a column, and names cannot move the cursor.
        document.nodes = 1;
        document.time_limit_ms = Some(7_200_000);
        document.directory = "/a\x1b[2J\tb".into();
        let text = of_job(&document);
        assert!(
            text.contains("1:02:05 of 2:00:00") && text.contains("/a?[2J?b"),
            "{text}"
        );
        assert!(!text.contains("NODE"), "{text}");
    }
}
