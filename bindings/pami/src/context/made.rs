//! The contexts that each client has made, in the order of their offsets.
//!
//! Before: `PAMI_Context_createv` has made one. After: collective operations find the context of an offset.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::client::ClientObject;
use crate::context::ContextObject;
use crate::edge::handle::Object;
use crate::refusal::Refusal;

/// All contexts of this process, those of one client in the order of their offsets.
static MADE: Mutex<Vec<&'static ContextObject>> = Mutex::new(Vec::new());

fn made() -> MutexGuard<'static, Vec<&'static ContextObject>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn are_of(client: &ClientObject) -> impl Fn(&&&'static ContextObject) -> bool {
    move |context| std::ptr::eq(context.client(), client)
}

/// A context was made: the next one of its client.
pub fn add(context: &'static ContextObject) {
    made().push(context);
}

/// How many contexts a client has made.
pub fn count(client: &ClientObject) -> usize {
    made().iter().filter(are_of(client)).count()
}

/// The context of a client with an offset.
///
/// # Errors
///
/// [`Refusal::NoContext`] where there is none, or none any more.
pub fn context_at(client: &ClientObject, offset: usize) -> Result<&'static ContextObject, Refusal> {
    let found = made().iter().filter(are_of(client)).nth(offset).copied();
    found
        .filter(|context| context.is_living())
        .ok_or(Refusal::NoContext { offset })
}

/// Whether tasks of the job share processors, as far as a context of this client knows.
pub fn is_job_oversubscribed(client: &ClientObject) -> bool {
    let made = made();
    let first = made.iter().find(are_of(client));
    first.is_some_and(|context| context.is_job_oversubscribed())
}
