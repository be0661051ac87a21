//! Handles of objects that were made while the program runs.
//!
//! A handle is a number that C carries around and never follows:
//!
//! ```text
//! bit 30      29..27   26..20        19..0
//!     1       kind     generation    index        objects: below 2^31, so that Fortran can have them
//! bit 63      1, and the transport's request id below: requests of messages
//! ```
//!
//! Predefined handles are below 0x1000. The generation of a slot changes when its object is
//! freed, so that a handle that was freed, or never given out, is recognised.

use std::cell::RefCell;
use std::rc::Rc;

/// What a handle names, so that a communicator's is not taken for a group's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Kind {
    /// A communicator.
    Communicator,
    /// A group.
    Group,
    /// A datatype.
    Datatype,
    /// A reduction operation.
    Operation,
    /// An error handler.
    ErrorHandler,
    /// An info object.
    Info,
    /// A message that a matched probe has claimed.
    Message,
    /// A request that is more than one message: persistent, collective, generalized.
    Request,
}

const MARK: usize = 1 << 30;
const KIND_SHIFT: u32 = 27;
const GENERATION_SHIFT: u32 = 20;
const GENERATIONS: usize = 1 << 7;
const INDEX_MASK: usize = (1 << GENERATION_SHIFT) - 1;

#[derive(Debug)]
struct Slot<T> {
    generation: usize,
    value: Option<Rc<T>>,
}

/// The objects of one kind that the program holds handles of.
#[derive(Debug)]
pub struct Table<T> {
    kind: Kind,
    slots: RefCell<Vec<Slot<T>>>,
    free: RefCell<Vec<usize>>,
}

impl<T> Table<T> {
    /// A table of objects of one kind.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            slots: RefCell::default(),
            free: RefCell::default(),
        }
    }

    /// Takes an object and gives its handle.
    ///
    /// # Panics
    ///
    /// With more than a million objects of one kind.
    pub fn insert(&self, value: Rc<T>) -> usize {
        let mut slots = self.slots.borrow_mut();
        let index = self.free.borrow_mut().pop().unwrap_or_else(|| {
            slots.push(Slot {
                generation: 0,
                value: None,
            });
            slots.len() - 1
        });
        assert!(
            index <= INDEX_MASK,
            "a program has at most {INDEX_MASK} objects of one kind"
        );
        let slot = &mut slots[index];
        slot.value = Some(value);
        MARK | (self.kind as usize) << KIND_SHIFT | slot.generation << GENERATION_SHIFT | index
    }

    /// The object behind a handle, if there is one.
    #[inline]
    pub fn get(&self, handle: usize) -> Option<Rc<T>> {
        let slots = self.slots.borrow();
        let slot = slots.get(handle & INDEX_MASK)?;
        self.names(handle, slot).then(|| slot.value.clone())?
    }

    /// Takes the object away from its handle, which names nothing from now on.
    pub fn remove(&self, handle: usize) -> Option<Rc<T>> {
        let mut slots = self.slots.borrow_mut();
        let slot = slots.get_mut(handle & INDEX_MASK)?;
        if !self.names(handle, slot) {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = (slot.generation + 1) % GENERATIONS;
        self.free.borrow_mut().push(handle & INDEX_MASK);
        Some(value)
    }

    /// Every object with its handle.
    pub fn all(&self) -> Vec<(usize, Rc<T>)> {
        let slots = self.slots.borrow();
        let objects = slots.iter().enumerate().filter_map(|(index, slot)| {
            let handle = MARK
                | (self.kind as usize) << KIND_SHIFT
                | slot.generation << GENERATION_SHIFT
                | index;
            slot.value.clone().map(|value| (handle, value))
        });
        objects.collect()
    }

    fn names(&self, handle: usize, slot: &Slot<T>) -> bool {
        let head = MARK >> GENERATION_SHIFT
            | (self.kind as usize) << (KIND_SHIFT - GENERATION_SHIFT)
            | slot.generation;
        handle >> GENERATION_SHIFT == head
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_names_its_object_until_it_is_freed() {
        let table = Table::new(Kind::Group);
        let one = table.insert(Rc::new(1));
        let two = table.insert(Rc::new(2));
        assert!(one > 0xFFF && two < 1 << 31 && one != two);
        assert_eq!(
            (table.get(one), table.get(two)),
            (Some(Rc::new(1)), Some(Rc::new(2)))
        );
        assert_eq!(table.remove(one), Some(Rc::new(1)));
        assert_eq!((table.get(one), table.remove(one)), (None, None));
        let three = table.insert(Rc::new(3));
        assert_ne!(three, one);
        assert_eq!(table.all().len(), 2);
        let other = Table::<i32>::new(Kind::Info);
        assert_eq!(
            (other.get(two), table.get(0), table.get(usize::MAX)),
            (None, None, None)
        );
    }
}
