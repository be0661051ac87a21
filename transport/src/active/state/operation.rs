//! Active messages and one-sided transfers that are under way.
//!
//! Before: an instruction that cannot end at once gets a place here, and a word that names it
//! in descriptors and packets. After: whatever ends it takes it out.
//!
//! ```text
//! bit 63: 1    32..63: generation    0..32: index
//! ```
//!
//! The top bit tells such a word from a tagged request's; the generation tells a word that a
//! peer kept, or invented, from one that is good.

use std::cell::RefCell;

use crate::active::completion::Completion;
use crate::active::dispatch::Status;
use crate::active::state::memory::Memory;
use crate::active::state::transfer::{Asked, ScatteredTransfer, Transfer};

/// Set in every operation's word.
const MARK: u64 = 1 << 63;

/// Whether a descriptor's cookie names an operation rather than a tagged request.
#[inline(always)]
pub(crate) fn is_operation(cookie: u64) -> bool {
    cookie & MARK != 0
}

/// Something under way in a context `C`.
pub(crate) enum Operation<C> {
    /// A message at its origin.
    Send(Send<C>),
    /// A message at its target.
    Receive(Receipt<C>),
    /// A transfer between two memories, by the kernel.
    Direct(Transfer<C>),
    /// A get whose data comes as a message.
    Get(Transfer<C>),
    /// A transfer that the node's engine moves; who waits for it waits for the engine.
    ByEngine {
        /// The engine's context.
        engine: usize,
        /// What is moved.
        transfer: Transfer<C>,
    },
    /// A put or a get between layouts that the target is asked for.
    Scattered(ScatteredTransfer<C>),
    /// An integer that another task is to modify.
    ReadModifyWrite(Asked<C>),
}

impl<C> Operation<C> {
    /// The target of an operation that started here.
    fn target(&self) -> Option<usize> {
        match self {
            Self::Receive(_) => None,
            Self::ByEngine { transfer, .. } => Some(transfer.target()),
            _ => Some(self.peer()),
        }
    }

    /// The other end: where it goes, or where it comes from.
    fn peer(&self) -> usize {
        match self {
            Self::Receive(receipt) => receipt.origin,
            Self::Send(send) => send.target,
            Self::ByEngine { engine, .. } => *engine,
            Self::Direct(transfer) | Self::Get(transfer) => transfer.target(),
            Self::Scattered(transfer) => transfer.target(),
            Self::ReadModifyWrite(asked) => asked.target,
        }
    }
}

/// A message at its origin.
pub(crate) struct Send<C> {
    pub(crate) target: usize,
    /// What goes before the data in the first packet.
    pub(crate) prefix: Vec<u8>,
    pub(crate) memory: Memory,
    pub(crate) bytes: usize,
    pub(crate) local: Option<Completion<C>>,
    pub(crate) remote: Option<Completion<C>>,
    /// `ACTIVE_DONE` is still to come.
    pub(crate) acknowledged: bool,
}

/// A message at its target.
pub(crate) struct Receipt<C> {
    pub(crate) origin: usize,
    pub(crate) memory: Memory,
    pub(crate) room: usize,
    /// Data that has come.
    pub(crate) at: usize,
    pub(crate) total: usize,
    pub(crate) done: Option<Completion<C>>,
    pub(crate) status: Status,
    /// The origin's operation, if it waits for `ACTIVE_DONE`.
    pub(crate) acknowledge: Option<u64>,
}

struct Slot<C> {
    generation: u32,
    operation: Option<Operation<C>>,
}

/// All operations of a context `C`.
pub(crate) struct Operations<C> {
    slots: RefCell<Vec<Slot<C>>>,
    free: RefCell<Vec<u32>>,
}

impl<C> Default for Operations<C> {
    fn default() -> Self {
        Self {
            slots: RefCell::default(),
            free: RefCell::default(),
        }
    }
}

impl<C> Operations<C> {
    /// Gives an operation a place; its word.
    pub(crate) fn start(&self, operation: Operation<C>) -> u64 {
        let mut slots = self.slots.borrow_mut();
        let free = self.free.borrow_mut().pop();
        let index = free.unwrap_or_else(|| {
            slots.push(Slot {
                generation: 0,
                operation: None,
            });
            slots.len() as u32 - 1
        });
        let slot = &mut slots[index as usize];
        slot.generation = (slot.generation + 1) & 0x7FFF_FFFF;
        slot.operation = Some(operation);
        MARK | u64::from(slot.generation) << 32 | u64::from(index)
    }

    /// Looks at an operation, if the word names one. `look` calls nothing of the program's.
    pub(crate) fn with<T>(
        &self,
        word: u64,
        look: impl FnOnce(&mut Operation<C>) -> T,
    ) -> Option<T> {
        let mut slots = self.slots.borrow_mut();
        let slot = named(&mut slots, word)?;
        slot.operation.as_mut().map(look)
    }

    /// Takes an operation out, if the word names one.
    pub(crate) fn take(&self, word: u64) -> Option<Operation<C>> {
        let mut slots = self.slots.borrow_mut();
        let operation = named(&mut slots, word)?.operation.take()?;
        self.free.borrow_mut().push(word as u32);
        Some(operation)
    }

    /// Whether the word names one.
    pub(crate) fn is_under_way(&self, word: u64) -> bool {
        self.with(word, |_| ()).is_some()
    }

    /// The words of those that started here and go to `target`.
    pub(crate) fn towards(&self, target: usize) -> Vec<u64> {
        let slots = self.slots.borrow();
        let words = slots.iter().enumerate().filter_map(|(index, slot)| {
            let own = slot.operation.as_ref()?.target() == Some(target);
            own.then_some(MARK | u64::from(slot.generation) << 32 | index as u64)
        });
        words.collect()
    }

    /// The words of those whose other end is `peer`.
    pub(crate) fn with_peer(&self, peer: usize) -> Vec<u64> {
        let slots = self.slots.borrow();
        let words = slots.iter().enumerate().filter_map(|(index, slot)| {
            let own = slot.operation.as_ref()?.peer() == peer;
            own.then_some(MARK | u64::from(slot.generation) << 32 | index as u64)
        });
        words.collect()
    }

    /// The other ends of all.
    pub(crate) fn peers(&self) -> Vec<usize> {
        let slots = self.slots.borrow();
        let operations = slots.iter().filter_map(|slot| slot.operation.as_ref());
        operations.map(Operation::peer).collect()
    }

    /// How many are under way.
    pub(crate) fn len(&self) -> usize {
        self.slots.borrow().len() - self.free.borrow().len()
    }
}

fn named<C>(slots: &mut [Slot<C>], word: u64) -> Option<&mut Slot<C>> {
    let slot = slots.get_mut(word as u32 as usize)?;
    let current = MARK | u64::from(slot.generation) << 32;
    (current == word & !u64::from(u32::MAX)).then_some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(bytes: usize) -> Operation<()> {
        Operation::Send(Send {
            target: 0,
            prefix: Vec::new(),
            memory: Memory::Contiguous(std::ptr::null_mut()),
            bytes,
            local: None,
            remote: None,
            acknowledged: false,
        })
    }

    #[test]
    fn a_word_names_one_operation() {
        let operations = Operations::default();
        let first = operations.start(send(1));
        let second = operations.start(send(2));
        assert!(is_operation(first) && first != second);
        assert!(operations.take(first).is_some());
        assert!(operations.take(first).is_none());
        let third = operations.start(send(3));
        assert_eq!(third as u32, first as u32);
        assert!(operations.with(first, |_| ()).is_none());
        assert!(operations.with(third, |_| ()).is_some());
        assert!(operations.take(0).is_none() && operations.take(u64::MAX).is_none());
        assert_eq!(operations.len(), 2);
        assert_eq!(operations.towards(0).len(), 2);
        assert!(
            operations
                .towards(0)
                .iter()
                .all(|word| operations.is_under_way(*word))
        );
        assert!(operations.towards(1).is_empty() && !operations.is_under_way(first));
    }
}
