//! Records that C carries as extra state.
//!
//! Step before: a function that hands procedures to C. Step after: a callback, with the record's address.
//! Invariant: a record is never freed and equal ones are one: C does not say when a key or a data
//! representation is used for the last time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use crate::c::c_void;

/// All records of one kind.
pub struct Records<R: 'static>(Mutex<Option<HashMap<R, &'static R>>>);

impl<R: Copy + Eq + Hash> Records<R> {
    /// None yet.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The address of a record, for C.
    pub fn address(&self, record: R) -> *mut c_void {
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = records.get_or_insert_default().entry(record);
        let record: &'static R = known.or_insert_with(|| Box::leak(Box::new(record)));
        std::ptr::from_ref(record).cast_mut().cast()
    }
}
