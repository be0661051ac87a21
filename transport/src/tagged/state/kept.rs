//! Memory that stays until the process ends.
//!
//! Before: a queue or the requests of a context have grown. After: references to it are good for ever, also when the
//! context is gone; and tools that look for lost memory find its address here.

use std::sync::{Mutex, PoisonError};

/// The addresses of all of it.
static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn remember<T: ?Sized>(kept: &'static T) -> &'static T {
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(std::ptr::from_ref(kept).addr());
    kept
}

/// Keeps one value.
pub(in crate::tagged) fn one<T>(value: Box<T>) -> &'static T {
    remember(Box::leak(value))
}

/// Keeps a list.
pub(in crate::tagged) fn slice<T>(list: Vec<T>) -> &'static [T] {
    remember(list.leak())
}
