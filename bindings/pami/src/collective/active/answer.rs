//! A member's answer to an operation: what its function says, on its way to the origin.
//!
//! Before: a START has come. After: an ANSWER goes back, with the data or without.

use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{ActiveError, Completion, Receive, TransferError};
use pamir_transport::context::endpoint::Endpoint;

use crate::collective::active::head::{ANSWER, Head, half_at, word_at};
use crate::context::Held;
use crate::context::active_collectives::{OwnPart, Registration};
use crate::context::endpoint::word_of;
use crate::context::event::Event;
use crate::edge::handle::Object;
use crate::edge::span::Span;
use crate::geometry::GeometryObject;
use crate::layout::end::End;
use crate::message::place::Place;
use crate::structures::DispatchHints;
use crate::structures::function::Question;
use crate::structures::kind::TransferKind;

/// What comes before an answer's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerHead {
    /// The operation, as the origin calls it.
    pub key: u64,
    /// Who answers.
    pub rank: u32,
    /// Whether there is an answer.
    pub answered: bool,
}

impl AnswerHead {
    const BYTES: usize = 16;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.key.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.rank.to_ne_bytes());
        bytes[12..].copy_from_slice(&u32::from(self.answered).to_ne_bytes());
        bytes
    }

    /// What [`Self::to_bytes`] gave.
    pub fn of_bytes(header: &[u8]) -> Option<Self> {
        let header: &[u8; Self::BYTES] = header.try_into().ok()?;
        Some(Self {
            key: word_at(header, 0)?,
            rank: half_at(header, 8)?,
            answered: half_at(header, 12)? != 0,
        })
    }
}

/// Calls a member's function for a question, and sends what it answers.
pub fn respond(
    object: Held,
    registration: Registration,
    geometry: &GeometryObject,
    head: Head,
    (header, origin): (&[u8], Endpoint),
) -> Receive {
    let Ok(members) = geometry.geometry() else {
        return Receive::unhandled();
    };
    let Ok(rank) = members.member(&object).map(|here| here.rank) else {
        return Receive::unhandled();
    };
    let bytes = head.answer_bytes as usize;
    let question = Question {
        context: object.handle().raw(),
        cookie: registration.cookie,
        header,
        bytes,
        origin: word_of(origin),
        geometry: geometry.handle().raw(),
    };
    let (send, function) = if head.kind == TransferKind::ActiveReduce {
        let (send, operation) = registration.function.reduce(&question);
        let function = Some((operation, send.type_));
        (send, function)
    } else {
        (registration.function.gather(&question), None)
    };
    let mut place = Place::new(&object, DispatchHints(0), &send, bytes);
    // A function is good in its own task only, and what the origin's own member names is told when all is there.
    if origin == object.endpoint()
        && let Some(awaited) = object.active().awaited(head.key)
    {
        awaited.own_part(OwnPart {
            function,
            told: place.event.take().map(Event::teller),
            refusal: place.refusal.take(),
        });
    }
    let answer = AnswerHead {
        key: head.key,
        rank: rank as u32,
        answered: bytes == 0 || place.end.is_some(),
    };
    match answer.send(object, origin, place) {
        Ok(()) => Receive::nowhere(),
        Err(_) => Receive::unhandled(),
    }
}

impl AnswerHead {
    /// Sends the answer that is at `place`.
    fn send(self, context: Held, to: Endpoint, place: Place) -> Result<(), ActiveError> {
        let Place {
            end,
            bytes,
            event,
            refusal,
        } = place;
        let local: Completion = Box::new(move |_, how: Result<(), TransferError>| match how {
            Ok(()) => Place::tell(event, refusal),
            Err(error) => Place::fail(event, error),
        });
        let message = ActiveMessage {
            to,
            dispatch: ANSWER,
            header: &self.to_bytes(),
            local: Some(local),
            remote: None,
        };
        match end {
            None => context.send(message, &Span::EMPTY),
            Some(End::Contiguous(data)) => context.send(message, &data),
            Some(mut end) => context.send_copy(message, end.packed(bytes)),
        }
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
        };
        let bytes = head.to_bytes();
        assert_eq!(AnswerHead::of_bytes(&bytes), Some(head));
        assert_eq!(AnswerHead::of_bytes(&bytes[1..]), None);
    }
}
