//! Objects of `pamir.h` by number: partitions and tasks.
//!
//! A `pamir_partition *` or `pamir_tasks *` is a number that C carries and nobody follows, as MPI's handles
//! are. No number is given out twice, so one that was freed is recognised.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use crate::types::MPI_Comm;

/// A pointer of `pamir.h` that names an object.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Handle(*mut c_void);

impl Handle {
    /// The handle of nothing.
    pub fn none() -> Self {
        Self(std::ptr::null_mut())
    }

    /// The number that C carries.
    pub fn number(self) -> usize {
        self.0.addr()
    }
}

/// An object, and the communicator whose error handler decides.
pub struct Known<T> {
    /// The object.
    pub object: T,
    /// The communicator's handle.
    pub comm: MPI_Comm,
}

/// Objects of one kind by number.
pub struct Numbered<T> {
    known: RefCell<HashMap<usize, Rc<Known<T>>>>,
    last: Cell<usize>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            known: RefCell::default(),
            last: Cell::new(0),
        }
    }
}

impl<T> Numbered<T> {
    /// Takes an object of a communicator, and gives its handle.
    pub fn insert(&self, object: T, comm: MPI_Comm) -> Handle {
        let number = self.last.get() + 1;
        self.last.set(number);
        let known = Rc::new(Known { object, comm });
        self.known.borrow_mut().insert(number, known);
        Handle(std::ptr::without_provenance_mut(number))
    }

    /// The object behind a handle.
    pub fn get(&self, handle: Handle) -> Option<Rc<Known<T>>> {
        self.known.borrow().get(&handle.number()).cloned()
    }

    /// Lets the handle name nothing any more.
    pub fn remove(&self, handle: Handle) {
        self.known.borrow_mut().remove(&handle.number());
    }
}
