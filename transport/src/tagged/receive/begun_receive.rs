//! Blocking receives whose message has begun to come in several packets.
//!
//! Before: [`Context::receive_at_once`] has found something else than a message of one packet. After: the message is
//! received; or nothing has happened, and the receive is posted.
//!
//! ```text
//! first packet, with the envelope that is looked for ─▶ request, data to the buffer ─▶ all further packets ─▶ done
//! anything else ─▶ (none)
//! ```
//!
//! Nothing is posted and nothing is matched: both queues are empty, so this message is the receive's.

use pamir_driver::unit::{Next, UnitError};

use crate::context::Context;
use crate::protocol::kind;
use crate::tagged::buffer::Buffer;
use crate::tagged::envelope::Envelope;

impl Context {
    /// Receives a message with exactly this envelope into `room` bytes at `address`, if its first packet of several is
    /// there and nothing else is under way; gives its length, of which at most `room` bytes were copied.
    ///
    /// # Safety
    ///
    /// `address` is writable for `room` bytes.
    #[inline(never)]
    pub(in crate::tagged) unsafe fn receive_begun(
        &self,
        wanted: Envelope,
        address: *mut u8,
        room: usize,
    ) -> Result<Option<usize>, UnitError> {
        if !self.next_message_is_this_receives() {
            return Ok(None);
        }
        let metadata = Envelope::metadata(wanted.context, wanted.tag);
        let origin = wanted.source as usize;
        let begun = self
            .unit
            .take_packet(origin, kind::EAGER_LONG, metadata, |packet| {
                let total = packet.word(8) as usize;
                self.check_eager(wanted.source, total)?;
                let bytes = room;
                let receive = self
                    .tagged
                    .requests
                    .start(Buffer::Contiguous { address, bytes });
                self.matched(receive.1, &wanted);
                self.begin_message(wanted.source, packet, receive, total);
                Ok::<_, UnitError>(receive)
            })?;
        let Next::Taken(receive) = begun else {
            return Ok(None);
        };
        let (id, request) = receive?;
        self.advance_until_from(Some(origin), || request.is_complete())?;
        let outcome = request.outcome.get();
        self.tagged.requests.free(id, request);
        Ok(Some(outcome.message_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::completion::Completion;
    use crate::tagged::send::Address;
    use crate::tagged::tests::contexts;

    fn sent(context: &Context, tag: i32, data: &[u8]) -> bool {
        let to = Address {
            task: 1,
            context: 0,
            tag,
        };
        // SAFETY: the tests keep their data until it has come.
        let request =
            unsafe { context.send_until(to, data.as_ptr(), data.len(), Completion::Awaited) };
        request.unwrap().is_none()
    }

    fn received(context: &Context, tag: i32, target: &mut [u8]) -> Option<usize> {
        let wanted = Envelope {
            context: 0,
            source: 0,
            tag,
        };
        // SAFETY: the target has its bytes.
        unsafe { context.receive_at_once(wanted, target.as_mut_ptr(), target.len()) }.unwrap()
    }

    #[test]
    fn a_message_of_several_packets_is_received_without_being_posted() {
        for (bytes, room) in [(40_000, 40_000), (40_000, 50_000), (60_000, 20_000)] {
            let contexts = contexts(2);
            let (origin, target) = (&contexts[0], &contexts[1]);
            let data: Vec<u8> = (0..bytes).map(|at| ((at * 7) >> 3) as u8).collect();
            let mut whole = vec![0xEE_u8; room];
            // Whether it goes without asking is measured, where that depends on the processor.
            if !sent(origin, 3, &data) {
                continue;
            }
            assert_eq!(received(target, 4, &mut whole), None, "another tag");
            assert_eq!(received(target, 3, &mut whole), Some(bytes));
            let there = bytes.min(room);
            assert!(whole[..there] == data[..there]);
            assert!(whole[there..].iter().all(|byte| *byte == 0xEE));
            assert!(target.is_idle() && target.requests().under_way() == 0);
        }
    }

    #[test]
    fn what_is_posted_comes_first() {
        let contexts = contexts(2);
        let (origin, target) = (&contexts[0], &contexts[1]);
        let (data, mut whole) = (vec![7_u8; 40_000], vec![0_u8; 40_000]);
        let pattern = crate::tagged::envelope::Pattern::new(0, Some(0), Some(3));
        let buffer = Buffer::Contiguous {
            address: whole.as_mut_ptr(),
            bytes: whole.len(),
        };
        // SAFETY: the memory is kept until the end.
        unsafe { target.receive(pattern, buffer) }.unwrap();
        sent(origin, 3, &data);
        let mut other = vec![0_u8; 40_000];
        assert_eq!(received(target, 3, &mut other), None);
    }
}
