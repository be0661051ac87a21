//! The C functions of collective operations.
//!
//! Before: an algorithm of a geometry, and the parameters of its kind. After: [`crate::collective`] has the
//! operation under way.

use std::ffi::c_void;

use crate::collective::active::listen;
use crate::collective::{Call, start};
use crate::context::HeldHandle;
use crate::context::active_collectives::Registration;
use crate::geometry::algorithms::Algorithm;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::collective::Transfer;
use crate::structures::function::MemberFunction;
use crate::structures::pointer::In;

/// Starts an operation with the parameters of its algorithm's kind; buffers stay until it has ended.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Collective(context: HeldHandle, transfer: In<Transfer>) -> Code {
    let begin = || {
        let (object, transfer) = (context.get()?, transfer.get());
        let argument = "cmd";
        let transfer = transfer.ok_or(Refusal::Null { argument })?;
        let (call, kind) = Call::new(object, transfer)?;
        start(call, kind, &transfer.cmd)
    };
    answer(begin())
}

/// Has a function of the type that the algorithm's kind has receive messages; it is good with its cookie as long as the context lives.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_AMCollective_dispatch_set(
    context: HeldHandle,
    algorithm: usize,
    dispatch: usize,
    function: MemberFunction,
    cookie: *mut c_void,
    _options: u32,
) -> Code {
    let set = || {
        let object = context.get()?;
        object.check_dispatch_range(dispatch)?;
        let kind = Algorithm::of_word(algorithm)?.kind;
        if !kind.is_active() {
            return Err(Refusal::Algorithm { algorithm });
        }
        let argument = "fn";
        let function = function.ok_or(Refusal::Null { argument })?;
        listen(object)?;
        let registration = Registration { function, cookie };
        object.active().set(kind, dispatch, registration);
        Ok(())
    };
    answer(set())
}
