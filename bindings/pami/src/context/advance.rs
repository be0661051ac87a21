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
//! Invariants: each call polls, unless a look has found something; after [`super::waiting::MOST_MESSAGES`] messages
//! that looks have found, the next one polls, so that no other lane waits for ever.

use pamir_driver::unit::receive::recent::{Recent, Seen};
use pamir_transport::active::ActiveError;
use pamir_transport::context::Context;

use crate::context::ContextObject;
use crate::edge::handle::Object;
use crate::refusal::{Refusal, refused};
use crate::structures::Code;

/// The most messages that one look receives.
const BURST: u32 = 16;

impl ContextObject {
    /// Receives messages of one packet from where the last packet came, for the first of which it
    /// looks `looks` times; whether there were any.
    #[inline(always)]
    fn watch(&self, context: &Context, looks: u32) -> bool {
        let most = BURST.min(self.waiting().messages_left());
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
        let word = |origin| self.words().word(origin);
        let next = (self.receivers()).take_line(context, looks, self.handle().raw(), word);
        match next {
            Recent::Taken => true,
            // Of a stream, the origin is not run into while it writes: the poll takes what it has.
            Recent::Other(seen) => seen.waited_for && self.take_packet(context, seen),
            Recent::Nothing => false,
        }
    }

    #[inline(never)]
    fn take_packet(&self, context: &Context, seen: Seen) -> bool {
        let word = |origin| self.words().word(origin);
        (self.receivers()).take_packet(context, seen, self.handle().raw(), word)
    }

    /// How often to look before the next poll, `most` times at most.
    #[inline(always)]
    fn looks(&self, context: &Context, most: usize) -> u32 {
        if context.is_idle() && self.work().is_empty() {
            (self.waiting().looks() as usize).min(most) as u32
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
    pub fn turn(&self, context: &Context) -> Result<bool, Refusal> {
        Ok(self.watch(context, 1) || self.poll(context)?)
    }

    /// Looks `maximum` times at most, and polls in between and at the end.
    #[inline(always)]
    pub fn advance(&self, context: &Context, maximum: usize) -> Code {
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

/// Advances several contexts in turn, until something has happened.
pub fn advance_each<T: Copy>(
    contexts: Option<&[T]>,
    maximum: usize,
    advance: impl Fn(T) -> Result<(&'static ContextObject, bool), Refusal>,
) -> Code {
    let argument = "context";
    let Some(contexts) = contexts else {
        return refused(Refusal::Null { argument });
    };
    for _ in 0..maximum {
        let (mut moved, mut last) = (false, None);
        for context in contexts {
            match advance(*context) {
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
