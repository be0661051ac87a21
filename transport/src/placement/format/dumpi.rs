//! Traces of DUMPI (SST), as its `dumpi2ascii` writes them: a text for each rank.
//!
//! ```text
//! MPI_Isend entering at walltime 8153.0493, cputime 0.0044 seconds in thread 0.
//! int count=100
//! MPI_Datatype datatype=2 (MPI_CHAR)
//! int dest=1
//! int tag=0
//! MPI_Comm comm=2 (MPI_COMM_WORLD)
//! MPI_Isend returning at walltime 8153.0493, cputime 0.0044 seconds in thread 0.
//! ```
//!
//! What: sends of predefined types on MPI_COMM_WORLD become the communication graph. The number at the end of a file's
//! name is its rank. Why not more: how a collective operation moves its data is the library's choice, which a trace
//! does not know, and communicators and types of the program are only numbers in it. What is left out is counted, so
//! that nobody takes a part for the whole.
//!
//! Step before: a program ran with DUMPI, and `dumpi2ascii` wrote its files. Step after: [`CommunicationGraph`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::communication::Entry;
use super::super::{CommunicationGraph, PlacementError, Traffic};
use super::read_text;

/// What a trace says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Who has sent how much to whom.
    pub graph: CommunicationGraph,
    /// Calls that communicate and are not in it, by name.
    pub left_out: BTreeMap<String, u64>,
}

/// Functions that send to one rank, and the names of their count and type.
const SENDS: [(&str, &str, &str); 10] = [
    ("MPI_Send", "count", "datatype"),
    ("MPI_Bsend", "count", "datatype"),
    ("MPI_Ssend", "count", "datatype"),
    ("MPI_Rsend", "count", "datatype"),
    ("MPI_Isend", "count", "datatype"),
    ("MPI_Ibsend", "count", "datatype"),
    ("MPI_Issend", "count", "datatype"),
    ("MPI_Irsend", "count", "datatype"),
    ("MPI_Sendrecv", "sendcount", "sendtype"),
    ("MPI_Sendrecv_replace", "count", "datatype"),
];

/// What else moves data between ranks: collective operations, persistent sends and one-sided calls.
const OTHERS: [&str; 22] = [
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Reduce_scatter",
    "MPI_Scan",
    "MPI_Exscan",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Win_fence",
];

/// Bytes of an element of a predefined type.
fn type_bytes(name: &str) -> Option<u64> {
    Some(match name {
        "MPI_CHAR" | "MPI_SIGNED_CHAR" | "MPI_UNSIGNED_CHAR" | "MPI_BYTE" | "MPI_PACKED"
        | "MPI_CHARACTER" => 1,
        "MPI_SHORT" | "MPI_UNSIGNED_SHORT" => 2,
        "MPI_INT" | "MPI_UNSIGNED" | "MPI_FLOAT" | "MPI_WCHAR" | "MPI_INTEGER" | "MPI_REAL"
        | "MPI_LOGICAL" => 4,
        "MPI_LONG"
        | "MPI_UNSIGNED_LONG"
        | "MPI_LONG_LONG"
        | "MPI_LONG_LONG_INT"
        | "MPI_UNSIGNED_LONG_LONG"
        | "MPI_DOUBLE"
        | "MPI_DOUBLE_PRECISION"
        | "MPI_COMPLEX"
        | "MPI_FLOAT_INT"
        | "MPI_2INT" => 8,
        "MPI_DOUBLE_INT" | "MPI_LONG_INT" => 12,
        "MPI_LONG_DOUBLE" | "MPI_DOUBLE_COMPLEX" => 16,
        _ => return None,
    })
}

/// The number at the end of a file's name.
fn rank_of(path: &Path) -> Option<usize> {
    path.file_stem()?.to_str()?.rsplit('-').next()?.parse().ok()
}

/// Reads the texts of all ranks.
///
/// # Errors
///
/// A file that cannot be read, a rank without a file or with two, a line that is not as `dumpi2ascii` writes it.
pub fn read(paths: &[PathBuf]) -> Result<Trace, PlacementError> {
    let mut texts = BTreeMap::new();
    for path in paths {
        let file = path.display().to_string();
        let rank = rank_of(path).filter(|rank| *rank < paths.len() && !texts.contains_key(rank));
        let rank = rank.ok_or_else(|| PlacementError::Mapping {
            reason: format!(
                "{file} is no text of another rank of {}: names end with numbers from 0, as in trace-0003.txt",
                paths.len()
            ),
        })?;
        texts.insert(rank, (file, read_text(path)?));
    }
    let texts: Vec<(String, String)> = texts.into_values().collect();
    from_texts(&texts)
}

/// Reads the texts of all ranks, in their order, each with the file's name for errors.
fn from_texts(texts: &[(String, String)]) -> Result<Trace, PlacementError> {
    let (mut entries, mut left_out) = (Vec::new(), BTreeMap::new());
    for (rank, (file, text)) in texts.iter().enumerate() {
        let mut calls = Calls { file, text };
        calls.each(&mut |call| {
            let known = SENDS.iter().any(|(send, ..)| *send == call.function);
            match call.sent(texts.len())? {
                Some((target, bytes)) => entries.push(Entry {
                    origin: rank as u32,
                    target,
                    traffic: Traffic { messages: 1, bytes },
                }),
                None if known && call.is_to_nobody() => {}
                None if known || OTHERS.contains(&call.function) => {
                    *left_out.entry(call.function.to_string()).or_default() += 1;
                }
                None => {}
            }
            Ok(())
        })?;
    }
    Ok(Trace {
        graph: CommunicationGraph::new(texts.len(), entries)?,
        left_out,
    })
}

/// The calls of a rank.
struct Calls<'t> {
    file: &'t str,
    text: &'t str,
}

/// A call: what is between its two lines of times.
struct Call<'t> {
    file: &'t str,
    line: usize,
    function: &'t str,
    /// Names and values of its arguments.
    arguments: Vec<(&'t str, &'t str)>,
}

impl<'t> Calls<'t> {
    fn each(
        &mut self,
        take: &mut impl FnMut(Call<'t>) -> Result<(), PlacementError>,
    ) -> Result<(), PlacementError> {
        let mut open: Option<Call<'t>> = None;
        let mut any = false;
        for (at, line) in self.text.lines().enumerate() {
            if let Some((function, _)) = line.split_once(" entering at walltime ") {
                any = true;
                open = Some(Call {
                    file: self.file,
                    line: at + 1,
                    function,
                    arguments: Vec::new(),
                });
            } else if line.contains(" returning at walltime ") {
                open.take().map_or(Ok(()), &mut *take)?;
            } else if let (Some(call), Some((name, value))) = (&mut open, line.split_once('=')) {
                let name = name.rsplit(' ').next().unwrap_or(name);
                call.arguments.push((name, value));
            }
        }
        any.then_some(()).ok_or_else(|| PlacementError::Line {
            file: self.file.to_string(),
            line: 1,
            reason: "no call is `entering at walltime`: this is no text of dumpi2ascii".to_string(),
        })
    }
}

impl Call<'_> {
    fn argument(&self, name: &str) -> Result<&str, PlacementError> {
        let found = self.arguments.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| self.wrong(&format!("{} has no {name}", self.function)))
    }

    fn wrong(&self, reason: &str) -> PlacementError {
        PlacementError::Line {
            file: self.file.to_string(),
            line: self.line,
            reason: reason.to_string(),
        }
    }

    /// The number before a value's words in brackets.
    fn number(&self, name: &str) -> Result<i64, PlacementError> {
        let value = self.argument(name)?;
        let number = value.split(' ').next().and_then(|word| word.parse().ok());
        number.ok_or_else(|| self.wrong(&format!("{name} is {value:?}, and no number")))
    }

    /// What a value is called, in brackets behind its number.
    fn called(&self, name: &str) -> Result<&str, PlacementError> {
        let value = self.argument(name)?;
        let words = value.split_once('(').map(|(_, words)| words);
        Ok(words.map_or("", |words| words.trim_end_matches(')')))
    }

    /// Whether nothing is sent: the partner is MPI_PROC_NULL.
    fn is_to_nobody(&self) -> bool {
        self.argument("dest")
            .is_ok_and(|dest| dest.contains("MPI_PROC_NULL"))
    }

    /// To whom it sends how many bytes, if that is known.
    fn sent(&self, ranks: usize) -> Result<Option<(u32, u64)>, PlacementError> {
        let Some((_, count, datatype)) = SENDS.iter().find(|(send, ..)| *send == self.function)
        else {
            return Ok(None);
        };
        let in_world = self.called("comm")? == "MPI_COMM_WORLD";
        let element = type_bytes(self.called(datatype)?);
        let (Some(element), true, false) = (element, in_world, self.is_to_nobody()) else {
            return Ok(None);
        };
        let (count, dest) = (self.number(count)?, self.number("dest")?);
        let target = u32::try_from(dest)
            .ok()
            .filter(|dest| (*dest as usize) < ranks);
        let target = target.ok_or_else(|| {
            self.wrong(&format!(
                "rank {dest} is not among the {ranks} ranks that have a text"
            ))
        })?;
        let bytes = u64::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(element));
        let bytes = bytes.ok_or_else(|| self.wrong("its count is no number of elements"))?;
        Ok(Some((target, bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &str, arguments: &[&str]) -> String {
        let line = |word| {
            format!(
                "{function} {word} at walltime 8153.0493, cputime 0.0044 seconds in thread 0.\n"
            )
        };
        let arguments: String = arguments.iter().map(|one| format!("{one}\n")).collect();
        format!("{}{arguments}{}", line("entering"), line("returning"))
    }

    fn send(function: &str, count: u32, datatype: &str, dest: &str, comm: &str) -> String {
        let arguments = [
            format!("int count={count}"),
            format!("MPI_Datatype datatype=2 ({datatype})"),
            format!("int dest={dest}"),
            "int tag=0".to_string(),
            format!("MPI_Comm comm=2 ({comm})"),
        ];
        call(function, &arguments.each_ref().map(String::as_str))
    }

    fn texts(texts: &[String]) -> Vec<(String, String)> {
        let names = (0..).map(|rank| format!("trace-{rank:04}.txt"));
        names.zip(texts.iter().cloned()).collect()
    }

    #[test]
    fn sends_of_a_trace_become_a_graph_and_the_rest_is_counted() {
        let world = "MPI_COMM_WORLD";
        let zero = [
            call("MPI_Init", &["int argc=0", "string argv[0]=<IGNORED>"]),
            send("MPI_Send", 10, "MPI_DOUBLE", "1", world),
            send("MPI_Isend", 3, "MPI_CHAR", "1", world),
            send("MPI_Send", 5, "user-defined-datatype", "1", world),
            send("MPI_Send", 5, "MPI_INT", "1", "user-defined-comm"),
            send("MPI_Send", 5, "MPI_INT", "-1 (MPI_PROC_NULL)", world),
            call("MPI_Allreduce", &["int count=1"]),
        ];
        let one = call(
            "MPI_Sendrecv",
            &[
                "int sendcount=4",
                "MPI_Datatype sendtype=9 (MPI_INT)",
                "int dest=0",
                "int sendtag=0",
                "int recvcount=7",
                "MPI_Datatype recvtype=2 (MPI_CHAR)",
                "MPI_Comm comm=2 (MPI_COMM_WORLD)",
            ],
        );
        let trace = from_texts(&texts(&[zero.concat(), one])).unwrap();
        let traffic = |from, to| {
            let traffic = trace.graph.traffic(from, to);
            (traffic.messages, traffic.bytes)
        };
        assert_eq!((traffic(0, 1), traffic(1, 0)), ((2, 83), (1, 16)));
        let left_out: Vec<_> = trace.left_out.into_iter().collect();
        let expected = [
            ("MPI_Allreduce".to_string(), 1),
            ("MPI_Send".to_string(), 2),
        ];
        assert_eq!(left_out, expected);
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let far = send("MPI_Send", 1, "MPI_INT", "7", "MPI_COMM_WORLD");
        let short = call("MPI_Send", &["int count=1"]);
        for (text, expected) in [
            (
                "ranks 2\n".to_string(),
                "trace-0000.txt, line 1: no call is",
            ),
            (far, "line 1: rank 7 is not among the 1 ranks"),
            (short, "MPI_Send has no comm"),
        ] {
            let error = from_texts(&texts(&[text])).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let named = |name: &str| read(&[PathBuf::from(name)]).unwrap_err().to_string();
        assert!(named("trace.txt").contains("is no text of another rank of 1"));
        assert!(named("trace-0001.txt").contains("is no text of another rank of 1"));
        assert!(named("/nonexistent/trace-0000.txt").starts_with("/nonexistent/trace-0000.txt"));
    }
}
