//! Clients: exclusive collections of resources, one for each entity that communicates.
//!
//! Before: MPI, or a program that uses active messages directly, opens a client by its name.
//! After: it makes contexts, which have lanes of their own ("Parallel active messages": the
//! client tells equal task and context numbers of several entities apart).
//!
//! | client        | lanes | contexts in each task |
//! |---------------|-------|-----------------------|
//! | [`MPI`]       | the job's own | 1 |
//! | any other     | a part of the job's segment, by name | from `configuration.rs` |
//!
//! A client is of all tasks of the job, or of those that its configuration lists: a process may be in several domains
//! of communication, with other tasks in each. Its tasks have numbers of their own there. When all of them have closed it, its
//! part of the segment serves the next client.
//!
//! With an engine of the node, two threads of its first task move a client's puts and gets
//! ([`crate::one_sided::node_engine`]), with two contexts more. A context's polling looks at a lane from every context of the
//! client, so more of them are not free.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pamir_driver::injection;
use pamir_driver::job::{Job, JobError};
use pamir_driver::unit::UnitError;

use crate::collective::shape::torus::configured_shape;
use crate::context::Context;
use crate::context::endpoint::{Endpoint, Place};
use crate::one_sided::memory_region::MemoryRegions;
use crate::one_sided::node_engine;
use crate::one_sided::node_engine::NodeEngine;
use crate::selection;
use crate::striping::configuration::Configuration as Striping;

mod configuration;
mod error;

use configuration::Configuration;
pub use configuration::{DEFAULT_CONTEXTS, MPI, check_clients, check_contexts};
pub use error::ClientError;

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
    /// Of the rows in the file of tables that this process has found.
    file_fingerprint: u64,
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

    /// Refuses settings in which this process differs from others of its job. Of the file of tables its rows count: without a
    /// variable that names it, it depends on the user's directories.
    fn agree(&self) -> Result<(), JobError> {
        let with_rows = |(name, value)| match name {
            selection::configuration::FILE_VARIABLE => (name, self.file_fingerprint | 1),
            _ => (name, value),
        };
        let settings = pamir_settings::fingerprints().into_iter();
        self.job.agree(&settings.map(with_rows).collect::<Vec<_>>())
    }
}

static ATTACHMENT: Mutex<Option<Attachment>> = Mutex::new(None);

/// A client.
#[derive(Debug)]
pub struct Client {
    name: String,
    /// The lanes of this client.
    job: Job,
    /// The job whose table it is in.
    whole: Job,
    is_closed: AtomicBool,
    /// How its contexts inject; none as the process does.
    injection: Option<injection::Configuration>,
    packets: bool,
    task: usize,
    tasks: usize,
    /// The job's numbers of its tasks, if it is of some alone.
    members: Option<Box<[usize]>>,
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
            let file_fingerprint = selection::configuration::install()?;
            configured_shape()?;
            let (job, task) = Job::visit_environment()?;
            *attachment = Some(Attachment {
                job,
                task,
                file_fingerprint,
                names: BTreeMap::new(),
            });
        }
        let attached = attachment.as_mut().expect("it was just filled");
        let in_job = attached.take(name)?;
        if name == MPI {
            attached.job.take_lanes(attached.task)?;
            attached.agree()?;
        }
        let configuration = Configuration::of(name)?;
        let (job, task) = (&attached.job, attached.task);
        let mut client = Self::open_configured(job, task, name, &in_job, &configuration)?;
        client.name = name.to_owned();
        client.injection = Some(configuration.injection()?);
        client.packets = configuration.is_of_packets();
        Ok(client)
    }

    fn open_configured(
        job: &Job,
        task: usize,
        name: &str,
        in_job: &str,
        configuration: &Configuration,
    ) -> Result<Self, ClientError> {
        let has_engine = configuration.has_engine() && name != MPI;
        let mut contexts = configuration.contexts(job.ranks());
        contexts += if has_engine { node_engine::CONTEXTS } else { 0 };
        let client = match &configuration.tasks {
            None => Self::open_in(job, task, in_job, contexts)?,
            Some(members) => Self::open_among(job, task, members, in_job, contexts)?,
        };
        if has_engine {
            client.with_engine()
        } else {
            Ok(client)
        }
    }

    /// As [`Self::open_in`], and an engine of the node moves the client's puts and gets; the same in
    /// all tasks.
    pub fn open_with_engine(
        job: &Job,
        task: usize,
        name: &str,
        contexts: usize,
    ) -> Result<Self, ClientError> {
        Self::open_in(job, task, name, contexts + node_engine::CONTEXTS)?.with_engine()
    }

    fn with_engine(mut self) -> Result<Self, ClientError> {
        self.place.engine = true;
        let engine = NodeEngine::start(&self.job, self.task, self.place)?;
        *self.engine() = engine;
        Ok(self)
    }

    fn engine(&self) -> MutexGuard<'_, Option<NodeEngine>> {
        // An engine is put in or taken out, so a panic leaves it whole.
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client and its contexts, which are gone, are not used any more: ends the engine of the node, if this process has it.
    /// Its name may be opened again; when all its tasks have closed it, so may its place in the table.
    pub fn close(&self) {
        let engine = self.engine().take();
        drop(engine);
        let was_closed = self.is_closed.swap(true, Ordering::Relaxed);
        if self.place != Place::ALONE && !was_closed {
            // A place that is not given back is one fewer for later clients, who are told then.
            let _ = self
                .whole
                .close_client(self.place.client.into(), self.tasks);
        }
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
        let place = Place {
            client: client as u16,
            contexts,
            engine: false,
        };
        let tasks = job.ranks();
        Ok(Self::new(name, (plane, job), (task, tasks), place))
    }

    /// As [`Self::open_in`], for the tasks of `job` in `members` alone.
    ///
    /// # Errors
    ///
    /// Also [`ClientError::NotMember`].
    pub fn open_among(
        job: &Job,
        task: usize,
        members: &[usize],
        name: &str,
        contexts: usize,
    ) -> Result<Self, ClientError> {
        let Some(index) = members.iter().position(|member| *member == task) else {
            let name = name.to_owned();
            return Err(ClientError::NotMember { name, task });
        };
        let (plane, client) = job.open_client_among(members, index, name, contexts)?;
        let place = Place {
            client: client as u16,
            contexts,
            engine: false,
        };
        let client = Self::new(name, (plane, job), (index, members.len()), place);
        Ok(Self {
            members: Some(members.into()),
            ..client
        })
    }

    fn new(name: &str, jobs: (Job, &Job), (task, tasks): (usize, usize), place: Place) -> Self {
        Self {
            name: name.to_owned(),
            job: jobs.0,
            whole: jobs.1.clone(),
            is_closed: AtomicBool::new(false),
            injection: None,
            packets: false,
            task,
            tasks,
            members: None,
            place,
            engine: Mutex::default(),
            made: AtomicUsize::new(0),
            regions: Arc::default(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// This task, as the client numbers its tasks.
    pub fn task(&self) -> usize {
        self.task
    }

    /// The job's numbers of its tasks, if it is of some of the job's tasks alone.
    pub fn members(&self) -> Option<&[usize]> {
        self.members.as_deref()
    }

    /// How many tasks it has.
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
            context.set_striping(Striping::from_environment(self.tasks)?);
        }
        Ok(context)
    }

    /// Makes the context with a given offset, which nobody else makes.
    pub(crate) fn context(&self, offset: usize) -> Result<Context, UnitError> {
        let unit = self.task * self.place.contexts + offset;
        let regions = Arc::clone(&self.regions);
        let injection = match self.injection {
            Some(injection) => injection,
            None => injection::Configuration::from_environment()?,
        };
        let context = Context::of_client(self.job.clone(), unit, self.place, injection, regions)?;
        if self.packets {
            context.kernel_refuses.set(true);
        }
        Ok(context)
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;
    use crate::active::Receive;
    use pamir_driver::job::JobSpecification;
    use pamir_driver::job::client::table::CLIENTS;

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
        // More often than there are places.
        for _ in 0..3 * CLIENTS {
            let again = Client::open("once").unwrap();
            assert_eq!(again.name(), "once");
            again.close();
            // A second time takes nobody's place.
            again.close();
        }
    }

    #[test]
    fn a_client_of_some_tasks_numbers_them_anew() {
        let job = Job::create(&JobSpecification::unbound(4)).unwrap();
        let open = |task| Client::open_among(&job, task, &[3, 1], "pair", 1);
        assert!(matches!(
            open(0),
            Err(ClientError::NotMember { task: 0, .. })
        ));
        let clients = [3, 1].map(|task| open(task).unwrap());
        for (index, client) in clients.iter().enumerate() {
            assert_eq!((client.task(), client.tasks()), (index, 2));
            assert_eq!(client.local_tasks(), [0, 1]);
        }
        let contexts = [0, 1].map(|index| clients[index].create_context().unwrap());
        let heard = Rc::new(Cell::new(0));
        let hears = Rc::clone(&heard);
        contexts[1]
            .set_dispatch(7, move |_, arrival| {
                hears.set(arrival.bytes);
                Receive::nowhere()
            })
            .unwrap();
        contexts[0]
            .send_immediate(clients[0].endpoint(1, 0).unwrap(), 7, &[], &[1; 100])
            .unwrap();
        contexts[1].advance().unwrap();
        assert_eq!(heard.get(), 100);
        drop(contexts);
        clients.iter().for_each(Client::close);
        assert_eq!(job.open_client(0, "next", 1).unwrap().1, 1);
    }
}
