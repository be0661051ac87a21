//! Advancing contexts: what has come is received, what waits goes on, posted work runs.
//!
//! Before: `PAMI_Context_advance` and its like. After: dispatch functions and callbacks have been
//! called, in the calling thread ("Parallel active messages": advance is the only mover).
//!
//! ```text
//! watch  the lane that carried the last packet: messages of one packet, straight to their function
//! poll   all lanes, what waits for room, posted work
//!
//! advance(maximum):  look  pause  look  pause  ...  look │ poll  pause │ look  pause  ...
//!                    └──────── watch, at most 16 ───────┘
//! ```
//!
//! The answer to a message comes most likely from where the last one came, so a look at that one
//! lane comes more often than a poll of all of them, and before it: it is where a ping-pong is
//! decided. How many looks a watch has, doubles with each that finds something, and falls to one
//! when a poll finds something in another lane. It ends at once when something comes that is no
//! such message, and has one look where anything waits for room, or was posted: the poll moves it.
//!
//! A message of several lines that is there at the first look is one of a stream. A target that takes each
//! message at once runs into its origin, which is writing the next one. The poll takes such messages, since it
//! is slower to come back (`docs/decisions/008-matching.md`).
//!
//! Invariants: each call polls, unless a look has found something; after [`MOST_MESSAGES`] messages
//! that looks have found, the next one polls, so that no other lane waits for ever.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use lock_api::RawMutex as _;
use pamir_driver::unit::receive::recent::{Recent, Seen};
use pamir_driver::waiting::ladder::SPIN_POLLS;
use pamir_transport::active::ActiveError;
use pamir_transport::active::shortcut::Parts;
use pamir_transport::context::Context;

use crate::context::{ContextObject, context_of, living_context, no_context};
use crate::dispatch::Call;
use crate::refusal::{Code, Refusal, refused};

/// The most looks of a watch.
const MOST_LOOKS: u32 = 16;

/// The most messages that are received by looking before the next poll.
const MOST_MESSAGES: u32 = 64;

/// The most messages that one look receives.
const BURST: u32 = 16;

/// How a context waits.
#[derive(Debug)]
pub struct Waiting {
    /// Other ranks share this one's processor.
    oversubscribed: bool,
    /// Looks, one after another, that found nothing. Relaxed everywhere: it only decides how to
    /// wait.
    empty: AtomicU32,
    /// Looks of the next watch.
    looks: Cell<u32>,
    /// Messages that looks may still receive before the next poll.
    messages_left: Cell<u32>,
}

impl Waiting {
    /// Of a context whose rank shares its processor with others, or not.
    pub fn new(oversubscribed: bool) -> Self {
        Self {
            oversubscribed,
            empty: AtomicU32::new(0),
            looks: Cell::new(1),
            messages_left: Cell::new(MOST_MESSAGES),
        }
    }

    /// Something was found.
    #[inline(always)]
    fn reset(&self) {
        self.empty.store(0, Ordering::Relaxed);
    }

    /// A look has received messages.
    #[inline(always)]
    fn looked(&self, messages: u32) {
        self.messages_left
            .set(self.messages_left.get().saturating_sub(messages));
        // Each empty turn gives the processor away where it is shared: then all lanes have theirs.
        let most = if self.oversubscribed { 1 } else { MOST_LOOKS };
        self.looks.set((2 * self.looks.get()).min(most));
        self.reset();
    }

    /// A poll comes; what it finds lies in the lane that looks are for, or `elsewhere`.
    fn polled(&self, elsewhere: bool) {
        self.messages_left.set(MOST_MESSAGES);
        if elsewhere {
            self.looks.set(1);
        }
    }

    /// After `looks` looks and a poll that found nothing. It never sleeps: who knows what else the
    /// thread has to advance.
    #[inline(always)]
    fn pause(&self, looks: u32) {
        let empty = self.empty.load(Ordering::Relaxed).saturating_add(looks);
        self.empty.store(empty, Ordering::Relaxed);
        if empty > SPIN_POLLS || self.oversubscribed {
            std::thread::yield_now();
        } else {
            // The reader would take the line away from the writer in the middle of its store.
            std::hint::spin_loop();
        }
    }
}

impl ContextObject {
    /// Receives messages of one packet from where the last packet came, for the first of which it
    /// looks `looks` times; whether there were any.
    #[inline(always)]
    fn watch(&self, context: &Context, looks: u32) -> bool {
        let most = BURST.min(self.waiting().messages_left.get());
        let (mut messages, mut looks) = (0, looks);
        while messages < most && self.take(context, looks) {
            messages += 1;
            looks = 1;
        }
        if messages > 0 {
            self.waiting().looked(messages);
        }
        messages > 0
    }

    #[inline(always)]
    fn take(&self, context: &Context, looks: u32) -> bool {
        let next = context.take_active_line(
            looks,
            |dispatch| self.receivers().immediate(dispatch),
            |call, origin, message| self.give(call, origin, message),
        );
        match next {
            Recent::Taken => true,
            // Of a stream, the origin is not run into while it writes: the poll takes what it has.
            Recent::Other(seen) => seen.waited_for && self.take_packet(context, seen),
            Recent::Nothing => false,
        }
    }

    #[inline(never)]
    fn take_packet(&self, context: &Context, seen: Seen) -> bool {
        context.take_active_packet(
            seen,
            |dispatch| self.receivers().immediate(dispatch),
            |call, origin, message| self.give(call, origin, message),
        )
    }

    #[inline(always)]
    fn give(&self, call: Call, origin: usize, [header, data]: Parts) {
        // SAFETY: both are readable for their bytes, as the transport says.
        unsafe { call.give(self, self.words().word(origin), header, data) };
    }

    /// How often to look before the next poll, `most` times at most.
    #[inline(always)]
    fn looks(&self, context: &Context, most: usize) -> u32 {
        if context.is_idle() && self.work().is_empty() {
            (self.waiting().looks.get() as usize).min(most) as u32
        } else {
            1
        }
    }

    /// Polls all lanes; whether anything happened.
    #[inline(never)]
    fn poll(&self, context: &Context) -> Result<bool, Refusal> {
        let before = context.recent_origin();
        let mut moved = context.advance().map_err(ActiveError::from)?;
        self.waiting().polled(context.recent_origin() != before);
        if !self.work().is_empty() {
            moved |= self.work().run(context) > 0;
        }
        if !moved {
            moved = context.end_failed_peers().map_err(ActiveError::from)? > 0;
        }
        Ok(moved)
    }

    /// One turn of several contexts.
    #[inline(never)]
    fn turn(&self, context: &Context) -> Result<bool, Refusal> {
        Ok(self.watch(context, 1) || self.poll(context)?)
    }

    /// Looks `maximum` times at most, and polls in between and at the end.
    #[inline(always)]
    fn advance(&self, context: &Context, maximum: usize) -> Code {
        let mut left = maximum;
        while left > 0 {
            let looks = self.looks(context, left);
            if self.watch(context, looks) {
                return Code::Success;
            }
            match self.poll(context) {
                Ok(false) => {}
                Ok(true) => {
                    self.waiting().reset();
                    return Code::Success;
                }
                Err(refusal) => return refused(refusal),
            }
            left -= looks as usize;
            self.waiting().pause(looks);
        }
        Code::Again
    }
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_advance(context: *mut c_void, maximum: usize) -> Code {
    // SAFETY: the caller vouches for the handle, and for having the context.
    let object = unsafe { living_context(context) };
    // SAFETY: as above.
    let context = object.map(|object| (object, unsafe { object.context() }));
    match context {
        Some((object, context)) => object.advance(context, maximum),
        None => refused(no_context()),
    }
}

/// # Safety
///
/// `context` has `count` handles of contexts that the calling thread has for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_advancev(
    context: *mut *mut c_void,
    count: usize,
    maximum: usize,
) -> Code {
    let advance = |object: &ContextObject| {
        // SAFETY: the caller vouches for having the contexts.
        let context = unsafe { object.context() };
        object.turn(context)
    };
    // SAFETY: the caller vouches for the handles.
    unsafe { advance_each(context, count, maximum, advance) }
}

/// # Safety
///
/// `context` has `count` handles of contexts; who uses them has their locks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_trylock_advancev(
    context: *mut *mut c_void,
    count: usize,
    maximum: usize,
) -> Code {
    let advance = |object: &ContextObject| {
        if !object.lock().try_lock() {
            return Ok(false);
        }
        // SAFETY: the lock was just taken, and every user takes it.
        let moved = object.turn(unsafe { object.context() });
        // SAFETY: taken above.
        unsafe { object.lock().unlock() };
        moved
    };
    // SAFETY: the caller vouches for the handles.
    unsafe { advance_each(context, count, maximum, advance) }
}

/// Advances several contexts in turn, until something has happened.
///
/// # Safety
///
/// `contexts` has `count` handles of contexts.
unsafe fn advance_each(
    contexts: *mut *mut c_void,
    count: usize,
    maximum: usize,
    advance: impl Fn(&ContextObject) -> Result<bool, Refusal>,
) -> Code {
    if contexts.is_null() {
        let argument = "context";
        return refused(Refusal::Null { argument });
    }
    for _ in 0..maximum {
        let (mut moved, mut last) = (false, None);
        for index in 0..count {
            // SAFETY: the caller vouches for the handles.
            let object = unsafe { context_of(*contexts.add(index)) };
            let one = object.and_then(|object| Ok((object, advance(object)?)));
            match one {
                Ok((object, one)) => (moved, last) = (moved | one, Some(object)),
                Err(refusal) => return refused(refusal),
            }
        }
        if moved {
            if let Some(object) = last {
                object.waiting().reset();
            }
            return Code::Success;
        }
        match last {
            Some(object) => object.waiting().pause(1),
            None => std::thread::yield_now(),
        }
    }
    Code::Again
}
