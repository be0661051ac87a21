//! Starting tagged messages.
//!
//! Before: MPI's point-to-point calls, or a collective's exchange. After: the driver's
//! injection FIFO.
//!
//! A message that fits one packet and finds room in the lane is gone when [`Context::send`]
//! returns, and needs no request. Everything else becomes a request.

mod awaited_send;
pub(crate) mod timed_message;
pub(crate) mod withdrawal;

use pamir_driver::injection::descriptor::{Descriptor, Source};
use pamir_driver::memory::huge_pages;
pub use pamir_driver::unit::LINE_DATA_BYTES;
use pamir_driver::unit::UnitError;
use pamir_shm::lane::room::LaneRoom;

use crate::context::Context;
use crate::protocol::completion::Completion;
use crate::protocol::flags::{IN_ONE_PIECE, IN_STRIPES};
use crate::protocol::table::SendProtocol;
use crate::protocol::{kind, route};
use crate::selection::Choice;
use crate::striping::Offered;
use crate::tagged::buffer::{Buffer, Copied};
use crate::tagged::envelope::Envelope;
use crate::tagged::state::request::{Outcome, Request, RequestId};

/// Where a message goes, and under which envelope.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// The target task.
    pub task: usize,
    /// The context id.
    pub context: u32,
    /// The tag.
    pub tag: i32,
}

impl Context {
    /// Sends `bytes` contiguous bytes; `None` if that is done, else the request.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes until the request is complete.
    #[inline(always)]
    pub unsafe fn send(
        &self,
        to: Address,
        source: *const u8,
        bytes: usize,
    ) -> Result<Option<RequestId>, UnitError> {
        // SAFETY: as the caller vouches.
        unsafe { self.send_until(to, source, bytes, Completion::Local) }
    }

    /// As [`Self::send`]; says whether the caller waits for a request at once
    /// ([`Completion::Awaited`]).
    ///
    /// # Safety
    ///
    /// As for [`Self::send`].
    #[inline(always)]
    pub unsafe fn send_until(
        &self,
        to: Address,
        source: *const u8,
        bytes: usize,
        completion: Completion,
    ) -> Result<Option<RequestId>, UnitError> {
        // SAFETY: as the caller vouches.
        if unsafe { self.send_packet(to, source, bytes)? } {
            return Ok(None);
        }
        let buffer = Buffer::Contiguous {
            address: source.cast_mut(),
            bytes,
        };
        // SAFETY: as the caller vouches.
        unsafe {
            match completion {
                Completion::Awaited => self.send_awaited(to, buffer, (source, bytes)),
                _ => self.start_send(to, buffer, completion).map(Some),
            }
        }
    }

    /// Sends `bytes` contiguous bytes as one packet, if they fit one and it can go at once; else
    /// [`Self::send`] takes them.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes.
    #[inline(always)]
    pub unsafe fn send_packet(
        &self,
        to: Address,
        source: *const u8,
        bytes: usize,
    ) -> Result<bool, UnitError> {
        if !self.table.is_immediate(bytes) {
            return Ok(false);
        }
        let metadata = Envelope::metadata(to.context, to.tag);
        // SAFETY: the caller vouches for the source; the length was just checked.
        let sent = unsafe {
            self.unit
                .inject_immediate(self, to.task, kind::EAGER, 0, metadata, (source, bytes))?
        };
        if sent {
            self.count_message(to.task, bytes);
        }
        Ok(sent)
    }

    /// Sends a message of `bytes` bytes that `fill` writes straight into the packet, if it fits
    /// one and can go at once; else nothing is written.
    ///
    /// # Safety
    ///
    /// `fill` writes so many bytes, no others, and keeps the address no longer than the call.
    #[inline]
    pub unsafe fn send_filled(
        &self,
        to: Address,
        bytes: usize,
        fill: impl FnOnce(LaneRoom<'_>),
    ) -> Result<bool, UnitError> {
        if !self.table.is_immediate(bytes) {
            return Ok(false);
        }
        let metadata = Envelope::metadata(to.context, to.tag);
        // SAFETY: what is immediate fits a packet; the caller vouches for the rest.
        let sent = unsafe {
            self.unit
                .inject_filled(to.task, kind::EAGER, metadata, bytes, fill)?
        };
        if sent {
            self.count_message(to.task, bytes);
        }
        Ok(sent)
    }

    /// Sends a message of at most [`LINE_DATA_BYTES`] contiguous bytes, if it can go at once;
    /// else [`Self::send`] takes it.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes, which are no more than those.
    #[inline(always)]
    pub unsafe fn send_line(&self, to: Address, source: *const u8, bytes: usize) -> bool {
        let metadata = Envelope::metadata(to.context, to.tag);
        // SAFETY: as the caller vouches.
        unsafe {
            self.unit
                .inject_line(to.task, kind::EAGER, metadata, source, bytes)
        }
    }

    /// Starts a send that needs a request.
    ///
    /// # Safety
    ///
    /// The buffer is readable until the request is complete.
    #[inline(never)]
    pub unsafe fn start_send(
        &self,
        to: Address,
        buffer: Buffer,
        completion: Completion,
    ) -> Result<RequestId, UnitError> {
        let bytes = buffer.bytes();
        let chosen = match (completion, self.table.protocol_for(&buffer)) {
            (Completion::Matched, asking) if asking.asks() && bytes > self.unit.packet_bytes() => {
                asking
            }
            (Completion::Matched, _) => SendProtocol::Rendezvous,
            (_, chosen) => chosen,
        };
        let measured = self.measured(chosen, to.task, (&buffer, bytes), completion);
        // SAFETY: as the caller vouches.
        unsafe { self.start_measured(to, buffer, completion, (chosen, measured)) }
    }

    /// The same by a protocol that was chosen, and what it means as measured.
    ///
    /// # Safety
    ///
    /// As for [`Self::start_send`].
    pub(super) unsafe fn start_measured(
        &self,
        to: Address,
        buffer: Buffer,
        completion: Completion,
        (chosen, (protocol, timed)): (SendProtocol, (SendProtocol, u16)),
    ) -> Result<RequestId, UnitError> {
        let bytes = buffer.bytes();
        self.count_message(to.task, bytes);
        SendProtocol::table().count(chosen);
        let (id, request) = self.tagged.requests.start(buffer);
        request.mark_send();
        let outcome = Outcome {
            task: to.task as u32,
            tag: to.tag,
            bytes,
            message_bytes: bytes,
            ..Outcome::default()
        };
        request.outcome.set(outcome);
        if chosen == SendProtocol::EagerMeasured && completion == Completion::Local {
            self.begin_unawaited(to.task, id);
        }
        // SAFETY: as the caller vouches; the request keeps the buffer's description.
        unsafe {
            match protocol {
                SendProtocol::Immediate | SendProtocol::Eager => {
                    self.submit_data(id, request, to, timed)?;
                }
                SendProtocol::Rendezvous
                    if completion == Completion::Matched
                        && bytes + 8 <= self.unit.packet_bytes() =>
                {
                    self.submit_synchronous(id, request, to)?;
                }
                asking => {
                    let stripes = self.offer_stripes(asking, to.task, &request.buffer.borrow());
                    let way = route::asked_for(asking) | timed;
                    self.request_to_send(id, request, to, way, stripes)?;
                }
            }
        }
        Ok(id)
    }

    /// Sends the whole message in packets of its own lane, the first one with `auxiliary`.
    ///
    /// # Safety
    ///
    /// The request's buffer is readable until the request is complete.
    unsafe fn submit_data(
        &self,
        id: RequestId,
        request: &'static Request,
        to: Address,
        auxiliary: u16,
    ) -> Result<(), UnitError> {
        let metadata = Envelope::metadata(to.context, to.tag);
        let kinds = [kind::EAGER, kind::EAGER_LONG];
        let descriptor = Descriptor {
            auxiliary,
            ..self.data_in_packets(id, request, to.task as u32, kinds, metadata)
        };
        // SAFETY: the cookie makes the engine tell when the buffer is no longer needed; the
        // caller vouches for it until then.
        unsafe { self.unit.submit(self, descriptor) }
    }

    /// A short message whose sender wants to know when it is matched: the request's id goes
    /// before the data.
    ///
    /// # Safety
    ///
    /// The request's buffer is readable.
    unsafe fn submit_synchronous(
        &self,
        id: RequestId,
        request: &'static Request,
        to: Address,
    ) -> Result<(), UnitError> {
        let bytes = request.buffer.borrow().bytes();
        let mut packet = vec![0_u8; 8 + bytes];
        packet[..8].copy_from_slice(&id.word().to_ne_bytes());
        // SAFETY: the vector has room for the bytes behind the id.
        unsafe {
            request
                .buffer
                .borrow_mut()
                .pack(0, packet.as_mut_ptr().add(8), bytes)
        };
        let metadata = Envelope::metadata(to.context, to.tag);
        self.control(to.task, kind::EAGER_SYNCHRONOUS, 0, metadata, &packet)
    }

    /// Asks the target whether the message of a request may come, in stripes or as a whole.
    ///
    /// # Safety
    ///
    /// The request's buffer is readable until the request is complete.
    pub(crate) unsafe fn ask(
        &self,
        id: RequestId,
        to: Address,
        stripes: Option<Offered>,
    ) -> Result<(), UnitError> {
        let Some(request) = self.tagged.requests.get(id) else {
            return Ok(());
        };
        // SAFETY: as the caller vouches.
        unsafe { self.request_to_send(id, request, to, 0, stripes) }
    }

    /// Asks the target to fetch, or to ask for, the data; `way` says which, 0 if it may choose.
    ///
    /// # Safety
    ///
    /// The request's buffer is readable until the request is complete: the target reads it.
    unsafe fn request_to_send(
        &self,
        id: RequestId,
        request: &'static Request,
        to: Address,
        way: u16,
        stripes: Option<Offered>,
    ) -> Result<(), UnitError> {
        let (address, in_one_piece) = match &*request.buffer.borrow() {
            Buffer::Contiguous { address, .. } => (*address as u64, IN_ONE_PIECE),
            Buffer::Noncontiguous(_) => (0, 0),
        };
        let bytes = request.buffer.borrow().bytes() as u64;
        if in_one_piece != 0 && self.copies_with(to.task) {
            huge_pages::copied(address as usize, bytes as usize);
        }
        let (division, in_stripes) = stripes.map_or((0, 0), |offered| (offered.word(), IN_STRIPES));
        let words = [bytes, address, id.word(), division].map(u64::to_ne_bytes);
        let metadata = Envelope::metadata(to.context, to.tag);
        self.control(
            to.task,
            kind::REQUEST_TO_SEND,
            in_one_piece | in_stripes | way,
            metadata,
            words.as_flattened(),
        )
    }

    /// Sends a control packet behind everything that was sent to `task` before.
    pub(crate) fn control(
        &self,
        task: usize,
        kind: u8,
        auxiliary: u16,
        metadata: u64,
        payload: &[u8],
    ) -> Result<(), UnitError> {
        // SAFETY: the slice is readable.
        let sent = unsafe {
            self.unit.inject_immediate(
                self,
                task,
                kind,
                auxiliary,
                metadata,
                (payload.as_ptr(), payload.len()),
            )?
        };
        if !sent {
            self.control_later(task, kind, auxiliary, metadata, payload)?;
        }
        Ok(())
    }

    #[cold]
    fn control_later(
        &self,
        task: usize,
        kind: u8,
        auxiliary: u16,
        metadata: u64,
        payload: &[u8],
    ) -> Result<(), UnitError> {
        let (id, request) = self
            .tagged
            .requests
            .start(Buffer::Noncontiguous(Box::new(Copied(payload.to_vec()))));
        self.tagged.requests.detach(id, request);
        let descriptor = data_descriptor(id, request, task as u32, kind, metadata);
        // SAFETY: the copy lives in the request, which is freed when the engine is done.
        unsafe {
            self.unit.submit(
                self,
                Descriptor {
                    auxiliary,
                    ..descriptor
                },
            )
        }
    }

    /// The target asks for the data of a rendezvous in packets.
    pub(crate) fn send_data(
        &self,
        id: RequestId,
        target: u32,
        targets_request: u64,
    ) -> Result<(), UnitError> {
        self.drop_push_of(id);
        let Some((id, request)) = self.offered(id)? else {
            return Ok(());
        };
        let kinds = [kind::DATA, kind::DATA_LONG];
        let descriptor = self.data_in_packets(id, request, target, kinds, targets_request);
        // SAFETY: whoever started the send vouched for the buffer until the request is
        // complete, which the cookie brings about.
        unsafe { self.unit.submit(self, descriptor) }
    }

    /// The descriptor of a message's data, whose first packet is of one of two kinds: the only one, or the first of
    /// several. How long packets are is settled here: the distance may become another one while they wait.
    fn data_in_packets(
        &self,
        id: RequestId,
        request: &'static Request,
        target: u32,
        [only, of_several]: [u8; 2],
        metadata: u64,
    ) -> Descriptor {
        let mut descriptor = data_descriptor(id, request, target, of_several, metadata);
        if descriptor.source == Source::Memory {
            // Where data comes meanwhile, its packets and these would be in each other's way in lanes.
            let in_lane = || match self.tagged.posted.waiting() {
                0 => self.unit.packet_exponent(&descriptor),
                _ => 0,
            };
            let in_exclusive_buffer = self.unit.part_exponent(&descriptor);
            descriptor.packet_exponent = in_exclusive_buffer.unwrap_or_else(in_lane);
        }
        if self.unit.is_one_packet(&descriptor) {
            descriptor.kind = only;
        }
        descriptor
    }

    /// The engine, or the target, has taken all the data of a send.
    pub(crate) fn sent(&self, id: RequestId) {
        if let Some(request) = self.tagged.requests.get(id) {
            self.tagged
                .requests
                .finish(id, request, request.outcome.get());
        }
    }

    /// The engine asks for a piece of a noncontiguous message.
    pub(crate) fn pack_fragment(&self, id: RequestId, at: usize, room: LaneRoom<'_>, bytes: usize) {
        if let Some(request) = self.tagged.requests.get(id) {
            // SAFETY: the engine gives room for the bytes, and asks for no more than the
            // message has; whoever started the send vouched for its memory.
            unsafe { request.buffer.borrow_mut().pack_into_lane(at, room, bytes) };
        }
    }
}

fn data_descriptor(
    id: RequestId,
    request: &'static Request,
    target: u32,
    kind: u8,
    metadata: u64,
) -> Descriptor {
    let buffer = request.buffer.borrow();
    let (address, source) = match &*buffer {
        Buffer::Contiguous { address, .. } => (*address, Source::Memory),
        Buffer::Noncontiguous(_) => (std::ptr::null_mut(), Source::Owner),
    };
    let descriptor = Descriptor::memory_fifo(target, kind, metadata, address, buffer.bytes());
    Descriptor {
        cookie: id.word(),
        source,
        continuation: kind::CONTINUATION,
        packet_exponent: buffer.packet_exponent().unwrap_or(0),
        ..descriptor
    }
}
