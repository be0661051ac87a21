//! The object behind a context's handle.
//!
//! Before: a client's handle. After: [`ContextObject`]s, which sending and receiving use, and
//! [`crate::context::advance`] moves on
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

use crate::client::ClientObject;
use crate::context::active_collectives::ActiveCollectives;
use crate::context::endpoint::Words;
use crate::context::receivers::Receivers;
use crate::context::waiting::Waiting;
use crate::edge::mark::Mark;
use crate::refusal::Refusal;
use crate::structures::HIGHEST_DISPATCH;

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
    /// A new context of a client, for ever.
    ///
    /// # Errors
    ///
    /// What the transport refuses.
    pub fn create(client: &'static ClientObject) -> Result<&'static Self, Refusal> {
        let object: &'static Self = Box::leak(Box::new(Self::new(client)?));
        object.mark.enlist();
        client.add_context();
        Ok(object)
    }

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

    /// Destroys it.
    ///
    /// # Safety
    ///
    /// As for [`Self::context`]; nobody uses it afterwards.
    pub unsafe fn end(&self) -> Result<(), Refusal> {
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
