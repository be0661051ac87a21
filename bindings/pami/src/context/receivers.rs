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
use std::ptr::{null, null_mut};

use crate::refusal::Refusal;
use crate::structures::{DispatchHints, HIGHEST_DISPATCH, Hint, Receive};

/// A function of the program's, and what it is called with besides the message.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function.
    pub function: unsafe extern "C" fn(
        *mut c_void,
        *mut c_void,
        *const c_void,
        usize,
        *const c_void,
        usize,
        u32,
        *mut Receive,
    ),
    /// What it gets.
    pub cookie: *mut c_void,
}

impl Call {
    /// Calls the function for a message all of which is there.
    ///
    /// # Safety
    ///
    /// Header and data are readable for their bytes until it returns.
    #[inline(always)]
    pub unsafe fn give(
        &self,
        context: *mut c_void,
        origin: u32,
        header: (*const u8, usize),
        data: (*const u8, usize),
    ) {
        // SAFETY: the program gave function and cookie for this; the caller vouches for the rest.
        unsafe {
            (self.function)(
                context,
                self.cookie,
                header.0.cast(),
                header.1,
                data.0.cast(),
                data.1,
                origin,
                null_mut(),
            );
        }
    }

    /// Calls the function for a message all of which is there.
    pub fn give_whole(&self, context: *mut c_void, origin: u32, header: &[u8], data: &[u8]) {
        let part = |bytes: &[u8]| (bytes.as_ptr(), bytes.len());
        // SAFETY: they are slices.
        unsafe { self.give(context, origin, part(header), part(data)) };
    }

    /// Calls the function for a message of `bytes` bytes of data, which are not there yet; what it
    /// wants done with them.
    pub fn ask(&self, context: *mut c_void, origin: u32, header: &[u8], bytes: usize) -> Receive {
        let mut receive = Receive::UNFILLED;
        // SAFETY: as in `give`; the structure lives until the call returns.
        unsafe {
            (self.function)(
                context,
                self.cookie,
                header.as_ptr().cast(),
                header.len(),
                null(),
                bytes,
                origin,
                &raw mut receive,
            );
        }
        receive
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

/// The receivers of a context, by dispatch id.
#[derive(Default)]
pub struct Receivers {
    table: RefCell<Vec<Option<Receiver>>>,
    /// Of the last short message: one that takes the data with the call.
    recent: Cell<Option<(u16, Call)>>,
}

impl Receivers {
    /// A dispatch id, at most [`HIGHEST_DISPATCH`], has a receiver from now on.
    pub fn set(&self, dispatch: usize, receiver: Receiver) {
        self.recent.set(None);
        let mut table = self.table.borrow_mut();
        if table.len() <= dispatch {
            table.resize(dispatch + 1, None);
        }
        table[dispatch] = Some(receiver);
    }

    /// The receiver of a dispatch id, if one is set. It is asked for with every message, so nothing
    /// is written to say that the table is borrowed.
    #[inline(always)]
    fn get(&self, dispatch: usize) -> Option<Receiver> {
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
    pub fn immediate(&self, dispatch: u16) -> Option<Call> {
        match self.recent.get() {
            Some((recent, call)) if recent == dispatch => Some(call),
            _ => self.look_up(dispatch),
        }
    }

    #[inline(never)]
    fn look_up(&self, dispatch: u16) -> Option<Call> {
        let receiver = self.get(dispatch.into());
        let receiver = receiver.filter(Receiver::takes_immediately)?;
        self.recent.set(Some((dispatch, receiver.call)));
        Some(receiver.call)
    }

    /// The hints of a dispatch id that is set.
    pub fn hints(&self, dispatch: usize) -> Result<DispatchHints, Refusal> {
        match self.get(dispatch) {
            Some(receiver) => Ok(receiver.hints),
            _ if dispatch > HIGHEST_DISPATCH => Err(Refusal::DispatchRange { dispatch }),
            _ => Err(Refusal::DispatchNotSet { dispatch }),
        }
    }
}
