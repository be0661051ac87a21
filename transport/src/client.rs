//! Clients: exclusive collections of resources, one for each entity that communicates.
//!
//! Before: MPI, or a program that uses active messages directly, opens a client by its name.
//! After: it makes contexts, which have lanes of their own ("Parallel active messages": the
//! client tells equal task and context numbers of several entities apart).
//!
//! | client        | lanes | contexts in each task |
//! |---------------|-------|-----------------------|
//! | [`MPI`]       | the job's own | 1 |
//! | any other     | a part of the job's segment, by name | from the configuration |
//!
//! With `PAMIR_ENGINE=node`, two threads of task 0 move a client's puts and gets
//! ([`crate::one_sided::node_engine`]), with two contexts more.
//!
//! The configuration is the environment variable `PAMIR_CONTEXTS`: a list such as
//! `solver=2,io=1`, by client name, where `*` stands for those that are not named. It must be
//! the same in all tasks. A context's polling looks at a lane from every context of the client,
//! so more of them are not free.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pamir_driver::job::client_table::{MAXIMUM_CONTEXTS, maximum_contexts};
use pamir_driver::job::{Job, JobError};
use pamir_driver::unit::UnitError;
use pamir_settings::BadValue;

use crate::collective::shape::torus::{ShapeError, configured_shape};
use crate::context::Context;
use crate::context::endpoint::{Endpoint, Place};
use crate::one_sided::memory_region::MemoryRegions;
use crate::one_sided::node_engine;
use crate::one_sided::node_engine::{EngineError, NodeEngine};
use crate::selection::{self, SelectionError};
use crate::striping::configuration::{Configuration, StripingError};

/// The name of the client that MPI is.
pub const MPI: &str = "MPI";

/// Contexts of a client in each task, unless configured otherwise, or there is room for fewer. Those that a program does not
/// make cost a part of a file that nobody touches.
pub const DEFAULT_CONTEXTS: usize = MAXIMUM_CONTEXTS;

/// Why a client or one of its contexts could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The name is in use in this process.
    #[error("this process has opened client {name:?} already; each client needs a name of its own")]
    Open {
        /// The name.
        name: String,
    },
    /// All contexts have been made.
    #[error(
        "client {name:?} has {contexts} contexts in each task and all are made: set PAMIR_CONTEXTS={name}=N for more"
    )]
    Contexts {
        /// The client's name.
        name: String,
        /// How many it has.
        contexts: usize,
    },
    /// There is no such task or context.
    #[error(
        "client {name:?} has no endpoint in task {task} with context {context}: there are {tasks} tasks with {contexts} contexts each"
    )]
    Endpoint {
        /// The client's name.
        name: String,
        /// The task asked for.
        task: usize,
        /// The context asked for.
        context: usize,
        /// Tasks that there are.
        tasks: usize,
        /// Contexts in each.
        contexts: usize,
    },
    /// The configuration makes no sense.
    #[error("PAMIR_CONTEXTS is {value:?}: it should be a list such as solver=2,io=1")]
    Configuration {
        /// What it is.
        value: String,
    },
    /// A variable holds what it may not.
    #[error(transparent)]
    Setting(#[from] BadValue),
    /// The job could not be joined, or has no room for the client.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The tables of algorithms make no sense.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The shape of the torus is none.
    #[error(transparent)]
    Torus(#[from] ShapeError),
    /// The threads that move stripes cannot be as they are configured.
    #[error(transparent)]
    Striping(#[from] StripingError),
    /// The engine of the node cannot be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A context's messaging unit could not be set up.
    #[error(transparent)]
    Unit(#[from] UnitError),
}

impl ClientError {
    /// Whether the environment is what has to be corrected.
    pub fn is_setting(&self) -> bool {
        matches!(
            self,
            Self::Setting(_)
                | Self::Job(JobError::Disagreement { .. })
                | Self::Configuration { .. }
                | Self::Selection(_)
                | Self::Torus(_)
                | Self::Striping(_)
        )
    }
}

/// Tells of names that are misspelt, where no launcher has.
fn tell_unknown_variables() {
    let names: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).collect();
    for unknown in pamir_settings::unknown(names.iter().map(OsString::as_os_str)) {
        eprintln!("pamir: {unknown}");
    }
}

/// What all clients of a process share: it joins its job once.
struct Attachment {
    job: Job,
    task: usize,
    /// Names that have been opened: how often, and whether they are open.
    names: BTreeMap<String, (u32, bool)>,
}

impl Attachment {
    /// Takes a name that is not open; what the job knows the client by. Tasks open and close the clients of one name equally
    /// often, so the n-th of one is the n-th of all, with lanes that nobody has used.
    fn take(&mut self, name: &str) -> Result<String, ClientError> {
        let (times, is_open) = self.names.entry(name.to_owned()).or_default();
        // MPI's lanes are the job's own, of which there is one set.
        if *is_open || (name == MPI && *times > 0) {
            return Err(ClientError::Open {
                name: name.to_owned(),
            });
        }
        (*times, *is_open) = (*times + 1, true);
        Ok(match *times {
            1 => name.to_owned(),
            times => format!("{name}, time {times}"),
        })
    }
}

static ATTACHMENT: Mutex<Option<Attachment>> = Mutex::new(None);

/// A client.
#[derive(Debug)]
pub struct Client {
    name: String,
    job: Job,
    task: usize,
    tasks: usize,
    place: Place,
    made: AtomicUsize,
    regions: Arc<MemoryRegions>,
    engine: Mutex<Option<NodeEngine>>,
}

impl Client {
    /// Opens client `name` in the job that this process was started in, or in one of its own.
    pub fn open(name: &str) -> Result<Self, ClientError> {
        let mut attachment = ATTACHMENT.lock().unwrap_or_else(PoisonError::into_inner);
        if attachment.is_none() {
            pamir_settings::check_environment()?;
            if pamir_settings::RANK.raw().is_none() {
                tell_unknown_variables();
            }
            selection::configuration::install()?;
            configured_shape()?;
            let (job, task) = Job::visit_environment()?;
            *attachment = Some(Attachment {
                job,
                task,
                names: BTreeMap::new(),
            });
        }
        let attached = attachment.as_mut().expect("it was just filled");
        let in_job = attached.take(name)?;
        if name == MPI {
            attached.job.take_lanes(attached.task)?;
            attached.job.agree(&pamir_settings::fingerprints())?;
        }
        let contexts = configured_contexts(name, attached.job.ranks())?;
        let (job, task) = (&attached.job, attached.task);
        let opened = if node_engine::is_configured() && name != MPI {
            Self::open_with_engine(job, task, &in_job, contexts)
        } else {
            Self::open_in(job, task, &in_job, contexts)
        };
        let mut client = opened?;
        client.name = name.to_owned();
        Ok(client)
    }

    /// As [`Self::open_in`], and an engine of the node moves the client's puts and gets; the same in
    /// all tasks.
    pub fn open_with_engine(
        job: &Job,
        task: usize,
        name: &str,
        contexts: usize,
    ) -> Result<Self, ClientError> {
        let mut client = Self::open_in(job, task, name, contexts + node_engine::CONTEXTS)?;
        client.place.engine = true;
        let engine = NodeEngine::start(&client.job, task, client.place)?;
        *client.engine() = engine;
        Ok(client)
    }

    fn engine(&self) -> MutexGuard<'_, Option<NodeEngine>> {
        // An engine is put in or taken out, so a panic leaves it whole.
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client is not used any more: ends the engine of the node, if this process has it. Its name may be opened again.
    pub fn close(&self) {
        let engine = self.engine().take();
        drop(engine);
        let mut attachment = ATTACHMENT.lock().unwrap_or_else(PoisonError::into_inner);
        let names = attachment.as_mut().map(|attached| &mut attached.names);
        if let Some((_, is_open)) = names.and_then(|names| names.get_mut(&self.name)) {
            *is_open = false;
        }
    }

    /// Opens client `name` with `contexts` contexts in each task, for task `task` of `job`.
    /// [`MPI`] has one, whatever is asked for.
    pub fn open_in(
        job: &Job,
        task: usize,
        name: &str,
        contexts: usize,
    ) -> Result<Self, ClientError> {
        let (plane, client, contexts) = if name == MPI {
            (job.clone(), 0, 1)
        } else {
            let (plane, client) = job.open_client(task, name, contexts)?;
            (plane, client, contexts)
        };
        Ok(Self {
            name: name.to_owned(),
            job: plane,
            task,
            tasks: job.ranks(),
            place: Place {
                client: client as u16,
                contexts,
                engine: false,
            },
            engine: Mutex::default(),
            made: AtomicUsize::new(0),
            regions: Arc::default(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// This task.
    pub fn task(&self) -> usize {
        self.task
    }

    /// How many tasks there are.
    pub fn tasks(&self) -> usize {
        self.tasks
    }

    /// The tasks on this task's node, itself among them.
    pub fn local_tasks(&self) -> Vec<usize> {
        let first = |task: usize| task * self.place.contexts;
        let is_local = |&task: &usize| self.job.shares_memory(first(self.task), first(task));
        (0..self.tasks).filter(is_local).collect()
    }

    /// How many contexts it may have in each task.
    pub fn contexts(&self) -> usize {
        let of_engine = if self.place.engine {
            node_engine::CONTEXTS
        } else {
            0
        };
        self.place.contexts - of_engine
    }

    /// How many contexts there are in all tasks, those of an engine among them.
    pub fn units(&self) -> usize {
        self.tasks * self.place.contexts
    }

    /// The endpoint of the context with a number below [`Self::units`].
    pub fn endpoint_of(&self, unit: usize) -> Endpoint {
        self.place.endpoint(unit)
    }

    /// Asks for `more` contexts, which are not made yet.
    ///
    /// # Errors
    ///
    /// [`ClientError::Contexts`] if there are not so many left.
    pub fn expect_contexts(&self, more: usize) -> Result<(), ClientError> {
        let contexts = self.contexts();
        // Relaxed: as in `create_context`.
        if more <= contexts - self.made.load(Ordering::Relaxed).min(contexts) {
            return Ok(());
        }
        let name = self.name.clone();
        Err(ClientError::Contexts { name, contexts })
    }

    /// Makes the next context: its offset is the number of those made before.
    pub fn create_context(&self) -> Result<Context, ClientError> {
        // Relaxed: it only hands out each number once.
        let offset = self.made.fetch_add(1, Ordering::Relaxed);
        if offset >= self.contexts() {
            self.made.store(self.contexts(), Ordering::Relaxed);
            return Err(ClientError::Contexts {
                name: self.name.clone(),
                contexts: self.contexts(),
            });
        }
        let context = self.context(offset)?;
        if self.place == Place::ALONE {
            context.set_striping(Configuration::from_environment(self.tasks)?);
        }
        Ok(context)
    }

    /// Makes the context with a given offset, which nobody else makes.
    pub(crate) fn context(&self, offset: usize) -> Result<Context, UnitError> {
        let unit = self.task * self.place.contexts + offset;
        let regions = Arc::clone(&self.regions);
        Context::of_client(self.job.clone(), unit, self.place, regions)
    }

    /// The number of an endpoint's context among those of all tasks, by which tagged messages find
    /// it; `None` for an endpoint that is not of this client.
    pub fn unit(&self, endpoint: Endpoint) -> Option<usize> {
        self.place.unit(endpoint, self.units())
    }

    /// The endpoint of context `context` in task `task`. Nothing is sent: the context need not
    /// have been made yet, and finds what was sent to it.
    pub fn endpoint(&self, task: usize, context: usize) -> Result<Endpoint, ClientError> {
        if task >= self.tasks || context >= self.contexts() {
            return Err(ClientError::Endpoint {
                name: self.name.clone(),
                task,
                context,
                tasks: self.tasks,
                contexts: self.contexts(),
            });
        }
        Ok(Endpoint::new(self.place.client, task, context))
    }
}

/// How many contexts client `name` gets in each task of a job with `tasks` tasks.
fn configured_contexts(name: &str, tasks: usize) -> Result<usize, ClientError> {
    let list = pamir_settings::CONTEXTS.text();
    let room = maximum_contexts(tasks).saturating_sub(node_engine::extra_contexts());
    let otherwise = DEFAULT_CONTEXTS.min(room.max(1));
    contexts_in(&list, name)
        .map(|configured| configured.unwrap_or(otherwise))
        .ok_or(ClientError::Configuration { value: list })
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
    use pamir_driver::job::JobSpecification;

    #[test]
    fn the_configuration_is_looked_up_by_name() {
        let list = "solver=2, io=1,*=8";
        assert_eq!(contexts_in(list, "solver"), Some(Some(2)));
        assert_eq!(contexts_in(list, "io"), Some(Some(1)));
        assert_eq!(contexts_in(list, "other"), Some(Some(8)));
        assert_eq!(contexts_in("", "other"), Some(None));
        assert_eq!(contexts_in("solver=two", "other"), None);
        assert_eq!(contexts_in("3", "other"), None);
    }

    #[test]
    fn contexts_and_endpoints_end_somewhere() {
        let job = Job::create(&JobSpecification::unbound(2)).unwrap();
        let client = Client::open_in(&job, 1, "solver", 2).unwrap();
        let contexts = [
            client.create_context().unwrap(),
            client.create_context().unwrap(),
        ];
        assert_eq!(contexts[1].endpoint(), client.endpoint(1, 1).unwrap());
        assert!(matches!(
            client.create_context(),
            Err(ClientError::Contexts { contexts: 2, .. })
        ));
        for (task, context) in [(2, 0), (0, 2)] {
            assert!(matches!(
                client.endpoint(task, context),
                Err(ClientError::Endpoint { .. })
            ));
        }
        let other = Client::open_in(&job, 1, "io", 2).unwrap();
        assert_ne!(
            client.endpoint(0, 0).unwrap(),
            other.endpoint(0, 0).unwrap()
        );
    }

    #[test]
    fn a_process_opens_a_name_again_when_it_is_closed() {
        let first = Client::open("once").unwrap();
        assert_eq!((first.task(), first.tasks(), first.name()), (0, 1, "once"));
        assert!(matches!(
            Client::open("once"),
            Err(ClientError::Open { .. })
        ));
        assert!(Client::open("twice").is_ok());
        first.close();
        let second = Client::open("once").unwrap();
        assert_eq!(second.name(), "once");
        let endpoints = [first, second].map(|client| client.endpoint(0, 0).unwrap());
        assert_ne!(endpoints[0], endpoints[1]);
    }
}
