//! Contexts: creating and destroying them, their locks.
//!
//! Before: a client's handle. After: [`ContextObject`]s, which sending and receiving use, and
//! [`crate::advance`] moves on
//! ("Parallel active messages": a context is a threading point; a thread that has one for
//! itself needs no lock, several take it before they post or advance).
//!
//! | from    | to        | by |
//! |---------|-----------|----|
//! |         | living    | `PAMI_Context_createv` |
//! | living  | destroyed | `PAMI_Context_destroyv` |
//!
//! Invariant: the transport's context is used by one thread at a time. The program sees to
//! that, with the context's lock or otherwise: it is PAMI's contract for every function that
//! takes a context, except post, lock, trylock and unlock.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::mem::ManuallyDrop;

use lock_api::RawMutex as _;
use pamir_transport::active::ActiveError;
use pamir_transport::context::endpoint::Endpoint;
use pamir_transport::context::{Context, WorkQueue};
use parking_lot::RawMutex;

use crate::advance::Waiting;
use crate::client::{ClientObject, client_of};
use crate::collective::active::ActiveCollectives;
use crate::configuration::{attribute, entries, query, update};
use crate::dispatch::HIGHEST_DISPATCH;
use crate::endpoint::Words;
use crate::mark::Mark;
use crate::receivers::Receivers;
use crate::refusal::{Code, Refusal, answer, refused};
use crate::structures::{Configuration, Value};

/// What a living context's handle points to.
const LIVING: u64 = 0x5458_4E43_494D_4150;

/// A context, for ever; its mark goes when it is destroyed, and what it holds with it.
pub struct ContextObject {
    mark: Mark,
    client: &'static ClientObject,
    context: UnsafeCell<ManuallyDrop<Context>>,
    lock: RawMutex,
    /// Work that any thread has posted.
    work: WorkQueue,
    waiting: Waiting,
    receivers: Receivers,
    words: Words,
    immediate_bytes: usize,
    /// A fence region is open.
    pub fencing: Cell<bool>,
    endpoint: Endpoint,
    /// Tasks of the job share processors.
    job_oversubscribed: bool,
    /// Collective operations that have not ended.
    collectives: Cell<usize>,
    active: ActiveCollectives,
}

// SAFETY: what threads share is atomic, locked or never changes; all else is used by the one thread
// that has the context, which is the program's part.
unsafe impl Sync for ContextObject {}
// SAFETY: nothing in it belongs to the thread that made it.
unsafe impl Send for ContextObject {}

impl ContextObject {
    fn new(client: &'static ClientObject) -> Result<Self, Refusal> {
        let context = client.client().create_context()?;
        context.count_traffic_if_asked();
        // SAFETY: it is PAMI's contract: programs put where they have agreed to.
        unsafe { context.open_memory() };
        let work = context.detached_work_queue().map_err(ActiveError::from)?;
        Ok(Self {
            mark: Mark::new(LIVING),
            client,
            lock: RawMutex::INIT,
            waiting: Waiting::new(context.is_oversubscribed()),
            work,
            receivers: Receivers::default(),
            words: Words::of(client.client(), context.endpoint()),
            immediate_bytes: context.longest_immediate_bytes(),
            fencing: Cell::new(false),
            endpoint: context.endpoint(),
            job_oversubscribed: context.is_job_oversubscribed(),
            collectives: Cell::new(0),
            active: ActiveCollectives::default(),
            context: UnsafeCell::new(ManuallyDrop::new(context)),
        })
    }

    /// The transport's context.
    ///
    /// # Safety
    ///
    /// The calling thread is the only one that uses the context, and it is not destroyed.
    #[inline(always)]
    pub unsafe fn context(&self) -> &Context {
        // SAFETY: the caller vouches for it; only `end` takes it out.
        unsafe { &*self.context.get() }
    }

    /// Its handle.
    #[inline(always)]
    pub fn handle(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// Its endpoint.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint
    }

    /// Whose it is.
    pub fn client(&self) -> &'static ClientObject {
        self.client
    }

    /// Whether it is not destroyed.
    pub fn is_living(&self) -> bool {
        self.mark.is(LIVING)
    }

    /// Whether tasks of the job share processors.
    pub fn is_job_oversubscribed(&self) -> bool {
        self.job_oversubscribed
    }

    /// What it knows of active-message collectives.
    pub fn active(&self) -> &ActiveCollectives {
        &self.active
    }

    /// A collective operation has begun here.
    pub fn begin_collective(&self) {
        self.collectives.set(self.collectives.get() + 1);
    }

    /// And has ended.
    pub fn end_collective(&self) {
        self.collectives.set(self.collectives.get() - 1);
    }

    /// The longest immediate message.
    pub fn immediate_bytes(&self) -> usize {
        self.immediate_bytes
    }

    /// Whether the program may use a dispatch id.
    pub fn check_dispatch_range(&self, dispatch: usize) -> Result<(), Refusal> {
        if dispatch > HIGHEST_DISPATCH {
            return Err(Refusal::DispatchRange { dispatch });
        }
        Ok(())
    }

    /// Who is called for its dispatch ids.
    #[inline(always)]
    pub fn receivers(&self) -> &Receivers {
        &self.receivers
    }

    /// The words of its client's endpoints.
    #[inline(always)]
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// How it waits.
    #[inline(always)]
    pub fn waiting(&self) -> &Waiting {
        &self.waiting
    }

    /// Its lock, which threads that share it take.
    pub fn lock(&self) -> &RawMutex {
        &self.lock
    }

    /// The work queue.
    #[inline(always)]
    pub fn work(&self) -> &WorkQueue {
        &self.work
    }

    /// # Safety
    ///
    /// As for [`Self::context`]; nobody uses it afterwards.
    unsafe fn end(&self) -> Result<(), Refusal> {
        let operations = self.collectives.get();
        if operations > 0 {
            return Err(Refusal::OperationsLeft { operations });
        }
        // SAFETY: as the caller vouches.
        let context = unsafe { self.context() };
        let (moved_out, profile) = (context.leave(), context.write_traffic());
        self.mark.clear();
        self.client.remove_context();
        // SAFETY: the mark is gone, so nothing finds it again.
        unsafe { ManuallyDrop::drop(&mut *self.context.get()) };
        moved_out.map_err(ActiveError::from)?;
        Ok(profile?)
    }

    fn answer(&self, name: u32) -> Option<Value> {
        let intval = match name {
            attribute::CONTEXT_DISPATCH_ID_MAX => HIGHEST_DISPATCH,
            _ => return None,
        };
        Some(Value { intval })
    }
}

/// No living context is behind a handle.
#[cold]
pub fn no_context() -> Refusal {
    Refusal::Handle {
        argument: "context",
        kind: "context",
    }
}

/// The context behind a handle, if it is that of one that lives.
///
/// # Safety
///
/// `handle` is NULL, or was given out for a context.
#[inline(always)]
pub unsafe fn living_context(handle: *mut c_void) -> Option<&'static ContextObject> {
    // SAFETY: null, or an object that is never freed.
    let object = unsafe { handle.cast::<ContextObject>().as_ref() };
    object.filter(|object| object.mark.is(LIVING))
}

/// The context behind a handle.
///
/// # Safety
///
/// `handle` is NULL, or was given out for a context.
#[inline(always)]
pub unsafe fn context_of(handle: *mut c_void) -> Result<&'static ContextObject, Refusal> {
    // SAFETY: as the caller vouches.
    unsafe { living_context(handle) }.ok_or_else(no_context)
}

/// # Safety
///
/// `client` is a client's handle; `context` has room for `ncontexts` handles, and the
/// configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_createv(
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
    context: *mut *mut c_void,
    ncontexts: usize,
) -> Code {
    let create = || {
        // SAFETY: the caller vouches for the handle and the entries.
        let (client, configuration) =
            unsafe { (client_of(client)?, entries(configuration, num_configs)?) };
        if let Some(entry) = configuration.first() {
            let (attribute, object) = (entry.name, "context that is created");
            return Err(Refusal::Attribute { attribute, object });
        }
        if context.is_null() {
            let argument = "context";
            return Err(Refusal::Null { argument });
        }
        client.client().expect_contexts(ncontexts)?;
        for index in 0..ncontexts {
            let object: &'static ContextObject = Box::leak(Box::new(ContextObject::new(client)?));
            object.mark.enlist();
            client.add_context(object);
            // SAFETY: the caller vouches for the room.
            unsafe { *context.add(index) = object.handle() };
        }
        Ok(())
    };
    answer(create())
}

/// # Safety
///
/// `contexts` has `ncontexts` handles of contexts that nobody uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_destroyv(
    contexts: *mut *mut c_void,
    ncontexts: usize,
) -> Code {
    let destroy = || {
        if contexts.is_null() {
            let argument = "contexts";
            return Err(Refusal::Null { argument });
        }
        for index in 0..ncontexts {
            // SAFETY: the caller vouches for the handles, and that nobody uses the contexts.
            unsafe {
                let handle = contexts.add(index);
                context_of(*handle)?.end()?;
                *handle = std::ptr::null_mut();
            }
        }
        Ok(())
    };
    answer(destroy())
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_query(
    context: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { context_of(context) }.and_then(|context| unsafe {
        query("context", configuration, num_configs, |name| {
            context.answer(name)
        })
    });
    answer(outcome)
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_update(
    context: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { context_of(context) }.and_then(|_| unsafe {
        update("context", configuration, num_configs, |name| {
            name == attribute::CONTEXT_DISPATCH_ID_MAX
        })
    });
    answer(outcome)
}

/// # Safety
///
/// `context` is a context's handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_lock(context: *mut c_void) -> Code {
    // SAFETY: the caller vouches for the handle.
    let outcome = unsafe { context_of(context) };
    answer(outcome.map(|object| object.lock.lock()))
}

/// # Safety
///
/// `context` is a context's handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_trylock(context: *mut c_void) -> Code {
    // SAFETY: the caller vouches for the handle.
    match unsafe { context_of(context) } {
        Ok(object) if object.lock.try_lock() => Code::Success,
        Ok(_) => Code::Again,
        Err(refusal) => refused(refusal),
    }
}

/// # Safety
///
/// `context` is a context's handle, and the caller has its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_unlock(context: *mut c_void) -> Code {
    // SAFETY: the caller vouches for the handle.
    let outcome = unsafe { context_of(context) }.and_then(|object| {
        if !object.lock.is_locked() {
            return Err(Refusal::NotLocked);
        }
        // SAFETY: it is locked, and by this caller, as it vouches.
        unsafe { object.lock.unlock() };
        Ok(())
    });
    answer(outcome)
}
