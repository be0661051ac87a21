//! What is kept of a put, a get or a modification until it has ended.
//!
//! Before: an instruction of [`crate::one_sided`], [`crate::one_sided::scattered`] or [`crate::one_sided::read_modify_write`]. After: it is one
//! of the [`super::operation`]s, until whatever ends it takes it out and tells who waits.

use pamir_driver::injection::descriptor::Operation as Direction;

use crate::active::completion::{Completion, TransferError};
use crate::gather_scatter::Machine;

/// Who at the target hears of a put: the handler of a dispatch id, with a header of three
/// words: this one, the data's address, and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The dispatch id.
    pub dispatch: u16,
    /// The first word of the header.
    pub word: u64,
}

/// A transfer that is under way.
pub(crate) struct Transfer<C> {
    pub(crate) direction: Direction,
    pub(crate) target: usize,
    pub(crate) buffer: *mut u8,
    pub(crate) bytes: usize,
    /// The region's key, and the address in it.
    pub(crate) remote: (u64, u64),
    pub(crate) notify: Option<Notification>,
    pub(crate) local: Option<Completion<C>>,
    pub(crate) done: Option<Completion<C>>,
}

impl<C> Transfer<C> {
    pub(crate) fn target(&self) -> usize {
        self.target
    }

    /// Who is told.
    pub(crate) fn into_completions(self) -> [Option<Completion<C>>; 2] {
        [self.local, self.done]
    }
}

/// A transfer that the target has been asked for.
pub(crate) struct ScatteredTransfer<C> {
    pub(crate) target: usize,
    /// Where a get's data goes.
    pub(crate) machine: Option<Machine>,
    pub(crate) bytes: usize,
    pub(crate) local: Option<Completion<C>>,
    pub(crate) done: Option<Completion<C>>,
}

impl<C> ScatteredTransfer<C> {
    pub(crate) fn target(&self) -> usize {
        self.target
    }

    /// Who is told.
    pub(crate) fn into_completions(self) -> [Option<Completion<C>>; 2] {
        [self.local, self.done]
    }
}

/// Is given the integer as it was before.
pub type Answer<C> = Box<dyn FnOnce(&C, Result<u64, TransferError>)>;

/// An instruction that is under way.
pub(crate) struct Asked<C> {
    pub(crate) target: usize,
    pub(crate) done: Option<Answer<C>>,
}

impl<C> Asked<C> {
    /// It is over without an answer.
    pub(crate) fn fail(self, context: &C, error: TransferError) {
        if let Some(done) = self.done {
            done(context, Err(error));
        }
    }
}
