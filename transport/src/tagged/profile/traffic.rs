//! Counts what this task sends to each other one, by portion of the run.
//!
//! What: messages and bytes of every instruction that a program gives, for each pair of tasks:
//!
//! | instruction | counts as |
//! |---|---|
//! | tagged message, those of collective operations included | its data |
//! | look at a member's post, or copy from its memory, in a collective operation | what is needed of it, as a message from that member |
//! | active message | header and data |
//! | put, scattered or not | its data |
//! | get, scattered or not | its data, as a message from the task that it is read from |
//! | read-modify-write | the integer, as one message to its task |
//!
//! What the library adds (headers of its own, requests, answers, fences, offers of memory) does not count. Counting is
//! off unless a profile is asked for (`Context::count_traffic_if_asked`); then short messages and short collective
//! operations take the general way too. When it is off, it costs a look at a null pointer, and nothing at all on
//! the way of MPI's short messages and short collective operations.
//! Why portions: a program that sets up for long and then iterates has two patterns, of which one
//! matters. `MPI_Pcontrol` names them by numbers; a range of iterations is counted apart in any
//! program ([`super::iteration_range`]), whatever portion they lie in.
//!
//! ```text
//!  Context::send, send_active, put, get, ... ─▶ count ─▶ at MPI_Finalize, or when PAMI's context
//!                                                      is destroyed: text for the profile's file
//! ```
//!
//! Step before: [`crate::tagged::send`], [`crate::active`], [`crate::one_sided`], `crate::collective::board`. Step after: [`crate::placement::format::communication`].
//! Invariant: an instruction is counted once, by the task that gives it, when it is taken.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt::Write as _;
use std::path::PathBuf;

use super::iteration_range::IterationRange;
use crate::balance::announcement::Synchronization;
use crate::placement::Traffic;

/// What has been sent, by portion and target.
#[derive(Debug)]
pub struct TrafficCounter {
    units: usize,
    /// Messaging units of each task, which follow each other.
    units_per_task: usize,
    /// The job's numbers of the tasks, where they have others in their client.
    tasks: OnceCell<Vec<usize>>,
    /// Whether messages count at the moment.
    on: Cell<bool>,
    /// The portion that messages count for.
    current: Cell<usize>,
    portions: RefCell<Vec<Portion>>,
    iterations: OnceCell<Iterations>,
}

/// Iterations that count apart.
#[derive(Debug)]
struct Iterations {
    range: IterationRange,
    /// The one that is under way.
    current: Cell<u64>,
    /// The portion of those in the range.
    portion: usize,
}

impl Iterations {
    fn is_inside(&self) -> bool {
        self.range.contains(self.current.get())
    }
}

#[derive(Debug)]
pub(in crate::tagged) struct Portion {
    name: String,
    /// To each messaging unit.
    pub(in crate::tagged) sent: Vec<Traffic>,
    /// From each messaging unit, by gets and in collective operations.
    pub(in crate::tagged) fetched: Vec<Traffic>,
}

/// Why what was counted is not in the profile.
#[derive(Debug, thiserror::Error)]
#[error("the communication profile {path} cannot be written: {source}")]
pub struct ProfileError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: std::io::Error,
}

/// The portion that begins with the run.
const FIRST_LEVEL: i32 = 1;

impl TrafficCounter {
    pub(in crate::tagged) fn new(units: usize, units_per_task: usize) -> TrafficCounter {
        let counter = TrafficCounter {
            units,
            units_per_task,
            tasks: OnceCell::new(),
            on: Cell::new(true),
            current: Cell::new(0),
            portions: RefCell::default(),
            iterations: OnceCell::new(),
        };
        counter.enter(FIRST_LEVEL);
        counter
    }

    /// Begins, or goes on with, a portion: 0 stops counting, 1 is the run as such, and every other
    /// number is a portion of its own.
    pub fn enter(&self, level: i32) {
        self.on.set(level != 0);
        if level == 0 {
            return;
        }
        let name = match level {
            FIRST_LEVEL => "run".to_string(),
            level => format!("level {level}"),
        };
        self.current.set(self.portion(name));
    }

    /// The portion of this name, which begins if there is none.
    fn portion(&self, name: String) -> usize {
        let mut portions = self.portions.borrow_mut();
        let known = portions.iter().position(|portion| portion.name == name);
        if known.is_none() {
            portions.push(Portion {
                name,
                sent: vec![Traffic::default(); self.units],
                fetched: vec![Traffic::default(); self.units],
            });
        }
        known.unwrap_or(portions.len() - 1)
    }

    /// Counts the iterations of a range apart from all else; the first call decides.
    pub fn count_iterations(&self, range: IterationRange) {
        self.iterations.get_or_init(|| Iterations {
            range,
            current: Cell::new(0),
            portion: self.portion(range.portion()),
        });
    }

    /// A call in which all ranks met is over.
    pub fn synchronized(&self, call: Synchronization) {
        if let Some(iterations) = self.iterations.get()
            && iterations.range.is_counted_by(call)
        {
            iterations.current.set(iterations.current.get() + 1);
        }
    }

    #[cold]
    pub(in crate::tagged) fn count(
        &self,
        side: fn(&mut Portion) -> &mut Vec<Traffic>,
        unit: usize,
        bytes: usize,
    ) {
        if self.on.get() {
            let mut portions = self.portions.borrow_mut();
            let inside = self.iterations.get().filter(|these| these.is_inside());
            let portion = inside.map_or(self.current.get(), |these| these.portion);
            let traffic = &mut side(&mut portions[portion])[unit];
            traffic.messages += 1;
            traffic.bytes += bytes as u64;
        }
    }

    /// Says which tasks of the job the tasks of the client are.
    pub(super) fn number_tasks(&self, tasks: &[usize]) {
        let _ = self.tasks.set(tasks.to_vec());
    }

    fn in_job(&self, task: usize) -> usize {
        let tasks = self.tasks.get();
        tasks.map_or(task, |tasks| tasks.get(task).copied().unwrap_or(task))
    }

    /// The lines of this task in a profile's file; empty if it has sent nothing. A pair may have
    /// several, which are added up when they are read.
    pub fn to_text(&self, own: usize) -> String {
        let (mut text, own) = (String::new(), self.in_job(own));
        for portion in self.portions.borrow().iter() {
            let task = |unit: usize| self.in_job(unit / self.units_per_task);
            let sent = portion.sent.iter().enumerate();
            let sent = sent.map(|(unit, traffic)| (own, task(unit), traffic));
            let fetched = portion.fetched.iter().enumerate();
            let fetched = fetched.map(|(unit, traffic)| (task(unit), own, traffic));
            let lines = sent.chain(fetched);
            let mut lines = lines
                .filter(|(_, _, traffic)| traffic.messages > 0)
                .peekable();
            if lines.peek().is_some() {
                let _ = writeln!(text, "portion {}", portion.name);
            }
            for (origin, target, Traffic { messages, bytes }) in lines {
                let _ = writeln!(text, "{origin} {target} {messages} {bytes}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::format::communication::Portions;

    #[test]
    fn the_tasks_of_a_client_are_written_with_their_numbers_in_the_job() {
        let counter = TrafficCounter::new(4, 2);
        counter.number_tasks(&[3, 1]);
        counter.count(|portion| &mut portion.sent, 2, 8);
        let text = counter.to_text(0);
        assert!(text.ends_with("\n3 1 1 8\n"), "{text}");
    }

    #[test]
    fn portions_are_counted_apart_and_read_again() {
        let counter = TrafficCounter::new(6, 2);
        // Tasks of two messaging units each.
        let sent = |unit, bytes| counter.count(|portion| &mut portion.sent, unit, bytes);
        sent(2, 8);
        counter.enter(5);
        sent(3, 100);
        sent(4, 50);
        counter.enter(0);
        sent(5, 999);
        counter.enter(1);
        sent(3, 4);
        counter.count(|portion| &mut portion.fetched, 5, 1000);
        let text = format!(
            "ranks 3\n{}{}",
            counter.to_text(0),
            TrafficCounter::new(6, 2).to_text(1)
        );
        let portions = Portions::from_text(&text, "f").unwrap();
        let traffic = |name, target| portions.graph(Some(name)).unwrap().traffic(0, target);
        assert_eq!(
            traffic("run", 1),
            Traffic {
                messages: 2,
                bytes: 12
            }
        );
        assert_eq!(
            traffic("level 5", 1),
            Traffic {
                messages: 1,
                bytes: 100
            }
        );
        assert_eq!(traffic("level 5", 2).bytes, 50);
        let fetched = portions.graph(Some("run")).unwrap().traffic(2, 0);
        assert_eq!((fetched.messages, fetched.bytes), (1, 1000));
        assert_eq!(portions.graph(None).unwrap().total().bytes, 1162);
    }

    #[test]
    fn iterations_of_a_range_count_apart() {
        let counter = TrafficCounter::new(2, 1);
        counter.count_iterations("allreduce:1-2".parse().unwrap());
        let iteration = |bytes, call| {
            counter.count(|portion| &mut portion.sent, 1, bytes);
            counter.synchronized(call);
        };
        iteration(1, Synchronization::Allreduce);
        iteration(10, Synchronization::Barrier);
        counter.enter(5);
        iteration(10, Synchronization::Allreduce);
        counter.enter(0);
        iteration(100, Synchronization::Allreduce);
        counter.enter(1);
        iteration(1000, Synchronization::Allreduce);
        let text = format!("ranks 2\n{}", counter.to_text(0));
        let portions = Portions::from_text(&text, "f").unwrap();
        let bytes = |name| portions.graph(Some(name)).unwrap().total().bytes;
        assert_eq!((bytes("run"), bytes("iterations 1-2")), (1001, 20));
        assert_eq!(portions.names(), ["iterations 1-2", "run"]);
    }
}
