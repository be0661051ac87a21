//! The object behind a client's handle.
//!
//! Before: a program names itself. After: a [`ClientObject`], whose contexts
//! `context` makes ("Parallel active messages": a client is an exclusive collection of
//! resources; equal task and context numbers of several clients are told apart by it).
//!
//! | from    | to        | by |
//! |---------|-----------|----|
//! |         | living    | `PAMI_Client_create` |
//! | living  | destroyed | `PAMI_Client_destroy`, once it has no contexts |

use std::ffi::CString;
use std::sync::atomic::{AtomicUsize, Ordering};

use pamir_transport::client::{Client, MPI};

use crate::client::machine;
use crate::edge::handle::Object;
use crate::edge::mark::Mark;
use crate::refusal::Refusal;
use crate::structures::configuration::{MEMORY_REGION_BYTES, attribute};
use crate::structures::{Configuration, Value};

/// A client, for ever; its mark goes when it is destroyed.
pub struct ClientObject {
    mark: Mark,
    client: Client,
    /// Contexts that live.
    contexts: AtomicUsize,
    tasks: Vec<usize>,
    processor_name: CString,
    noncontiguous: usize,
    memory_level: usize,
}

impl ClientObject {
    /// A new client, for ever.
    ///
    /// # Errors
    ///
    /// An attribute that it has not, and what the transport refuses.
    pub fn create(name: &str, configuration: &[Configuration]) -> Result<&'static Self, Refusal> {
        let object: &'static Self = Box::leak(Box::new(Self::new(name, configuration)?));
        object.mark.enlist();
        Ok(object)
    }

    /// Destroys it.
    ///
    /// # Errors
    ///
    /// [`Refusal::ContextsLeft`].
    pub fn end(&self, end_geometries: impl FnOnce()) -> Result<(), Refusal> {
        let contexts = self.contexts.load(Ordering::Acquire);
        if contexts > 0 {
            return Err(Refusal::ContextsLeft { contexts });
        }
        end_geometries();
        self.client.close();
        self.mark.clear();
        Ok(())
    }

    fn new(name: &str, configuration: &[Configuration]) -> Result<Self, Refusal> {
        let mut object = Self {
            mark: Mark::new(Self::LIVING),
            client: Client::open(&name_in_job(name))?,
            contexts: AtomicUsize::new(0),
            tasks: Vec::new(),
            processor_name: machine::processor_name(),
            noncontiguous: 1,
            memory_level: 0,
        };
        object.tasks.extend(object.client.local_tasks());
        for entry in configuration {
            let value = entry.value.as_number();
            match entry.name {
                attribute::CLIENT_NONCONTIG => object.noncontiguous = value,
                attribute::CLIENT_MEMORY_OPTIMIZE => object.memory_level = value,
                attribute => return Err(refused_attribute(attribute)),
            }
        }
        Ok(object)
    }

    /// The transport's client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A context was made.
    pub fn add_context(&self) {
        self.contexts.fetch_add(1, Ordering::AcqRel);
    }

    /// Its attribute `PAMI_CLIENT_NONCONTIG`.
    pub fn noncontiguous(&self) -> usize {
        self.noncontiguous
    }

    /// Its attribute `PAMI_CLIENT_MEMORY_OPTIMIZE`.
    pub fn memory_level(&self) -> usize {
        self.memory_level
    }

    /// A context was destroyed.
    pub fn remove_context(&self) {
        self.contexts.fetch_sub(1, Ordering::AcqRel);
    }

    /// What it answers to a question for an attribute that it has.
    pub fn answer(&self, name: u32) -> Option<Value> {
        let number = match name {
            attribute::CLIENT_LOCAL_TASKS => return Some(Value::numbers(&self.tasks)),
            attribute::CLIENT_PROCESSOR_NAME => return Some(Value::text(&self.processor_name)),
            attribute::CLIENT_WTICK => return Some(Value::fraction(machine::tick_seconds())),
            attribute::CLIENT_CLOCK_MHZ => machine::clock_mhz(),
            attribute::CLIENT_CONST_CONTEXTS => 1,
            attribute::CLIENT_HWTHREADS_AVAILABLE => machine::processors_for(self.tasks.len()),
            attribute::CLIENT_MEMREGION_SIZE => MEMORY_REGION_BYTES,
            attribute::CLIENT_MEM_SIZE => machine::memory_mib(),
            attribute::CLIENT_NUM_TASKS => self.client.tasks(),
            attribute::CLIENT_NUM_LOCAL_TASKS => self.tasks.len(),
            attribute::CLIENT_NUM_CONTEXTS => self.client.contexts(),
            attribute::CLIENT_TASK_ID => self.client.task(),
            attribute::CLIENT_WTIMEBASE_MHZ => machine::TIMEBASE_MHZ,
            attribute::CLIENT_NONCONTIG => self.noncontiguous,
            attribute::CLIENT_MEMORY_OPTIMIZE => self.memory_level,
            _ => return None,
        };
        Some(Value::number(number))
    }
}

impl Object for ClientObject {
    const LIVING: u64 = 0x544E_4C43_494D_4150;
    const MARK_AT: usize = std::mem::offset_of!(Self, mark);
    const KIND: &'static str = "client";

    #[inline(always)]
    fn mark(&self) -> &Mark {
        &self.mark
    }
}

/// Whether an attribute is a client's.
pub fn is_attribute(name: u32) -> bool {
    (attribute::CLIENT_CLOCK_MHZ..=attribute::CLIENT_MEMORY_OPTIMIZE).contains(&name)
}

fn refused_attribute(attribute: u32) -> Refusal {
    let object = "client";
    if is_attribute(attribute) {
        Refusal::ReadOnly { attribute, object }
    } else {
        Refusal::Attribute { attribute, object }
    }
}

/// What the job knows a client by. MPI's lanes belong to MPI's library.
fn name_in_job(name: &str) -> String {
    if name == MPI {
        format!("{name} by PAMI")
    } else {
        name.to_owned()
    }
}
