//! The document that a job's launcher answers with.
//!
//! What: plain data, written and read as JSON by serde.
//! Step before: [`crate::launch::report::status`] fills it from the running job. Step after: [`super::server`] sends it;
//! `pamir jobs` and users' programs read it.
//! Invariant: members keep their meaning as long as [`FORMAT`] stays; new ones may come, and who reads passes over those that
//! it does not know. `docs/user/running.md` describes them for users.

use serde::{Deserialize, Serialize};

/// The number of this form.
pub const FORMAT: u32 = 1;

/// A job, as its launcher sees it at this moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of Pamir.
    pub version: String,
    /// The job's number: the process of its launcher.
    pub job: u32,
    /// The machine.
    pub host: String,
    /// Where the launcher was started.
    pub directory: String,
    /// The launcher's command line.
    pub command: Vec<String>,
    /// When it was started, in seconds since 1970 (UTC).
    pub started_unix_s: u64,
    /// For how long it has run, in milliseconds.
    pub elapsed_ms: u64,
    /// How long it may run at most, in milliseconds, if that was said.
    pub time_limit_ms: Option<u64>,
    /// How far it is.
    pub state: JobState,
    /// The launcher's exit code, once a failure has settled it.
    pub exit_code: Option<u8>,
    /// Groups of ranks that share no memory.
    pub nodes: usize,
    /// The programs, in rank order.
    pub programs: Vec<Program>,
    /// The ranks.
    pub ranks: Vec<Rank>,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Ranks run, and none has failed.
    Running,
    /// A rank has failed or the time is up: the others are being ended.
    Ending,
    /// All ranks have ended; what is left of their output is passed on.
    Closing,
}

/// One program of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// How many ranks it has.
    pub ranks: usize,
    /// Its name and arguments.
    pub command: Vec<String>,
    /// Where its ranks start, if it is not where the launcher did.
    pub directory: Option<String>,
}

/// One rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// Its number.
    pub rank: usize,
    /// Its process: the one that called MPI_Init, else the one that the launcher started.
    pub pid: i32,
    /// The node that it is on.
    pub node: usize,
    /// The number of its program.
    pub program: usize,
    /// What it does, or how it ended.
    #[serde(flatten)]
    pub state: RankState,
    /// The processors that it may run on now; nothing once it has ended.
    pub processors: Option<Vec<u32>>,
    /// Processor time of all its threads in milliseconds; nothing once it has ended.
    pub processor_time_ms: Option<u64>,
    /// Its memory that is present, in bytes; nothing once it has ended.
    pub resident_bytes: Option<u64>,
    /// What the job's memory counts.
    pub counters: Counters,
}

/// What a rank does, or how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum RankState {
    /// It has not initialised MPI. A program that never does stays so.
    Starting,
    /// It has, and computes or communicates.
    Running,
    /// It sleeps in a call until something comes.
    Waiting,
    /// A signal has stopped its process.
    Stopped,
    /// It has left MPI in good order, and its process runs on.
    Finalized,
    /// Its process has ended.
    Exited {
        /// With this code.
        exit_code: i32,
    },
    /// It called MPI_Abort.
    Aborted {
        /// With this code.
        code: i32,
    },
    /// A signal has ended it.
    Killed {
        /// The signal's number.
        signal: i32,
        /// The signal's name.
        signal_name: String,
        /// Whether a core was written.
        core: bool,
    },
}

impl RankState {
    /// Whether it has a process.
    pub fn lives(&self) -> bool {
        use RankState::{Finalized, Running, Starting, Stopped, Waiting};
        matches!(self, Starting | Running | Waiting | Stopped | Finalized)
    }
}

/// What the job's memory counts of a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Interrupts in which the rank's service thread moved something while the program computed.
    pub interrupts: u64,
    /// Descriptors that were done in them.
    pub descriptors_moved: u64,
    /// Bytes of packets from the rank through shared memory, at least; nothing in large jobs.
    pub lane_bytes_sent: Option<u64>,
    /// The same to the rank.
    pub lane_bytes_received: Option<u64>,
}

/// What is said to a request that is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Why, and what to ask for.
    pub error: String,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A job of two ranks on two nodes, of which one was killed.
    pub(crate) fn document() -> Document {
        let rank = |rank, state: RankState| Rank {
            rank,
            pid: 100 + rank as i32,
            node: rank,
            program: 0,
            processors: state.lives().then(|| vec![0, 1, 4]),
            processor_time_ms: state.lives().then_some(61_500),
            resident_bytes: state.lives().then_some(3 << 20),
            state,
            counters: Counters {
                interrupts: 7,
                descriptors_moved: 70,
                lane_bytes_sent: Some(640),
                lane_bytes_received: None,
            },
        };
        let killed = RankState::Killed {
            signal: 9,
            signal_name: "SIGKILL".into(),
            core: false,
        };
        Document {
            format: FORMAT,
            version: "0.1.0".into(),
            job: 99,
            host: "here".into(),
            directory: "/home".into(),
            command: ["mpiexec", "-n", "2", "./solve", "a b"]
                .map(String::from)
                .into(),
            started_unix_s: 1_700_000_000,
            elapsed_ms: 3_725_000,
            time_limit_ms: None,
            state: JobState::Ending,
            exit_code: Some(137),
            nodes: 2,
            programs: vec![Program {
                ranks: 2,
                command: vec!["./solve".into(), "a b".into()],
                directory: None,
            }],
            ranks: vec![rank(0, RankState::Running), rank(1, killed)],
        }
    }

    #[test]
    fn a_document_comes_back_from_its_text() {
        let document = document();
        let text = serde_json::to_string(&document).unwrap();
        assert!(text.contains(r#""state":"killed","signal":9,"signal_name":"SIGKILL""#));
        assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
        // Members of a later version are passed over.
        let later = text.replacen('{', r#"{"later":[1],"#, 1);
        assert_eq!(serde_json::from_str::<Document>(&later).unwrap(), document);
    }
}
