//! Clients: creating, destroying, and what can be asked of them.
//!
//! Before: a program names itself. After: a [`ClientObject`], whose contexts
//! [`crate::context`] makes ("Parallel active messages": a client is an exclusive collection of
//! resources; equal task and context numbers of several clients are told apart by it).
//!
//! | from    | to        | by |
//! |---------|-----------|----|
//! |         | living    | `PAMI_Client_create` |
//! | living  | destroyed | `PAMI_Client_destroy`, once it has no contexts |

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pamir_transport::client::{Client, MPI};

use crate::configuration::{MEMORY_REGION_BYTES, attribute, entries, query, update};
use crate::context::ContextObject;
use crate::geometry::Geometries;
use crate::machine;
use crate::mark::{self, Mark};
use crate::refusal::{Code, Refusal, answer};
use crate::structures::{Configuration, Value};

/// What a living client's handle points to.
const LIVING: u64 = 0x544E_4C43_494D_4150;

/// A client, for ever; its mark goes when it is destroyed.
pub struct ClientObject {
    mark: Mark,
    client: Client,
    /// Contexts that live.
    contexts: AtomicUsize,
    geometries: Geometries,
    /// Those contexts, by offset.
    made: Mutex<Vec<&'static ContextObject>>,
    tasks: Vec<usize>,
    processor_name: CString,
    noncontiguous: usize,
    memory_level: usize,
}

impl ClientObject {
    fn new(name: &str, configuration: &[Configuration]) -> Result<Self, Refusal> {
        let mut object = Self {
            mark: Mark::new(LIVING),
            client: Client::open(&name_in_job(name))?,
            contexts: AtomicUsize::new(0),
            geometries: Geometries::default(),
            made: Mutex::default(),
            tasks: Vec::new(),
            processor_name: machine::processor_name(),
            noncontiguous: 1,
            memory_level: 0,
        };
        object.tasks.extend(object.client.local_tasks());
        for entry in configuration {
            // SAFETY: both attributes are numbers, and every value has the size of one.
            let value = unsafe { entry.value.intval };
            match entry.name {
                attribute::CLIENT_NONCONTIG => object.noncontiguous = value,
                attribute::CLIENT_MEMORY_OPTIMIZE => object.memory_level = value,
                attribute => return Err(refused_attribute(attribute)),
            }
        }
        Ok(object)
    }

    fn handle(&'static self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// The transport's client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A context was made: the next one.
    pub fn add_context(&self, context: &'static ContextObject) {
        self.contexts.fetch_add(1, Ordering::AcqRel);
        self.made().push(context);
    }

    fn made(&self) -> MutexGuard<'_, Vec<&'static ContextObject>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many contexts this task has made.
    pub fn contexts_made(&self) -> usize {
        self.made().len()
    }

    /// The context of this task with an offset.
    pub fn context_at(&self, offset: usize) -> Result<&'static ContextObject, Refusal> {
        let made = self.made().get(offset).copied();
        made.filter(|context| context.is_living())
            .ok_or(Refusal::NoContext { offset })
    }

    /// Whether tasks of the job share processors, as far as a context of this client knows.
    pub fn is_job_oversubscribed(&self) -> bool {
        self.made()
            .first()
            .is_some_and(|context| context.is_job_oversubscribed())
    }

    /// Its geometries.
    pub fn geometries(&self) -> &Geometries {
        &self.geometries
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

    fn answer(&self, name: u32) -> Option<Value> {
        let intval = match name {
            attribute::CLIENT_LOCAL_TASKS => {
                let intarray = self.tasks.as_ptr();
                return Some(Value { intarray });
            }
            attribute::CLIENT_PROCESSOR_NAME => {
                let chararray = self.processor_name.as_ptr();
                return Some(Value { chararray });
            }
            attribute::CLIENT_WTICK => {
                let doubleval = machine::tick_seconds();
                return Some(Value { doubleval });
            }
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
        Some(Value { intval })
    }
}

fn is_attribute(name: u32) -> bool {
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

/// The client behind a handle.
///
/// # Safety
///
/// `handle` is NULL, or was given out for a client.
#[inline(always)]
pub unsafe fn client_of(handle: *mut c_void) -> Result<&'static ClientObject, Refusal> {
    // SAFETY: null, or an object that is never freed.
    let object = unsafe { handle.cast::<ClientObject>().as_ref() };
    object
        .filter(|object| object.mark.is(LIVING))
        .ok_or(Refusal::Handle {
            argument: "client",
            kind: "client",
        })
}

/// # Safety
///
/// `name` is a string, `client` writable, and the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_create(
    name: *const c_char,
    client: *mut *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let create = || {
        if name.is_null() || client.is_null() {
            let argument = "name or client";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the string.
        let name = unsafe { CStr::from_ptr(name) }.to_str();
        let name = name.ok().filter(|name| !name.is_empty());
        // SAFETY: the caller vouches for the entries.
        let configuration = unsafe { entries(configuration, num_configs)? };
        if mark::is_forked() {
            return Err(Refusal::Forked);
        }
        let object = ClientObject::new(name.ok_or(Refusal::Name)?, configuration)?;
        let object: &'static ClientObject = Box::leak(Box::new(object));
        object.mark.enlist();
        // SAFETY: the caller vouches for the address.
        unsafe { *client = object.handle() };
        Ok(())
    };
    answer(create())
}

/// # Safety
///
/// `client` points to a client's handle, which nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_destroy(client: *mut *mut c_void) -> Code {
    let destroy = || {
        if client.is_null() {
            let argument = "client";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the address and the handle in it.
        let object = unsafe { client_of(*client)? };
        let contexts = object.contexts.load(Ordering::Acquire);
        if contexts > 0 {
            return Err(Refusal::ContextsLeft { contexts });
        }
        object.geometries.end();
        object.client.close();
        object.mark.clear();
        // SAFETY: as above.
        unsafe { *client = std::ptr::null_mut() };
        Ok(())
    };
    answer(destroy())
}

/// # Safety
///
/// `client` is a client's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_query(
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { client_of(client) }.and_then(|client| unsafe {
        query("client", configuration, num_configs, |name| {
            client.answer(name)
        })
    });
    answer(outcome)
}

/// # Safety
///
/// `client` is a client's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_update(
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { client_of(client) }.and_then(|_| {
        // SAFETY: as above.
        unsafe { update("client", configuration, num_configs, is_attribute) }
    });
    answer(outcome)
}
