//! Events: telling the program that something has ended.
//!
//! Before: a call that names a function and a cookie. After: the transport's completion calls
//! them, in the thread that advances the context.

use std::ffi::c_void;

use pamir_transport::active::{Completion, TransferError};
use pamir_transport::collective::CollectiveError;

use crate::context::ContextObject;
use crate::edge::handle::Object;
use crate::refusal::{ended, ended_collective};
use crate::structures::function::EventCall;
use crate::structures::{Code, EventFunction};

/// A function of the program's, with what it gets.
#[derive(Clone, Copy)]
pub struct Event {
    context: *mut c_void,
    function: EventCall,
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
        let context = context.handle().raw();
        function.map(|function| Self {
            context,
            function,
            cookie,
        })
    }

    /// Tells.
    pub fn tell(self, code: Code) {
        (self.function).call(self.context, self.cookie, code);
    }

    /// Lets whoever advances `context` next tell how a collective operation has ended.
    pub fn tell_later(self, context: &'static ContextObject, how: Result<(), CollectiveError>) {
        context.post_once(move |_| self.tell(ended_collective(how)));
    }

    /// Tells how a transfer has ended.
    pub fn end(self, how: Result<(), TransferError>) {
        self.tell(ended(how));
    }

    /// As an operation keeps it.
    pub fn teller(self) -> Box<dyn FnOnce(Code)> {
        Box::new(move |code| self.tell(code))
    }

    /// As the transport takes it.
    pub fn completion(self) -> Completion {
        Box::new(move |_, how| self.end(how))
    }
}
