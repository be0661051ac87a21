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
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;

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
use crate::edge::handle::{Handle, Object, missing};
use crate::edge::mark::Mark;
use crate::refusal::Refusal;
use crate::structures::HIGHEST_DISPATCH;

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
    packet_bytes: usize,
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
        if let Some(tasks) = client.client().members() {
            context.number_traffic(tasks);
        }
        context.limit_immediate(pamir_settings::IMMEDIATE_BYTES.value());
        // SAFETY: it is PAMI's contract: programs put where they have agreed to.
        unsafe { context.open_memory() };
        let work = context.detached_work_queue().map_err(ActiveError::from)?;
        Ok(Self {
            mark: Mark::new(Self::LIVING),
            client,
            lock: RawMutex::INIT,
            waiting: Waiting::new(context.is_oversubscribed()),
            work,
            receivers: Receivers::default(),
            words: Words::of(client.client(), context.endpoint()),
            packet_bytes: context.longest_packet_bytes(),
            immediate_bytes: context.longest_immediate_bytes(),
            fencing: Cell::new(false),
            endpoint: context.endpoint(),
            job_oversubscribed: context.is_job_oversubscribed(),
            collectives: Cell::new(0),
            active: ActiveCollectives::default(),
            context: UnsafeCell::new(ManuallyDrop::new(context)),
        })
    }

    /// Its endpoint.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint
    }

    /// Whose it is.
    pub fn client(&self) -> &'static ClientObject {
        self.client
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

    /// The longest message that comes whole with a call.
    pub fn packet_bytes(&self) -> usize {
        self.packet_bytes
    }

    /// The longest message that a dispatch function is given with its call unless its hints say otherwise, header and
    /// data together.
    pub fn received_immediately(&self) -> usize {
        // A message whose origin waits for its reception carries a word more.
        self.immediate_bytes.min(self.packet_bytes - 8)
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

    /// The work queue.
    #[inline(always)]
    pub fn work(&self) -> &WorkQueue {
        &self.work
    }

    /// Runs `work` with the context, unless another thread has its lock; nothing then.
    pub fn try_locked<T>(&'static self, work: impl FnOnce(Held) -> T) -> Option<T> {
        if !self.lock.try_lock() {
            return None;
        }
        // SAFETY: the lock was just taken, and every thread that shares the context takes it.
        let done = work(unsafe { Held::new(self) });
        // SAFETY: taken above.
        unsafe { self.lock.unlock() };
        Some(done)
    }

    /// Takes its lock.
    pub fn lock(&self) {
        self.lock.lock();
    }

    /// Takes its lock, if nobody has it; whether it did.
    pub fn try_lock(&self) -> bool {
        self.lock.try_lock()
    }

    /// Gives its lock back, which the caller has.
    ///
    /// # Errors
    ///
    /// [`Refusal::NotLocked`].
    pub fn unlock(&self) -> Result<(), Refusal> {
        if !self.lock.is_locked() {
            return Err(Refusal::NotLocked);
        }
        // SAFETY: it is locked, and by this caller, as PAMI's contract says.
        unsafe { self.lock.unlock() };
        Ok(())
    }
}

impl Object for ContextObject {
    const LIVING: u64 = 0x5458_4E43_494D_4150;
    const MARK_AT: usize = std::mem::offset_of!(Self, mark);
    const KIND: &'static str = "context";

    #[inline(always)]
    fn mark(&self) -> &Mark {
        &self.mark
    }
}

/// A context that the current thread has for itself, as long as what it is handed to.
#[derive(Clone, Copy)]
pub struct Held {
    object: &'static ContextObject,
    /// Another thread does not have it.
    here: PhantomData<*const ()>,
}

impl Deref for Held {
    type Target = ContextObject;

    #[inline(always)]
    fn deref(&self) -> &ContextObject {
        self.object
    }
}

impl Held {
    /// A context that the current thread has.
    ///
    /// # Safety
    ///
    /// The current thread is the only one that uses the context as long as anything that this is handed to is
    /// used. What the context itself keeps is used by whoever has the context.
    #[inline(always)]
    pub unsafe fn new(object: &'static ContextObject) -> Self {
        Self {
            object,
            here: PhantomData,
        }
    }

    /// The object, for other threads too.
    pub fn object(self) -> &'static ContextObject {
        self.object
    }

    /// The transport's context.
    #[inline(always)]
    pub fn context(&self) -> &Context {
        // SAFETY: this thread has it; only `end` takes it out, when nobody else uses it any more.
        unsafe { &*self.object.context.get() }
    }

    /// Destroys the context, which nobody uses afterwards.
    ///
    /// # Errors
    ///
    /// [`Refusal::OperationsLeft`], and what the transport says.
    pub fn end(self) -> Result<(), Refusal> {
        let operations = self.collectives.get();
        if operations > 0 {
            return Err(Refusal::OperationsLeft { operations });
        }
        let context = self.context();
        let (moved_out, profile) = (context.leave(), context.write_traffic());
        self.mark.clear();
        self.client.remove_context();
        // SAFETY: the mark is gone, so nothing finds it again, and PAMI's contract says that nobody uses it.
        unsafe { ManuallyDrop::drop(&mut *self.object.context.get()) };
        moved_out.map_err(ActiveError::from)?;
        Ok(profile?)
    }
}

/// The handle of a context that the calling thread has for itself: whoever hands it in vouches for that.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct HeldHandle(Handle<ContextObject>);

impl HeldHandle {
    /// That of nothing.
    pub const NULL: Self = Self(Handle::NULL);

    /// The context, if it lives.
    #[inline(always)]
    pub fn living(self) -> Option<Held> {
        // SAFETY: the caller vouches for having it.
        self.0.living().map(|object| unsafe { Held::new(object) })
    }

    /// The context, of a handle that may be anything.
    ///
    /// # Errors
    ///
    /// As for [`Self::get`].
    pub fn get_unvouched(self) -> Result<Held, Refusal> {
        self.0.get_unvouched()?;
        self.get()
    }

    /// The context.
    ///
    /// # Errors
    ///
    /// [`Refusal::Handle`] where it does not live.
    #[inline(always)]
    pub fn get(self) -> Result<Held, Refusal> {
        self.living().ok_or_else(missing::<ContextObject>)
    }
}
