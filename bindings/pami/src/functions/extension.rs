//! The C functions on extensions.
//!
//! Before: a program names an extension. After: it has the addresses of what [`crate::extension`] offers.

use std::ffi::c_void;

use crate::client::ClientObject;
use crate::edge::handle::Handle;
use crate::extension;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::pointer::{Out, Text};

/// Opens the extension of a name; the client is looked at by those that need one.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Extension_open(
    client: Handle<ClientObject>,
    name: Text,
    handle: Out<*mut c_void>,
) -> Code {
    let opening = || {
        let (Some(name), false) = (name.get(), handle.is_null()) else {
            let argument = "name or extension";
            return Err(Refusal::Null { argument });
        };
        let name = name.to_string_lossy();
        // IBM's library asks for a client only where the extension needs it.
        let task = || {
            let client = client.get()?.client();
            Ok((client.task(), client.tasks()))
        };
        handle.put(extension::open(&name, task)?);
        Ok(())
    };
    answer(opening())
}

/// Nothing is kept for an extension that is open.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Extension_close(handle: *mut c_void) -> Code {
    answer(extension::check(handle))
}

/// What an extension has under a name; NULL if nothing.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Extension_symbol(handle: *mut c_void, name: Text) -> *mut c_void {
    match (extension::check(handle), name.get()) {
        (Ok(()), Some(name)) => extension::symbol(handle, name.to_bytes()),
        _ => std::ptr::null_mut(),
    }
}
