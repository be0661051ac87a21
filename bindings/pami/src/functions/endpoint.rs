//! The C functions on endpoints: their words, and closing and reopening the way to them.
//!
//! Before: a client, a task and an offset, or words. After: a word, what it is made of, or a context that refuses
//! instructions to endpoints.
//!
//! Once a program has fenced, and agreed with the others, `PAMI_Purge` refuses instructions to endpoints with
//! `PAMI_SHUTDOWN`, until `PAMI_Resume`. While something is under way to one of them, none is purged
//! (`PAMI_EAGAIN`).

use pamir_transport::active::ActiveError;
use pamir_transport::context::Context;
use pamir_transport::context::endpoint::Endpoint;

use crate::client::ClientObject;
use crate::context::HeldHandle;
use crate::context::endpoint::{endpoint_of, word_of};
use crate::edge::handle::Handle;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::pointer::{List, Out};

/// Makes the word of an endpoint.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Endpoint_create(
    client: Handle<ClientObject>,
    task: u32,
    offset: usize,
    endpoint: Out<u32>,
) -> Code {
    let create = || {
        let made = client.get()?.client().endpoint(task as usize, offset)?;
        if endpoint.is_null() {
            let argument = "endpoint";
            return Err(Refusal::Null { argument });
        }
        endpoint.put(word_of(made));
        Ok(())
    };
    answer(create())
}

/// Task and context of an endpoint.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Endpoint_query(endpoint: u32, task: Out<u32>, offset: Out<usize>) -> Code {
    if task.is_null() || offset.is_null() {
        let argument = "task or offset";
        return answer(Err(Refusal::Null { argument }));
    }
    if endpoint == u32::MAX {
        return answer(Err(Refusal::Endpoint { endpoint }));
    }
    let endpoint = endpoint_of(endpoint);
    task.put(endpoint.task() as u32);
    offset.put(endpoint.context());
    Code::Success
}

fn change(
    context: HeldHandle,
    dest: List<u32>,
    count: usize,
    change: impl Fn(&Context, &[Endpoint]) -> Result<(), ActiveError>,
) -> Result<(), Refusal> {
    let object = context.get()?;
    if count == 0 {
        return Ok(());
    }
    let argument = "dest";
    let words = dest.get(count).ok_or(Refusal::Null { argument })?;
    let context = object.context();
    let endpoints: Vec<_> = words.iter().map(|word| endpoint_of(*word)).collect();
    if let Some(index) = endpoints.iter().position(|one| *one == context.endpoint()) {
        let endpoint = words[index];
        return Err(Refusal::OwnEndpoint { endpoint });
    }
    Ok(change(context, &endpoints)?)
}

/// Closes the way to endpoints.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Purge(context: HeldHandle, dest: List<u32>, count: usize) -> Code {
    let close = |context: &Context, endpoints: &[Endpoint]| {
        for (index, endpoint) in endpoints.iter().enumerate() {
            if let Err(error) = context.close_endpoint(*endpoint) {
                for closed in &endpoints[..index] {
                    context.reopen_endpoint(*closed)?;
                }
                return Err(error);
            }
        }
        Ok(())
    };
    answer(change(context, dest, count, close))
}

/// Opens it again.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Resume(context: HeldHandle, dest: List<u32>, count: usize) -> Code {
    let open = |context: &Context, endpoints: &[Endpoint]| {
        let mut opened = endpoints.iter().map(|one| context.reopen_endpoint(*one));
        opened.try_for_each(|outcome| outcome)
    };
    answer(change(context, dest, count, open))
}
