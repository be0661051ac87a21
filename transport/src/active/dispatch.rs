//! The dispatch table: which handler receives the messages of a dispatch id.
//!
//! Before: the packet handlers have a message's header. After: the handler has said, with a
//! [`Receive`], where the data goes.

use std::cell::RefCell;
use std::rc::Rc;

use crate::active::completion::{Completion, TransferError};
use crate::active::state::memory::Memory;
use crate::context::endpoint::Endpoint;
use crate::tagged::buffer::Noncontiguous;

/// How many dispatch ids there are: 0 to one less. A library that gives its programs 2048 has as
/// many for messages about theirs, and a few of its own.
pub const DISPATCH_IDS: u16 = 4096 + 16;

/// A message that has arrived, or has begun to.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Who sent it.
    pub origin: Endpoint,
    /// Its header.
    pub header: &'a [u8],
    /// All of its data, if it is short; else the handler says where it goes.
    pub data: Option<&'a [u8]>,
    /// How many bytes of data it has.
    pub bytes: usize,
}

/// Where the data of a message goes, and who is told, by functions that see the context `C`.
pub struct Receive<C> {
    pub(super) memory: Memory,
    pub(super) room: usize,
    pub(crate) done: Option<Completion<C>>,
    pub(crate) status: Status,
}

impl<C> Receive<C> {
    /// Nowhere: the handler has used what it wants.
    pub fn nowhere() -> Self {
        Self {
            memory: Memory::Contiguous(std::ptr::null_mut()),
            room: 0,
            done: None,
            status: Status::Good,
        }
    }

    /// To `address`, where there is room for `room` bytes.
    ///
    /// # Safety
    ///
    /// `address` is writable for `room` bytes until the completion given to [`Self::then`] is
    /// called.
    pub unsafe fn into(address: *mut u8, room: usize) -> Self {
        Self {
            memory: Memory::Contiguous(address),
            room,
            ..Self::nowhere()
        }
    }

    /// To memory that does not lie together. It is not asked for bytes, only given them, in
    /// the order of the message.
    ///
    /// # Safety
    ///
    /// What it describes is writable until the completion given to [`Self::then`] is called.
    pub unsafe fn scattered(memory: impl Noncontiguous + 'static) -> Self {
        Self {
            room: memory.bytes(),
            memory: Memory::scattered(memory),
            ..Self::nowhere()
        }
    }

    /// Calls `done` when all data has come.
    #[must_use]
    pub fn then(self, done: impl FnOnce(&C, Result<(), TransferError>) + 'static) -> Self {
        Self {
            done: Some(Box::new(done)),
            ..self
        }
    }

    /// The message is not taken, as if no handler were set; its origin is told if it waits.
    pub fn unhandled() -> Self {
        Self::refused(Status::NoHandler)
    }

    /// The message cannot be taken yet. It is kept, and what comes for its dispatch id goes on to be given; setting
    /// the handler again gives it this message again.
    pub fn not_yet() -> Self {
        Self::refused(Status::NotYet)
    }

    /// Whether nothing is left to be done for a message that nobody waits for.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.room == 0 && self.done.is_none() && self.status == Status::Good
    }

    /// The message is not taken; its origin is told why.
    pub(crate) fn refused(status: Status) -> Self {
        Self {
            status,
            ..Self::nowhere()
        }
    }
}

impl<C> std::fmt::Debug for Receive<C> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Receive");
        text.field("room", &self.room)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// How the target has taken a message, as `ACTIVE_DONE` carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Good,
    NoHandler,
    OutsideRegion,
    NotMapped,
    /// Nobody takes it yet: it is kept, and not answered.
    NotYet,
}

impl Status {
    pub(crate) fn field(self) -> u16 {
        match self {
            Self::Good => 0,
            Self::NoHandler => 1,
            Self::OutsideRegion => 2,
            Self::NotMapped => 3,
            Self::NotYet => 4,
        }
    }

    pub(crate) fn result(field: u16) -> Result<(), TransferError> {
        match field {
            0 => Ok(()),
            1 => Err(TransferError::NoHandler),
            2 => Err(TransferError::OutsideRegion),
            3 => Err(TransferError::NotMapped),
            _ => Err(TransferError::Unit),
        }
    }
}

/// Receives the messages of a dispatch id.
pub type DispatchHandler<C> = dyn Fn(&C, Arrival<'_>) -> Receive<C>;

/// Handlers by dispatch id.
pub(crate) struct DispatchTable<C>(pub(super) RefCell<Vec<Option<Rc<DispatchHandler<C>>>>>);

impl<C> DispatchTable<C> {
    pub(crate) fn get(&self, dispatch: u16) -> Option<Rc<DispatchHandler<C>>> {
        self.0.borrow().get(usize::from(dispatch))?.clone()
    }

    /// A dispatch id has a handler from now on.
    pub(super) fn set(&self, dispatch: u16, handler: Rc<DispatchHandler<C>>) {
        let index = usize::from(dispatch);
        let mut table = self.0.borrow_mut();
        if table.len() <= index {
            table.resize(index + 1, None);
        }
        table[index] = Some(handler);
    }

    /// A dispatch id has no handler from now on.
    pub(super) fn clear(&self, dispatch: u16) {
        if let Some(handler) = self.0.borrow_mut().get_mut(usize::from(dispatch)) {
            *handler = None;
        }
    }
}
