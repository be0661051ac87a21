//! The C functions on contexts: creating and destroying them, their attributes and locks, posting work, advancing.
//!
//! Before: a program's call. After: [`crate::context`] has the object, or has ended it, or has moved on what there
//! is.

use std::ffi::c_void;

use crate::client::ClientObject;
use crate::context::advance::advance_each;
use crate::context::{ContextObject, HeldHandle, made};
use crate::edge::attributes::{entries, query, update};
use crate::edge::handle::{Handle, Object, missing};
use crate::extension::async_progress;
use crate::refusal::{Refusal, answer, refused};
use crate::structures::configuration::attribute;
use crate::structures::pointer::{InOut, List, Out};
use crate::structures::{Code, Configuration, HIGHEST_DISPATCH, Value, WorkFunction};

/// Creates contexts.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_createv(
    client: Handle<ClientObject>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
    context: Out<Handle<ContextObject>>,
    ncontexts: usize,
) -> Code {
    let mut create = || {
        let client = client.get()?;
        // Every task may make as many contexts, whether it is asked for or not.
        let constant = attribute::CLIENT_CONST_CONTEXTS;
        let mut entries = entries(&mut configuration, num_configs)?.iter();
        if let Some(entry) = entries.find(|entry| entry.name != constant) {
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
            context.put_at(index, object.handle());
        }
        Ok(())
    };
    answer(create())
}

/// Destroys contexts that nobody uses.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_destroyv(mut contexts: InOut<HeldHandle>, ncontexts: usize) -> Code {
    let mut destroy = || {
        let argument = "contexts";
        let contexts = contexts.list(ncontexts).ok_or(Refusal::Null { argument })?;
        for handle in contexts {
            let held = handle.get_unvouched()?;
            async_progress::forget(held.object());
            held.end()?;
            *handle = HeldHandle::NULL;
        }
        Ok(())
    };
    answer(destroy())
}

/// Asks a context for attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_query(
    context: Handle<ContextObject>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let highest = Value::number(HIGHEST_DISPATCH);
    let known = |name| (name == attribute::CONTEXT_DISPATCH_ID_MAX).then_some(highest);
    let outcome =
        (context.get()).and_then(|_| query("context", &mut configuration, num_configs, known));
    answer(outcome)
}

/// Refuses to change a context's attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_update(
    context: Handle<ContextObject>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let known = |name| name == attribute::CONTEXT_DISPATCH_ID_MAX;
    let outcome =
        (context.get()).and_then(|_| update("context", &mut configuration, num_configs, known));
    answer(outcome)
}

/// Takes a context's lock.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_lock(context: Handle<ContextObject>) -> Code {
    answer(context.get().map(ContextObject::lock))
}

/// Takes a context's lock, if nobody has it.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_trylock(context: Handle<ContextObject>) -> Code {
    match context.get() {
        Ok(object) if object.try_lock() => Code::Success,
        Ok(_) => Code::Again,
        Err(refusal) => refused(refusal),
    }
}

/// Gives a context's lock back, which the caller has.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_unlock(context: Handle<ContextObject>) -> Code {
    answer(context.get().and_then(ContextObject::unlock))
}

/// Posts work to a context.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_post(
    context: Handle<ContextObject>,
    _work: *mut c_void,
    function: WorkFunction,
    cookie: *mut c_void,
) -> Code {
    let post = || {
        let object = context.get()?;
        let argument = "fn";
        object.post(function.ok_or(Refusal::Null { argument })?, cookie);
        Ok(())
    };
    answer(post())
}

/// Advances a context that the calling thread has for itself.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_advance(context: HeldHandle, maximum: usize) -> Code {
    match context.living() {
        Some(context) => context.advance(context.context(), maximum),
        None => refused(missing::<ContextObject>()),
    }
}

/// Advances several contexts that the calling thread has for itself.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_advancev(
    context: List<HeldHandle>,
    count: usize,
    maximum: usize,
) -> Code {
    advance_each(context.get(count), maximum, |context: HeldHandle| {
        let context = context.get()?;
        Ok((context.object(), context.turn(context.context())?))
    })
}

/// Advances those of several contexts whose locks nobody has.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Context_trylock_advancev(
    context: List<Handle<ContextObject>>,
    count: usize,
    maximum: usize,
) -> Code {
    advance_each(
        context.get(count),
        maximum,
        |context: Handle<ContextObject>| {
            let object = context.get()?;
            let moved = object.try_locked(|context| context.turn(context.context()));
            Ok((object, moved.unwrap_or(Ok(false))?))
        },
    )
}
