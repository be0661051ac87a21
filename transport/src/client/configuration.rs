//! What each client has, in a table by its name.
//!
//! Before: a client is opened by its name. After: its tasks, contexts, engine, injection FIFOs and path are known, the same in
//! all tasks ("Parallel active messages": a client's resources are looked up by its name).
//!
//! Two environment variables hold the table, and must be the same in all tasks. `PAMIR_CLIENTS` is a list such as
//! `solver=tasks:0-3+8,engine:node;io=contexts:1,path:packets`, where `*` stands for clients that are not named:
//!
//! | word | what |
//! |---|---|
//! | `tasks:0-3+8` | the client is of these tasks alone, whose numbers in it are their places in the list |
//! | `contexts:N` | contexts in each task |
//! | `engine:node`, `engine:none` | whether two threads of its first task move its puts and gets ([`crate::one_sided::node_engine`]) |
//! | `slots:N` | slots of its injection FIFOs |
//! | `criterion:WORD` | what replenishes them ([`pamir_driver::injection`]) |
//! | `path:memory`, `path:packets` | whether the kernel may copy between its tasks |
//!
//! `PAMIR_CONTEXTS` is the short form for contexts alone: `solver=2,io=1`. MPI has one context in each task, and its
//! engine is the process's (`PAMIR_ENGINE`); its table entry has the other words.

use pamir_driver::injection;
use pamir_driver::injection::InjectionError;
use pamir_driver::job::client::table::{MAXIMUM_CONTEXTS, maximum_contexts};

use crate::client::error::ClientError;
use crate::one_sided::node_engine;

/// The name of the client that MPI is.
pub const MPI: &str = "MPI";

/// Contexts of a client in each task, unless configured otherwise, or there is room for fewer. Those that a program does not
/// make cost a part of a file that nobody touches.
pub const DEFAULT_CONTEXTS: usize = MAXIMUM_CONTEXTS;

/// The most slots of an injection FIFO, as for `PAMIR_INJECTION_SLOTS`.
const MOST_SLOTS: usize = 1 << 20;

/// What a client has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Configuration {
    /// The job's tasks that it is of, in the order of their numbers in it; none if it is of all.
    pub(super) tasks: Option<Vec<usize>>,
    contexts: Option<usize>,
    engine: Option<bool>,
    slots: Option<usize>,
    criterion: Option<String>,
    packets: Option<bool>,
}

impl Configuration {
    /// That of client `name`, by the environment.
    ///
    /// # Errors
    ///
    /// [`ClientError::Configuration`], [`ClientError::Table`].
    pub(super) fn of(name: &str) -> Result<Self, ClientError> {
        let list = pamir_settings::CONTEXTS.text();
        let mut own = Self::in_table(&pamir_settings::CLIENTS.text(), name)?;
        let contexts =
            contexts_in(&list, name).ok_or(ClientError::Configuration { value: list })?;
        own.contexts = own.contexts.or(contexts);
        Ok(own)
    }

    /// What `table` says of `name`, and where it says nothing, of `*`.
    fn in_table(table: &str, name: &str) -> Result<Self, ClientError> {
        let refused = |reason: String| ClientError::Table {
            value: table.to_owned(),
            reason,
        };
        let (mut named, mut others) = (Self::default(), Self::default());
        for entry in table.split(';').filter(|entry| !entry.trim().is_empty()) {
            let Some((client, words)) = entry.split_once('=') else {
                return Err(refused(format!("{entry:?} names no client")));
            };
            let client = client.trim();
            let of_entry = Self::parse(words, client == MPI).map_err(refused)?;
            match client {
                "*" => others = of_entry,
                client if client == name => named = of_entry,
                _ => {}
            }
        }
        // MPI is no client that is not named.
        Ok(if name == MPI { named } else { named.or(others) })
    }

    fn parse(words: &str, is_mpi: bool) -> Result<Self, String> {
        let mut own = Self::default();
        for word in words.split(',').filter(|word| !word.trim().is_empty()) {
            let (what, value) = word.trim().split_once(':').unwrap_or((word.trim(), ""));
            let number = || value.parse().map_err(|_| format!("{word:?} has no number"));
            match (what, value) {
                ("tasks" | "contexts" | "engine", _) if is_mpi => {
                    return Err(format!("MPI has no {what:?} of its own"));
                }
                ("tasks", list) => own.tasks = Some(tasks_in(list)?),
                ("contexts", _) => own.contexts = Some(number()?),
                ("engine", "node") => own.engine = Some(true),
                ("engine", "none") => own.engine = Some(false),
                ("slots", _) => match number()? {
                    slots @ 2..=MOST_SLOTS => own.slots = Some(slots),
                    _ => return Err(format!("{word:?} is not 2 to {MOST_SLOTS} slots")),
                },
                ("criterion", criterion) => own.criterion = Some(criterion.to_owned()),
                ("path", "memory") => own.packets = Some(false),
                ("path", "packets") => own.packets = Some(true),
                _ => return Err(format!("{word:?} is no word of it")),
            }
        }
        own.injection().map_err(|error| error.to_string())?;
        Ok(own)
    }

    fn or(self, others: Self) -> Self {
        Self {
            tasks: self.tasks.or(others.tasks),
            contexts: self.contexts.or(others.contexts),
            engine: self.engine.or(others.engine),
            slots: self.slots.or(others.slots),
            criterion: self.criterion.or(others.criterion),
            packets: self.packets.or(others.packets),
        }
    }

    /// Whether an engine of the node moves its puts and gets.
    pub(super) fn has_engine(&self) -> bool {
        self.engine.unwrap_or_else(node_engine::is_configured)
    }

    /// Contexts in each task of a job with `ranks` tasks.
    pub(super) fn contexts(&self, ranks: usize) -> usize {
        let extra = if self.has_engine() {
            node_engine::CONTEXTS
        } else {
            0
        };
        let room = maximum_contexts(ranks).saturating_sub(extra);
        self.contexts.unwrap_or(DEFAULT_CONTEXTS.min(room.max(1)))
    }

    /// Whether packets go where the kernel would copy.
    pub(super) fn is_of_packets(&self) -> bool {
        self.packets.unwrap_or(false)
    }

    /// How its injection FIFOs are set up; the table's words come before the process's variables.
    ///
    /// # Errors
    ///
    /// Slots or a criterion that cannot be.
    pub(super) fn injection(&self) -> Result<injection::Configuration, InjectionError> {
        let (slots, criterion) = (self.slots.map(|slots| slots.to_string()), &self.criterion);
        injection::Configuration::of(|name| {
            let own = if name == pamir_settings::INJECTION_SLOTS.name() {
                slots.as_ref()
            } else if name == pamir_settings::REPLENISH.name() {
                criterion.as_ref()
            } else {
                None
            };
            own.map(Into::into).or_else(|| std::env::var_os(name))
        })
    }
}

/// The tasks of a list such as `0-3+8`, each once.
fn tasks_in(list: &str) -> Result<Vec<usize>, String> {
    let mut tasks = Vec::new();
    for part in list.split('+') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let ends = (first.parse::<u16>(), last.parse::<u16>());
        let (Ok(first), Ok(last)) = ends else {
            return Err(format!("tasks {list:?} are no list such as 0-3+8"));
        };
        tasks.extend((first..=last).map(usize::from));
    }
    let mut sorted = tasks.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.is_empty() || sorted.len() < tasks.len() {
        return Err(format!(
            "tasks {list:?} are none, or one of them comes twice"
        ));
    }
    Ok(tasks)
}

/// Refuses a list of contexts that makes no sense.
///
/// # Errors
///
/// [`ClientError::Configuration`].
pub fn check_contexts(list: &str) -> Result<(), ClientError> {
    let refused = || ClientError::Configuration { value: list.into() };
    contexts_in(list, "").map(drop).ok_or_else(refused)
}

/// Refuses a table of clients that makes no sense, or names tasks that a job of `ranks` tasks has not.
///
/// # Errors
///
/// [`ClientError::Table`].
pub fn check_clients(table: &str, ranks: usize) -> Result<(), ClientError> {
    let entries = table.split(';').filter_map(|entry| entry.split_once('='));
    let names: Vec<&str> = entries.map(|(name, _)| name.trim()).collect();
    for name in names.iter().chain(&[""]) {
        let tasks = Configuration::in_table(table, name)?.tasks;
        if let Some(task) = tasks
            .unwrap_or_default()
            .into_iter()
            .find(|task| *task >= ranks)
        {
            return Err(ClientError::Table {
                value: table.to_owned(),
                reason: format!("there is no task {task} in a job of {ranks}"),
            });
        }
    }
    Ok(())
}

/// What `list` says of `name`: `None` if it makes no sense, `Some(None)` if nothing.
fn contexts_in(list: &str, name: &str) -> Option<Option<usize>> {
    let (mut named, mut others) = (None, None);
    for item in list.split(',').filter(|item| !item.trim().is_empty()) {
        let (client, contexts) = item.split_once('=')?;
        let contexts = Some(contexts.trim().parse().ok()?);
        match client.trim() {
            "*" => others = contexts,
            client if client == name => named = contexts,
            _ => {}
        }
    }
    Some(named.or(others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_looked_up_by_name() {
        let list = "solver=2, io=1,*=8";
        assert_eq!(contexts_in(list, "solver"), Some(Some(2)));
        assert_eq!(contexts_in(list, "io"), Some(Some(1)));
        assert_eq!(contexts_in(list, "other"), Some(Some(8)));
        assert_eq!(contexts_in("", "other"), Some(None));
        assert_eq!(contexts_in("solver=two", "other"), None);
        assert_eq!(contexts_in("3", "other"), None);
    }

    #[test]
    fn a_client_has_what_stands_beside_its_name_and_else_what_all_have() {
        let table = "solver=tasks:2-3+0, contexts:2,engine:node; io=slots:16,criterion:timer:50;*=contexts:5,path:packets";
        let solver = Configuration::in_table(table, "solver").unwrap();
        assert_eq!(solver.tasks, Some(vec![2, 3, 0]));
        assert_eq!(solver.contexts(4), 2);
        assert!(solver.has_engine() && solver.is_of_packets());
        let io = Configuration::in_table(table, "io").unwrap();
        assert_eq!((io.tasks.as_ref(), io.contexts(4)), (None, 5));
        let injection = io.injection().unwrap();
        assert_eq!(injection.slots(), 16);
        assert_eq!(injection.criterion(), "timer:50".parse().unwrap());
        let mpi = Configuration::in_table(table, MPI).unwrap();
        assert_eq!(mpi, Configuration::default());
    }

    #[test]
    fn a_table_that_makes_no_sense_is_refused_with_the_reason() {
        for (table, reason) in [
            ("solver", "names no client"),
            ("solver=speed:9", "no word of it"),
            ("solver=contexts:two", "has no number"),
            ("solver=tasks:3-1", "none, or one of them comes twice"),
            ("solver=tasks:1+1", "none, or one of them comes twice"),
            ("solver=tasks:a", "are no list"),
            ("solver=tasks:0-9", "no task 4 in a job of 4"),
            ("solver=engine:all", "no word of it"),
            ("MPI=contexts:2", "MPI has no \"contexts\""),
            ("io=criterion:never", "never"),
            ("io=slots:1", "slots"),
        ] {
            let refused = check_clients(table, 4).unwrap_err().to_string();
            assert!(refused.contains(reason), "{table}: {refused}");
        }
        assert!(check_clients("", 1).is_ok());
        assert!(check_clients("MPI=slots:8;a=tasks:3", 4).is_ok());
    }
}
