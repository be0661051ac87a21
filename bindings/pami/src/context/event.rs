//! Events: telling the program that something has ended.
//!
//! Before: a call that names a function and a cookie. After: the transport's completion calls
//! them, in the thread that advances the context.

use std::ffi::c_void;

use pamir_transport::active::{Completion, TransferError};
use pamir_transport::collective::CollectiveError;

use crate::context::ContextObject;
use crate::refusal::{ended, ended_collective};
use crate::structures::Code;
use crate::structures::EventFunction;

/// A function of the program's, with what it gets.
#[derive(Clone, Copy)]
pub struct Event {
    context: *mut c_void,
    function: unsafe extern "C" fn(*mut c_void, *mut c_void, Code),
    cookie: *mut c_void,
}

impl Event {
    /// The event, if the program wants to be told.
    #[inline(always)]
    pub fn new(
        context: &ContextObject,
        function: EventFunction,
        cookie: *mut c_void,
    ) -> Option<Self> {
        let context = context.handle();
        function.map(|function| Self {
            context,
            function,
            cookie,
        })
    }

    /// Tells.
    pub fn tell(self, code: Code) {
        // SAFETY: the program gave function and cookie for this, and is told once; it is told
        // by whoever has the context.
        unsafe { (self.function)(self.context, self.cookie, code) };
    }

    /// Lets whoever advances `context` next tell how a collective operation has ended.
    pub fn tell_later(self, context: &ContextObject, how: Result<(), CollectiveError>) {
        context.post_once(move || self.tell(ended_collective(how)));
    }

    /// Tells how a transfer has ended.
    pub fn end(self, how: Result<(), TransferError>) {
        self.tell(ended(how));
    }

    /// As the transport takes it.
    pub fn completion(self) -> Completion {
        Box::new(move |_, how| self.end(how))
    }
}
