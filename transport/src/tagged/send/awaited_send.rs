//! Sends whose callers do nothing else until they are done.
//!
//! Before: [`Context::send_until`], with a message that is no single packet. After: all of it lies in an exclusive
//! buffer, and nobody waits for anything; or it is a request ([`crate::tagged::send`]).
//!
//! ```text
//! protocol ─(eager, or at once as measured)─▶ an exclusive buffer for all of it, lines for its parts ─▶ done, without a request
//!     └──────────(all else)──────────────────────────(none)───────────────────────────────▶ request
//! ```

use pamir_driver::injection::descriptor::Descriptor;
use pamir_driver::unit::UnitError;

use crate::context::Context;
use crate::protocol::completion::Completion;
use crate::protocol::kind;
use crate::protocol::table::SendProtocol;
use crate::selection::Choice;
use crate::tagged::buffer::Buffer;
use crate::tagged::envelope::Envelope;
use crate::tagged::send::Address;
use crate::tagged::state::request::RequestId;

impl Context {
    /// A send whose caller does nothing else until it is done: it is at once if the message goes without asking, and a
    /// exclusive buffer is there for all of it.
    ///
    /// # Safety
    ///
    /// As for [`Self::send`]; the buffer is those bytes.
    #[inline(never)]
    pub(in crate::tagged) unsafe fn send_awaited(
        &self,
        to: Address,
        buffer: Buffer,
        data: (*const u8, usize),
    ) -> Result<Option<RequestId>, UnitError> {
        let chosen = self.table.protocol_for(&buffer);
        let message = (&buffer, data.1);
        let measured = self.measured(chosen, to.task, message, Completion::Awaited);
        let is_eager = matches!(measured.0, SendProtocol::Immediate | SendProtocol::Eager);
        // SAFETY: as the caller vouches.
        unsafe {
            if is_eager && self.send_row(to, data, measured.1)? {
                SendProtocol::table().count(chosen);
                self.count_message(to.task, data.1);
                return Ok(None);
            }
            self.start_measured(to, buffer, Completion::Awaited, (chosen, measured))
                .map(Some)
        }
    }

    /// Sends all of a message in parts of an exclusive buffer, the first one with `auxiliary`; false if that is not
    /// possible at once.
    ///
    /// # Safety
    ///
    /// The source is readable for the bytes.
    unsafe fn send_row(
        &self,
        to: Address,
        (source, bytes): (*const u8, usize),
        auxiliary: u16,
    ) -> Result<bool, UnitError> {
        let metadata = Envelope::metadata(to.context, to.tag);
        let target = to.task as u32;
        let mut descriptor =
            Descriptor::memory_fifo(target, kind::EAGER_LONG, metadata, source, bytes);
        let Some(exponent) = self.unit.part_exponent(&descriptor) else {
            return Ok(false);
        };
        descriptor.packet_exponent = exponent;
        descriptor.continuation = kind::CONTINUATION;
        descriptor.auxiliary = auxiliary;
        if self.unit.is_one_packet(&descriptor) {
            descriptor.kind = kind::EAGER;
        }
        // SAFETY: as the caller vouches.
        unsafe { self.unit.inject_row(self, descriptor) }
    }
}
