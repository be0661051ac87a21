//! A member's answer to an operation: what its function says, on its way to the origin.
//!
//! Before: a START has come. After: an ANSWER goes back, with the data or without.

use std::ffi::c_void;

use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{ActiveError, Completion, Receive, TransferError};
use pamir_transport::context::Context;
use pamir_transport::context::endpoint::Endpoint;

use crate::collective::active::head::{ANSWER, Head};
use crate::context::ContextObject;
use crate::context::active_collectives::Registration;
use crate::context::endpoint::word_of;
use crate::geometry::GeometryObject;
use crate::layout::end::End;
use crate::message::place::Place;
use crate::structures::kind::TransferKind;
use crate::structures::{self, DispatchHints};

/// `pami_dispatch_amgather_function`.
type GatherFunction = unsafe extern "C" fn(
    context: *mut c_void,
    cookie: *mut c_void,
    header: *const c_void,
    header_bytes: usize,
    data_bytes: usize,
    origin: u32,
    geometry: *mut c_void,
    send: *mut structures::Receive,
);

/// `pami_dispatch_amreduce_function`.
type ReduceFunction = unsafe extern "C" fn(
    context: *mut c_void,
    cookie: *mut c_void,
    header: *const c_void,
    header_bytes: usize,
    data_bytes: usize,
    origin: u32,
    geometry: *mut c_void,
    operation: *mut *mut c_void,
    send: *mut structures::Receive,
);

/// What comes before an answer's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerHead {
    /// The operation, as the origin calls it.
    pub key: u64,
    /// Who answers.
    pub rank: u32,
    /// Whether there is an answer.
    pub answered: bool,
    /// The data function that the member has named; an address is good in its own task only.
    pub function: u64,
}

impl AnswerHead {
    const BYTES: usize = 24;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.key.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.rank.to_ne_bytes());
        bytes[12..16].copy_from_slice(&u32::from(self.answered).to_ne_bytes());
        bytes[16..].copy_from_slice(&self.function.to_ne_bytes());
        bytes
    }

    /// What [`Self::to_bytes`] gave.
    pub fn of_bytes(header: &[u8]) -> Option<Self> {
        let header: &[u8; Self::BYTES] = header.try_into().ok()?;
        let half = |at: usize| {
            header[at..]
                .first_chunk()
                .map(|bytes| u32::from_ne_bytes(*bytes))
        };
        let word = |at: usize| {
            header[at..]
                .first_chunk()
                .map(|bytes| u64::from_ne_bytes(*bytes))
        };
        Some(Self {
            key: word(0)?,
            rank: half(8)?,
            answered: half(12)? != 0,
            function: word(16)?,
        })
    }
}

/// Calls a member's function for a question, and sends what it answers.
pub fn respond(
    object: &'static ContextObject,
    registration: Registration,
    geometry: &GeometryObject,
    head: Head,
    (header, origin): (&[u8], Endpoint),
) -> Receive {
    let Ok(members) = geometry.geometry() else {
        return Receive::unhandled();
    };
    let Ok(rank) = members.member(object).map(|here| here.rank) else {
        return Receive::unhandled();
    };
    let bytes = head.answer_bytes as usize;
    let question = Question {
        object,
        registration,
        geometry,
        header,
        origin: word_of(origin),
        bytes,
    };
    let (place, function) = question.ask(head.kind);
    let answer = AnswerHead {
        key: head.key,
        rank: rank as u32,
        answered: bytes == 0 || place.end.is_some(),
        function: function.addr() as u64,
    };
    // SAFETY: the handler runs in the thread that has the context.
    let context = unsafe { object.context() };
    match answer.send(context, origin, place) {
        Ok(()) => Receive::nowhere(),
        Err(_) => Receive::unhandled(),
    }
}

impl AnswerHead {
    /// Sends the answer that is at `place`.
    fn send(self, context: &Context, to: Endpoint, place: Place) -> Result<(), ActiveError> {
        let Place {
            end,
            bytes,
            event,
            refusal,
        } = place;
        let mut packed = Vec::new();
        let (address, bytes) = match end {
            Some(End::Contiguous(address)) => (address.cast_const(), bytes),
            Some(mut end) => {
                // SAFETY: the program vouched for the data until its function is told.
                packed = unsafe { end.packed(bytes) };
                (packed.as_ptr(), bytes)
            }
            None => (std::ptr::null(), 0),
        };
        let local: Completion = Box::new(move |_, how: Result<(), TransferError>| {
            drop(packed);
            match how {
                Ok(()) => Place::tell(event, refusal),
                Err(error) => Place::fail(event, error),
            }
        });
        let message = ActiveMessage {
            to,
            dispatch: ANSWER,
            header: &self.to_bytes(),
            local: Some(local),
            remote: None,
        };
        // SAFETY: the program vouched for the data until its function is told, which owns a copy.
        unsafe { context.send_active(message, address, bytes) }
    }
}

/// A question to the program.
struct Question<'a> {
    object: &'static ContextObject,
    registration: Registration,
    geometry: &'a GeometryObject,
    header: &'a [u8],
    origin: u32,
    bytes: usize,
}

impl Question<'_> {
    /// Where the answer is, and the data function of a reduction.
    fn ask(&self, kind: TransferKind) -> (Place, *mut c_void) {
        let mut send = structures::Receive::UNFILLED;
        let mut operation = std::ptr::null_mut();
        let (context, cookie) = (self.object.handle(), self.registration.cookie);
        let (header, header_bytes) = (self.header.as_ptr().cast(), self.header.len());
        let (geometry, function) = (self.geometry.handle(), self.registration.function);
        // SAFETY: the program has set it for this kind; all is alive during the call.
        unsafe {
            if kind == TransferKind::ActiveReduce {
                let function: ReduceFunction = std::mem::transmute(function);
                function(
                    context,
                    cookie,
                    header,
                    header_bytes,
                    self.bytes,
                    self.origin,
                    geometry,
                    &raw mut operation,
                    &raw mut send,
                );
            } else {
                let function: GatherFunction = std::mem::transmute(function);
                function(
                    context,
                    cookie,
                    header,
                    header_bytes,
                    self.bytes,
                    self.origin,
                    geometry,
                    &raw mut send,
                );
            }
        }
        (
            Place::new(self.object, DispatchHints(0), &send, self.bytes),
            operation,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_answers_come_back() {
        let head = AnswerHead {
            key: 7 << 33,
            rank: 1023,
            answered: true,
            function: 5,
        };
        let bytes = head.to_bytes();
        assert_eq!(AnswerHead::of_bytes(&bytes), Some(head));
        assert_eq!(AnswerHead::of_bytes(&bytes[1..]), None);
    }
}
