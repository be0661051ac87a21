//! The receivers of a context: who is called for a dispatch id, in a table.
//!
//! Before: `PAMI_Dispatch_set` has made a [`Receiver`]. After: a send finds the hints of its
//! dispatch id here, and a message of one line whom to call, without the transport's own table.
//!
//! The receiver of the last short message is kept beside the table: the next one is most likely for
//! it too.
//!
//! Invariant: the table is not borrowed while the program's function runs, which may set others.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;

use pamir_driver::unit::receive::recent::{Recent, Seen};
use pamir_transport::context::Context;

use crate::refusal::Refusal;
use crate::structures::function::DispatchCall;
use crate::structures::{DispatchHints, HIGHEST_DISPATCH, Hint, Receive};

/// A function of the program's, and what it is called with besides the message.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function.
    pub function: DispatchCall,
    /// What it gets.
    pub cookie: *mut c_void,
}

impl Call {
    /// Calls the function for a message all of which is there.
    pub fn give(&self, context: *mut c_void, origin: u32, header: &[u8], data: &[u8]) {
        let part = |bytes: &[u8]| (bytes.as_ptr(), bytes.len());
        let parts = [part(header), part(data)];
        // SAFETY: they are slices.
        unsafe { (self.function).give(context, self.cookie, origin, parts) };
    }

    /// Calls the function for a message of `bytes` bytes of data, which are not there yet; what it
    /// wants done with them.
    pub fn ask(&self, context: *mut c_void, origin: u32, header: &[u8], bytes: usize) -> Receive {
        (self.function).ask(context, self.cookie, origin, header, bytes)
    }
}

/// What receives the messages of a dispatch id.
#[derive(Clone, Copy)]
pub struct Receiver {
    /// Whom it calls.
    pub call: Call,
    /// What the program has said of the dispatch id.
    pub hints: DispatchHints,
}

impl Receiver {
    /// Whether the function may be given the data with the call.
    #[inline(always)]
    pub fn takes_immediately(&self) -> bool {
        self.hints.recv_immediate() != Hint::Disable
    }
}

/// A receiver in the table.
#[derive(Clone, Copy)]
struct Entry {
    receiver: Receiver,
    /// It is called with the data of a short message, past the transport's table.
    direct: bool,
}

/// The receivers of a context, by dispatch id.
#[derive(Default)]
pub struct Receivers {
    table: RefCell<Vec<Option<Entry>>>,
    /// Of the last short message: one that takes the data with the call.
    recent: Cell<Option<(u16, Call)>>,
}

impl Receivers {
    /// A dispatch id, at most [`HIGHEST_DISPATCH`], has a receiver from now on. While messages wait that came
    /// `early`, all that come take the way through the transport, behind those, until [`Self::open`].
    pub fn set(&self, dispatch: usize, receiver: Receiver, early: bool) {
        self.recent.set(None);
        let mut table = self.table.borrow_mut();
        if table.len() <= dispatch {
            table.resize(dispatch + 1, None);
        }
        let direct = receiver.takes_immediately() && !early;
        table[dispatch] = Some(Entry { receiver, direct });
    }

    /// The receiver of a dispatch id has got what came early.
    pub fn open(&self, dispatch: usize) {
        if let Some(Some(entry)) = self.table.borrow_mut().get_mut(dispatch) {
            entry.direct = entry.receiver.takes_immediately();
        }
    }

    /// The receiver of a dispatch id, if one is set. It is asked for with every message, so nothing
    /// is written to say that the table is borrowed.
    #[inline(always)]
    fn get(&self, dispatch: usize) -> Option<Entry> {
        // SAFETY: the reference ends with this call, which calls nothing that could change the
        // table; one thread has the context, and with it the table.
        let table = unsafe { self.table.try_borrow_unguarded() }.ok()?;
        *table.get(dispatch)?
    }

    /// Whether a dispatch id is set.
    #[inline(always)]
    pub fn is_set(&self, dispatch: usize) -> bool {
        self.get(dispatch).is_some()
    }

    /// Whom to call for a dispatch id, if it takes the data of a short message with the call.
    #[inline(always)]
    fn immediate(&self, dispatch: u16) -> Option<Call> {
        match self.recent.get() {
            Some((recent, call)) if recent == dispatch => Some(call),
            _ => self.look_up(dispatch),
        }
    }

    #[inline(never)]
    fn look_up(&self, dispatch: u16) -> Option<Call> {
        let entry = self.get(dispatch.into()).filter(|entry| entry.direct)?;
        let call = entry.receiver.call;
        self.recent.set(Some((dispatch, call)));
        Some(call)
    }

    /// The hints of a dispatch id that is set.
    pub fn hints(&self, dispatch: usize) -> Result<DispatchHints, Refusal> {
        match self.get(dispatch) {
            Some(entry) => Ok(entry.receiver.hints),
            _ if dispatch > HIGHEST_DISPATCH => Err(Refusal::DispatchRange { dispatch }),
            _ => Err(Refusal::DispatchNotSet { dispatch }),
        }
    }

    /// Takes a message of one line from where the last packet came, for which it looks `looks` times, and calls
    /// the function of its dispatch id. `handle` is the context's, `word` gives the origin's word.
    #[inline(always)]
    pub fn take_line(
        &self,
        context: &Context,
        looks: u32,
        handle: *mut c_void,
        word: impl FnOnce(usize) -> u32,
    ) -> Recent {
        context.take_active_line(
            looks,
            |dispatch| self.immediate(dispatch),
            |call, origin, message| {
                // SAFETY: both parts are readable for their bytes, as the transport says.
                unsafe { (call.function).give(handle, call.cookie, word(origin), message) };
            },
        )
    }

    /// The same for the packet that [`Self::take_line`] has just found; whether it was taken.
    #[inline(always)]
    pub fn take_packet(
        &self,
        context: &Context,
        seen: Seen,
        handle: *mut c_void,
        word: impl FnOnce(usize) -> u32,
    ) -> bool {
        context.take_active_packet(
            seen,
            |dispatch| self.immediate(dispatch),
            |call, origin, message| {
                // SAFETY: as above.
                unsafe { (call.function).give(handle, call.cookie, word(origin), message) };
            },
        )
    }
}
