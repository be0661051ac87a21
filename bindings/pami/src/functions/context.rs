//! The C functions on contexts: creating and destroying them, their attributes, their locks, posting work.
//!
//! Before: a program's call. After: [`crate::context`] has the object, or has ended it.

use std::ffi::c_void;

use lock_api::RawMutex as _;

use crate::client::client_of;
use crate::context::{ContextObject, context_of, made};
use crate::edge::attributes::{entries, query, update};
use crate::refusal::{Refusal, answer, refused};
use crate::structures::configuration::attribute;
use crate::structures::{Code, Configuration, HIGHEST_DISPATCH, Value, WorkFunction};

/// # Safety
///
/// `client` is a client's handle; `context` has room for `ncontexts` handles, and the
/// configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_createv(
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
    context: *mut *mut c_void,
    ncontexts: usize,
) -> Code {
    let create = || {
        // SAFETY: the caller vouches for the handle and the entries.
        let (client, configuration) =
            unsafe { (client_of(client)?, entries(configuration, num_configs)?) };
        if let Some(entry) = configuration.first() {
            let (attribute, object) = (entry.name, "context that is created");
            return Err(Refusal::Attribute { attribute, object });
        }
        if context.is_null() {
            let argument = "context";
            return Err(Refusal::Null { argument });
        }
        client.client().expect_contexts(ncontexts)?;
        for index in 0..ncontexts {
            let object = ContextObject::create(client)?;
            made::add(object);
            // SAFETY: the caller vouches for the room.
            unsafe { *context.add(index) = object.handle() };
        }
        Ok(())
    };
    answer(create())
}

/// # Safety
///
/// `contexts` has `ncontexts` handles of contexts that nobody uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_destroyv(
    contexts: *mut *mut c_void,
    ncontexts: usize,
) -> Code {
    let destroy = || {
        if contexts.is_null() {
            let argument = "contexts";
            return Err(Refusal::Null { argument });
        }
        for index in 0..ncontexts {
            // SAFETY: the caller vouches for the handles, and that nobody uses the contexts.
            unsafe {
                let handle = contexts.add(index);
                context_of(*handle)?.end()?;
                *handle = std::ptr::null_mut();
            }
        }
        Ok(())
    };
    answer(destroy())
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_query(
    context: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let intval = HIGHEST_DISPATCH;
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { context_of(context) }.and_then(|_| unsafe {
        query("context", configuration, num_configs, |name| {
            (name == attribute::CONTEXT_DISPATCH_ID_MAX).then_some(Value { intval })
        })
    });
    answer(outcome)
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_update(
    context: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { context_of(context) }.and_then(|_| unsafe {
        update("context", configuration, num_configs, |name| {
            name == attribute::CONTEXT_DISPATCH_ID_MAX
        })
    });
    answer(outcome)
}

/// # Safety
///
/// `context` is a context's handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_lock(context: *mut c_void) -> Code {
    // SAFETY: the caller vouches for the handle.
    let outcome = unsafe { context_of(context) };
    answer(outcome.map(|object| object.lock().lock()))
}

/// # Safety
///
/// `context` is a context's handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_trylock(context: *mut c_void) -> Code {
    // SAFETY: the caller vouches for the handle.
    match unsafe { context_of(context) } {
        Ok(object) if object.lock().try_lock() => Code::Success,
        Ok(_) => Code::Again,
        Err(refusal) => refused(refusal),
    }
}

/// # Safety
///
/// `context` is a context's handle, and the caller has its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_unlock(context: *mut c_void) -> Code {
    // SAFETY: the caller vouches for the handle.
    let outcome = unsafe { context_of(context) }.and_then(|object| {
        if !object.lock().is_locked() {
            return Err(Refusal::NotLocked);
        }
        // SAFETY: it is locked, and by this caller, as it vouches.
        unsafe { object.lock().unlock() };
        Ok(())
    });
    answer(outcome)
}

/// # Safety
///
/// `context` is a context's handle that is not destroyed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_post(
    context: *mut c_void,
    _work: *mut c_void,
    function: WorkFunction,
    cookie: *mut c_void,
) -> Code {
    let post = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        let argument = "fn";
        let function = function.ok_or(Refusal::Null { argument })?;
        object.post(function, cookie);
        Ok(())
    };
    answer(post())
}
