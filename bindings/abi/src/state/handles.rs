//! Handles of objects that were made while the program runs.
//!
//! A handle is a number that C carries around and never follows:
//!
//! ```text
//! bit 30      29..26   25..20        19..0
//!     1       kind     generation    index        objects: below 2^31, so that Fortran can have them
//! bit 63      1, and the transport's request id below: requests of messages
//! ```
//!
//! Predefined handles are below 0x1000. The generation of a slot changes when its object is
//! freed, so that a handle that was freed, or never given out, is recognised.

use std::cell::RefCell;
use std::rc::Rc;

use crate::error::{Error, ErrorClass};

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
    /// A window.
    Window,
}

/// The error of a handle that names no object of a kind; `null` is its name where it is the kind's handle of nothing.
#[cold]
pub fn names_nothing(class: ErrorClass, handle: usize, null: Option<&str>, kind: &str) -> Error {
    let what = match null {
        Some(name) => format!("{name} is"),
        None => "this handle is freed, or".to_owned(),
    };
    class.with(format!("{what} no {kind} ({handle:#x})"))
}

const MARK: usize = 1 << 30;
const KIND_SHIFT: u32 = 26;
const GENERATION_SHIFT: u32 = 20;
const GENERATIONS: usize = 1 << 6;
const INDEX_MASK: usize = (1 << GENERATION_SHIFT) - 1;

#[derive(Debug)]
struct Slot<V> {
    generation: usize,
    value: Option<V>,
}

/// Values by handle. [`Table`] is what MPI's state holds; this is for what other locks hold.
#[derive(Debug)]
pub struct Slots<V> {
    kind: Kind,
    slots: Vec<Slot<V>>,
    free: Vec<usize>,
}

impl<V> Slots<V> {
    /// No values, for objects of one kind.
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Takes a value and gives its handle.
    ///
    /// # Panics
    ///
    /// With more than a million objects of one kind.
    pub fn insert(&mut self, value: V) -> usize {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 0,
                value: None,
            });
            self.slots.len() - 1
        });
        assert!(
            index <= INDEX_MASK,
            "a program has at most {INDEX_MASK} objects of one kind"
        );
        let slot = &mut self.slots[index];
        slot.value = Some(value);
        handle(self.kind, slot.generation, index)
    }

    /// The value behind a handle, if there is one.
    #[inline]
    pub fn get(&self, handle: usize) -> Option<&V> {
        let slot = self.slots.get(handle & INDEX_MASK)?;
        self.names(handle, slot).then_some(slot.value.as_ref())?
    }

    /// The value behind a handle, to be changed.
    pub fn get_mut(&mut self, handle: usize) -> Option<&mut V> {
        self.get(handle)?;
        self.slots[handle & INDEX_MASK].value.as_mut()
    }

    /// Takes the value away from its handle, which names nothing from now on.
    pub fn remove(&mut self, handle: usize) -> Option<V> {
        self.get(handle)?;
        let slot = &mut self.slots[handle & INDEX_MASK];
        let value = slot.value.take()?;
        slot.generation = (slot.generation + 1) % GENERATIONS;
        self.free.push(handle & INDEX_MASK);
        Some(value)
    }

    fn names(&self, handle: usize, slot: &Slot<V>) -> bool {
        let head = MARK >> GENERATION_SHIFT
            | (self.kind as usize) << (KIND_SHIFT - GENERATION_SHIFT)
            | slot.generation;
        handle >> GENERATION_SHIFT == head
    }
}

fn handle(kind: Kind, generation: usize, index: usize) -> usize {
    MARK | (kind as usize) << KIND_SHIFT | generation << GENERATION_SHIFT | index
}

/// The objects of one kind that the program holds handles of.
#[derive(Debug)]
pub struct Table<T>(RefCell<Slots<Rc<T>>>);

impl<T> Table<T> {
    /// A table of objects of one kind.
    pub fn new(kind: Kind) -> Self {
        Self(RefCell::new(Slots::new(kind)))
    }

    /// Takes an object and gives its handle.
    ///
    /// # Panics
    ///
    /// With more than a million objects of one kind.
    pub fn insert(&self, value: Rc<T>) -> usize {
        self.0.borrow_mut().insert(value)
    }

    /// The object behind a handle, if there is one.
    #[inline]
    pub fn get(&self, handle: usize) -> Option<Rc<T>> {
        self.0.borrow().get(handle).cloned()
    }

    /// Lets `look` see the object behind a handle, if there is one; it must not change the table.
    #[inline(always)]
    pub fn with<R>(&self, handle: usize, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.0.borrow().get(handle).map(|object| look(object))
    }

    /// Takes the object away from its handle, which names nothing from now on.
    pub fn remove(&self, handle: usize) -> Option<Rc<T>> {
        self.0.borrow_mut().remove(handle)
    }

    /// Every object with its handle.
    pub fn all(&self) -> Vec<(usize, Rc<T>)> {
        let table = self.0.borrow();
        let slots = table.slots.iter().enumerate();
        let objects = slots.filter_map(|(index, slot)| {
            let handle = handle(table.kind, slot.generation, index);
            slot.value.clone().map(|value| (handle, value))
        });
        objects.collect()
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
