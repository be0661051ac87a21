//! The receivers of a context: who is called for a dispatch id, in a table.
//!
//! Before: `PAMI_Dispatch_set` has made a [`Receiver`]. After: a send finds the hints of its
//! dispatch id here, and a message of one line whom to call, without the transport's own table.
//!
//! Invariant: the table is not borrowed while the program's function runs, which may set others.

use std::cell::RefCell;

use crate::dispatch::{HIGHEST_DISPATCH, Receiver};
use crate::refusal::Refusal;
use crate::structures::DispatchHints;

/// The receivers of a context, by dispatch id.
#[derive(Default)]
pub struct Receivers(RefCell<Vec<Option<Receiver>>>);

impl Receivers {
    /// A dispatch id, at most [`HIGHEST_DISPATCH`], has a receiver from now on.
    pub fn set(&self, dispatch: usize, receiver: Receiver) {
        let mut table = self.0.borrow_mut();
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
        let table = unsafe { self.0.try_borrow_unguarded() }.ok()?;
        *table.get(dispatch)?
    }

    /// Whether a dispatch id is set.
    #[inline(always)]
    pub fn is_set(&self, dispatch: usize) -> bool {
        self.get(dispatch).is_some()
    }

    /// The receiver of a dispatch id, if it takes the data of a short message with the call.
    #[inline(always)]
    pub fn immediate(&self, dispatch: u16) -> Option<Receiver> {
        self.get(dispatch.into())
            .filter(Receiver::takes_immediately)
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
