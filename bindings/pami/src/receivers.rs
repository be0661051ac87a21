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

use crate::dispatch::{Call, HIGHEST_DISPATCH, Receiver};
use crate::refusal::Refusal;
use crate::structures::DispatchHints;

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
        self.recent.set(Some((dispatch, receiver.call())));
        Some(receiver.call())
    }

    /// The hints of a dispatch id that is set.
    pub fn hints(&self, dispatch: usize) -> Result<DispatchHints, Refusal> {
        match self.get(dispatch) {
            Some(receiver) => Ok(receiver.hints()),
            _ if dispatch > HIGHEST_DISPATCH => Err(Refusal::DispatchRange { dispatch }),
            _ => Err(Refusal::DispatchNotSet { dispatch }),
        }
    }
}
