//! Accumulates that the target does itself, asked for by a message.
//!
//! Before: the target's memory is neither mapped at the origin nor copied by the kernel. After: the target has advanced, and has
//! changed its elements as the origin would have, the gate closed; the origin hears of it.
//!
//! ```text
//! REQUEST │ window  place  packed bytes  code bytes  what  word │ program's code, elements ... ──▶ done where it lands
//!         ◀── ANSWER │ word  status │                 without a result   ([`crate::one_sided::scattered`])
//!         ◀── DATA │ word  status │ elements before ...    with one
//! what: bits 0..8 operation, or 255 to compare and swap; 8..16 primitive; bit 16 whether a result is wanted
//! ```
//!
//! Invariant: the target looks the window up, deserialises the program and compares its reach with its own part before it touches
//! memory.

use super::accumulate::{Accumulate, Change};
use super::transfer::{Remote, failed_to_start};
use super::{Window, WindowError};
use crate::active::dispatch::{Arrival, Status};
use crate::active::send::ActiveMessage;
use crate::active::state::transfer::ScatteredTransfer;
use crate::active::{ActiveError, Completion, Operation as UnderWay, Receive};
use crate::context::Context;
use crate::context::endpoint::Endpoint;
use crate::gather_scatter::{Machine, Program};
use crate::one_sided::memory_region::words;
use crate::one_sided::scattered;
use crate::operation::{Operation, Primitive};

/// Dispatch id of a request.
pub(in crate::one_sided) const REQUEST: u16 = u16::MAX - 24;

const COMPARE_AND_SWAP: u64 = 255;
const WANTS_RESULT: u64 = 1 << 16;

pub(super) fn what_of(accumulate: &Accumulate<'_>, wants_result: bool) -> u64 {
    let change = match accumulate.change {
        Change::Combine(operation) => {
            let index = Operation::ALL.iter().position(|other| *other == operation);
            index.expect("an operation is one of all") as u64
        }
        Change::CompareAndSwap => COMPARE_AND_SWAP,
    };
    let wants = if wants_result { WANTS_RESULT } else { 0 };
    change | (accumulate.primitive as u64) << 8 | wants
}

pub(super) fn change_of(what: u64) -> Option<(Change, Primitive)> {
    let change = match what & 255 {
        COMPARE_AND_SWAP => Change::CompareAndSwap,
        index => Change::Combine(*Operation::ALL.get(index as usize)?),
    };
    let primitive = Primitive::ALL.get((what >> 8 & 255) as usize)?;
    Some((change, *primitive))
}

impl Window {
    /// Asks the target to change its elements.
    ///
    /// # Safety
    ///
    /// As for [`Window::accumulate`].
    pub(super) unsafe fn ask(
        &self,
        context: &Context,
        to: Remote<'_>,
        accumulate: &Accumulate<'_>,
        result: Option<Machine>,
        done: Option<Completion>,
    ) -> Result<(), WindowError> {
        if !self.has_no_accumulate() {
            context.advance_until(|| self.has_no_accumulate())?;
        }
        let task = self.task(to.rank);
        let (endpoint, what) = (
            context.place.endpoint(task),
            what_of(accumulate, result.is_some()),
        );
        let target = context.target_of(endpoint).map_err(failed_to_start)?;
        let mut payload = to.element.serialize();
        let code_bytes = payload.len();
        payload.extend_from_slice(accumulate.incoming);
        let word = context
            .active
            .operations
            .start(UnderWay::Scattered(ScatteredTransfer {
                target,
                machine: result,
                bytes: to.bytes,
                local: None,
                done: Some(self.begin_accumulate(done)),
            }));
        let header = [
            self.number,
            to.at as u64,
            to.bytes as u64,
            code_bytes as u64,
            what,
            word,
        ];
        let header = header.map(u64::to_ne_bytes);
        let (source, bytes) = (payload.as_ptr(), payload.len());
        let message = ActiveMessage {
            to: endpoint,
            dispatch: REQUEST,
            header: header.as_flattened(),
            // The message's memory goes with it.
            local: Some(Box::new(move |_, _| drop(payload))),
            remote: None,
        };
        context.count_message(target, bytes);
        // SAFETY: the payload lives until `local` is called.
        let started = unsafe { context.start_active(target, message, source, bytes) };
        started.map_err(|error| failed_to_start(ActiveError::from(error)))
    }

    /// Does what a message asks for; the elements as they were, packed, if they are wanted.
    fn serve(
        &self,
        context: &Context,
        request: &Request,
        payload: &[u8],
    ) -> Result<Vec<u8>, Status> {
        let outside = Status::OutsideRegion;
        let (code, incoming) = payload
            .split_at_checked(request.code_bytes)
            .ok_or(outside)?;
        let element = Program::deserialize(code).map_err(|_| outside)?;
        let (change, primitive) = change_of(request.what).ok_or(outside)?;
        let bytes = request.bytes;
        if bytes == 0 || !self.holds_layout(self.rank(), request.at, &element, bytes) {
            return Err(outside);
        }
        let accumulate = Accumulate {
            change,
            primitive,
            incoming,
        };
        let elements = Accumulate::memory_bytes(primitive, bytes);
        let least = match change {
            Change::Combine(Operation::NoOperation) => 0,
            Change::Combine(operation) => {
                operation.check(primitive).map_err(|_| outside)?;
                elements
            }
            Change::CompareAndSwap => 2 * elements,
        };
        if incoming.len() < least {
            return Err(outside);
        }
        let wants_result = request.what & WANTS_RESULT != 0;
        let mut before = vec![0; if wants_result { bytes } else { 0 }];
        let mut result = wants_result.then(|| packed(&mut before));
        let to = Remote {
            rank: self.rank(),
            at: request.at,
            element: &element,
            bytes,
        };
        // SAFETY: the result has room; the layout was just seen to lie in the part, which is this task's.
        let changed = unsafe { self.accumulate_at_once(context, to, &accumulate, &mut result) };
        match changed {
            Some(Ok(())) => Ok(before),
            _ => Err(Status::NotMapped),
        }
    }
}

/// A machine over packed bytes, which live longer than it.
fn packed(bytes: &mut Vec<u8>) -> Machine {
    let program = Program::new(
        crate::gather_scatter::program::node::Placed::block(0, bytes.len()),
        0,
    );
    // SAFETY: the caller keeps the bytes as long as the machine is used.
    unsafe { Machine::new(program, bytes.as_mut_ptr()) }
}

/// What a message asks for.
#[derive(Clone, Copy)]
struct Request {
    number: u64,
    at: i64,
    bytes: usize,
    code_bytes: usize,
    what: u64,
    word: u64,
}

/// Receives a request.
pub(in crate::one_sided) fn receive(arrival: Arrival<'_>) -> Receive {
    let [number, at, bytes, code_bytes, what, word] = words(arrival.header);
    let request = Request {
        number,
        at: at as i64,
        bytes: bytes as usize,
        code_bytes: code_bytes as usize,
        what,
        word,
    };
    let origin = arrival.origin;
    let mut payload = Vec::new();
    // As long as its sender says.
    if payload.try_reserve_exact(arrival.bytes).is_err() {
        return Receive::refused(Status::OutsideRegion);
    }
    payload.resize(arrival.bytes, 0_u8);
    // SAFETY: the completion owns the memory; it is called when nothing writes there any more.
    let receive = unsafe { Receive::into(payload.as_mut_ptr(), payload.len()) };
    receive.then(move |context, how| {
        // Otherwise the origin has ended, or hears of its unit's failure itself.
        if how.is_ok() {
            answer(context, origin, &request, &payload);
        }
    })
}

fn answer(context: &Context, to: Endpoint, request: &Request, payload: &[u8]) {
    let window = context.one_sided.windows.get(request.number);
    let served = window
        .and_then(|window| window.downcast::<Window>().ok())
        .ok_or(Status::OutsideRegion)
        .and_then(|window| window.serve(context, request, payload));
    let (status, before) = match served {
        Ok(before) => (Status::Good, before),
        Err(status) => (status, Vec::new()),
    };
    scattered::answer_packed(context, to, request.word, status, before);
}
