//! Puts and gets that tell the other task: of the extension `EXT_pamir`.
//!
//! Before: a program looks `put_notify` or `get_notify` up. After: when the data is there, or has been provided, the other
//! task's advance calls the function of the dispatch id with a header of three words and no data:
//!
//! ```text
//! byte 0 word of the program's    8 address in the memory of the task that is told    16 bytes
//! ```
//!
//! Source: "PAMI", flows of PUT and GET: the descriptor of a put goes on to the target's reception FIFO, and its advance
//! tells the program; a get's data is provided by the advance of the task that has it.

use pamir_transport::one_sided::Notification;

use crate::context::HeldHandle;
use crate::one_sided::simple;
use crate::refusal::{Refusal, answer};
use crate::structures::pointer::In;
use crate::structures::{Code, GetSimple, PutSimple};

/// As `PAMI_Put`, and tells the target.
pub extern "C" fn put_notify(
    context: HeldHandle,
    parameters: In<PutSimple>,
    dispatch: usize,
    word: u64,
) -> Code {
    let put = || {
        simple::put(
            context,
            parameters,
            Some(notification(&context, dispatch, word)?),
        )
    };
    answer(put())
}

/// As `PAMI_Get`, and tells the task whose memory is read.
pub extern "C" fn get_notify(
    context: HeldHandle,
    parameters: In<GetSimple>,
    dispatch: usize,
    word: u64,
) -> Code {
    let get = || {
        simple::get(
            context,
            parameters,
            Some(notification(&context, dispatch, word)?),
        )
    };
    answer(get())
}

fn notification(context: &HeldHandle, dispatch: usize, word: u64) -> Result<Notification, Refusal> {
    context.get()?.check_dispatch_range(dispatch)?;
    let dispatch = dispatch as u16;
    Ok(Notification { dispatch, word })
}
