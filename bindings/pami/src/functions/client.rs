//! The C functions on clients, and the clock that each of them offers.
//!
//! Before: a program's call. After: [`crate::client`] has the object, or has ended it.

use std::ffi::c_void;

use crate::client::{ClientObject, is_attribute, machine};
use crate::edge::attributes::{entries, query, update};
use crate::edge::handle::{Handle, Object};
use crate::edge::mark;
use crate::geometry::end_all;
use crate::refusal::{Refusal, answer};
use crate::structures::pointer::{InOut, Out, Text};
use crate::structures::{Code, Configuration};

/// Creates a client.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Client_create(
    name: Text,
    client: Out<Handle<ClientObject>>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let mut create = || {
        let (Some(name), false) = (name.get(), client.is_null()) else {
            let argument = "name or client";
            return Err(Refusal::Null { argument });
        };
        let name = name.to_str().ok().filter(|name| !name.is_empty());
        let configuration = entries(&mut configuration, num_configs)?;
        if mark::is_forked() {
            return Err(Refusal::Forked);
        }
        let object = ClientObject::create(name.ok_or(Refusal::Name)?, configuration)?;
        client.put(object.handle());
        Ok(())
    };
    answer(create())
}

/// Destroys a client that nobody else uses.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Client_destroy(mut client: InOut<Handle<ClientObject>>) -> Code {
    let mut destroy = || {
        let argument = "client";
        let handle = client.get().ok_or(Refusal::Null { argument })?;
        let object = handle.get_unvouched()?;
        object.end(|| end_all(object))?;
        *handle = Handle::NULL;
        Ok(())
    };
    answer(destroy())
}

/// Asks a client for attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Client_query(
    client: Handle<ClientObject>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let outcome = client.get().and_then(|client| {
        query("client", &mut configuration, num_configs, |name| {
            client.answer(name)
        })
    });
    answer(outcome)
}

/// Refuses to change a client's attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Client_update(
    client: Handle<ClientObject>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let outcome = (client.get())
        .and_then(|_| update("client", &mut configuration, num_configs, is_attribute));
    answer(outcome)
}

/// Seconds since some moment in the past.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Wtime(_client: *mut c_void) -> f64 {
    machine::seconds()
}

/// Nanoseconds since that moment.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Wtimebase(_client: *mut c_void) -> u64 {
    machine::nanoseconds()
}
