//! Sending active messages.
//!
//! Before: [`Context::send_active`] with a message. After: the driver, by the protocol that the
//! table selects for its size.
//!
//! | protocol   | packets | the origin's buffer is free | acknowledged |
//! |------------|---------|-----------------------------|--------------|
//! | immediate  | `ACTIVE` | once it is in the lane | if somebody waits |
//! | eager      | `ACTIVE_LONG`, continuations | once all are in the lane | if somebody waits |
//! | rendezvous | `ACTIVE_REQUEST`; `ACTIVE_CLEAR` and `ACTIVE_DATA`, or the target copies | once the data has gone | if the target copies, or somebody waits |

use pamir_driver::injection::descriptor::{Descriptor, Source};
use pamir_driver::memory::kernel_copy::KernelCopyError;
use pamir_driver::unit::UnitError;
use pamir_shm::lane::room::LaneRoom;

use crate::active::dispatch::{DISPATCH_IDS, Status};
use crate::active::state::memory::Memory;
use crate::active::state::operation::Send;
use crate::active::{ActiveError, Completion, Operation, TransferError};
use crate::context::Context;
use crate::context::endpoint::Endpoint;
use crate::protocol::kind;
use crate::protocol::table::SendProtocol;
use crate::selection::Choice;
use crate::tagged::buffer::Noncontiguous;

/// In the metadata: the origin waits for `ACTIVE_DONE`, and its operation comes first.
pub(super) const ACKNOWLEDGE: u64 = 1 << 16;

/// In the metadata of an `ACTIVE_REQUEST`: the data shall come in packets.
pub(super) const IN_PACKETS: u64 = 1 << 17;

/// In the metadata of an `ACTIVE_REQUEST`: the target shall copy through the kernel, if it can.
pub(super) const BY_KERNEL: u64 = 1 << 18;

/// What a program says of a message, besides its data.
pub struct ActiveMessage<'a> {
    /// Where it goes.
    pub to: Endpoint,
    /// Which handler receives it.
    pub dispatch: u16,
    /// The header, copied before the call returns.
    pub header: &'a [u8],
    /// Called when the data may be changed again.
    pub local: Option<Completion>,
    /// Called when the target has received all of it.
    pub remote: Option<Completion>,
}

impl std::fmt::Debug for ActiveMessage<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("ActiveMessage");
        text.field("to", &self.to)
            .field("dispatch", &self.dispatch)
            .field("header_bytes", &self.header.len())
            .finish_non_exhaustive()
    }
}

impl Context {
    /// Sends a header and data that together fit one packet, and forgets them: both may be
    /// changed at once.
    #[inline(always)]
    pub fn send_immediate(
        &self,
        to: Endpoint,
        dispatch: u16,
        header: &[u8],
        data: &[u8],
    ) -> Result<(), ActiveError> {
        if self.try_send_immediate(to, dispatch, header, data)? {
            return Ok(());
        }
        self.send_immediate_later(to, dispatch, header, data)
    }

    /// The same, or nothing: false while the way to the target is full.
    #[inline(always)]
    pub fn try_send_immediate(
        &self,
        to: Endpoint,
        dispatch: u16,
        header: &[u8],
        data: &[u8],
    ) -> Result<bool, ActiveError> {
        if self.send_active_line(to, dispatch, header, data) {
            return Ok(true);
        }
        self.try_send_packet(to, dispatch, header, data)
    }

    #[inline(never)]
    fn try_send_packet(
        &self,
        to: Endpoint,
        dispatch: u16,
        header: &[u8],
        data: &[u8],
    ) -> Result<bool, ActiveError> {
        let (bytes, most) = (header.len() + data.len(), self.active.most_immediate.get());
        if bytes > most {
            return Err(ActiveError::Immediate { bytes, most });
        }
        if dispatch >= DISPATCH_IDS {
            return Err(ActiveError::Dispatch { dispatch });
        }
        let target = self.target_of(to)?;
        let parts = [(header.as_ptr(), header.len()), (data.as_ptr(), data.len())];
        let metadata = header.len() as u64;
        // SAFETY: both slices are readable; their length was just checked.
        let sent = unsafe {
            self.unit
                .inject_gathered(target, kind::ACTIVE, dispatch, metadata, &parts)?
        };
        if sent {
            self.count_message(target, bytes);
        }
        Ok(sent)
    }

    #[cold]
    fn send_immediate_later(
        &self,
        to: Endpoint,
        dispatch: u16,
        header: &[u8],
        data: &[u8],
    ) -> Result<(), ActiveError> {
        let (target, metadata) = (self.unit_of(to)?, header.len() as u64);
        let payload = [header, data].concat();
        self.control(target, kind::ACTIVE, dispatch, metadata, &payload)?;
        self.count_message(target, payload.len());
        Ok(())
    }

    /// Sends a header and `bytes` bytes at `source`.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes until `message.local` is called, or without it,
    /// `message.remote`; without both, as long as the context lives.
    pub unsafe fn send_active(
        &self,
        message: ActiveMessage<'_>,
        source: *const u8,
        bytes: usize,
    ) -> Result<(), ActiveError> {
        let target = self.check(message.to, message.dispatch, message.header)?;
        self.count_message(target, message.header.len() + bytes);
        // SAFETY: as the caller vouches.
        unsafe { self.start_active(target, message, source, bytes)? };
        Ok(())
    }

    /// Sends a header and the bytes of memory that does not lie together, which is asked for
    /// them in their order. They go straight into the packets.
    ///
    /// # Safety
    ///
    /// What `source` describes is readable until the completions, as for [`Self::send_active`].
    pub unsafe fn send_active_scattered(
        &self,
        message: ActiveMessage<'_>,
        source: impl Noncontiguous + 'static,
    ) -> Result<(), ActiveError> {
        let target = self.check(message.to, message.dispatch, message.header)?;
        let bytes = source.bytes();
        self.count_message(target, message.header.len() + bytes);
        // SAFETY: as the caller vouches.
        unsafe { self.start_active_from(target, message, Memory::scattered(source), bytes)? };
        Ok(())
    }

    fn check(&self, to: Endpoint, dispatch: u16, header: &[u8]) -> Result<usize, ActiveError> {
        let most = self.longest_header_bytes();
        if dispatch >= DISPATCH_IDS {
            return Err(ActiveError::Dispatch { dispatch });
        }
        if header.len() > most {
            let bytes = header.len();
            return Err(ActiveError::Header { bytes, most });
        }
        self.target_of(to)
    }

    /// Sends a header without data to a messaging unit, also under a dispatch id of the transport's own.
    pub(crate) fn start_header(
        &self,
        target: usize,
        message: ActiveMessage<'_>,
    ) -> Result<(), UnitError> {
        // SAFETY: it has no data.
        unsafe { self.start_active(target, message, std::ptr::null(), 0) }
    }

    /// Sends a message to a messaging unit, also under a dispatch id of the transport's own.
    ///
    /// # Safety
    ///
    /// As for [`Self::send_active`].
    pub(crate) unsafe fn start_active(
        &self,
        target: usize,
        message: ActiveMessage<'_>,
        source: *const u8,
        bytes: usize,
    ) -> Result<(), UnitError> {
        let memory = Memory::Contiguous(source.cast_mut());
        // SAFETY: as the caller vouches.
        unsafe { self.start_active_from(target, message, memory, bytes) }
    }

    /// The same from any memory of `bytes` bytes.
    ///
    /// # Safety
    ///
    /// As for [`Self::send_active`].
    pub(crate) unsafe fn start_active_from(
        &self,
        target: usize,
        message: ActiveMessage<'_>,
        memory: Memory,
        bytes: usize,
    ) -> Result<(), UnitError> {
        let ActiveMessage {
            dispatch,
            header,
            local,
            remote,
            ..
        } = message;
        let acknowledged = remote.is_some();
        let acknowledge_bytes = if acknowledged { 8 } else { 0 };
        let whole = acknowledge_bytes + header.len() + bytes;
        let source = memory.address().cast_const();
        let contiguous = memory.is_contiguous();
        if self.table.is_immediate(whole) && !acknowledged && contiguous {
            let parts = [(header.as_ptr(), header.len()), (source, bytes)];
            let metadata = header.len() as u64;
            // SAFETY: the header is a slice, and the caller vouches for the source; the table
            // says that together they fit a packet.
            let sent = unsafe {
                self.unit
                    .inject_gathered(target, kind::ACTIVE, dispatch, metadata, &parts)?
            };
            if sent {
                self.complete(local, Ok(()));
                return Ok(());
            }
        }
        let protocol = self.table.protocol(whole);
        SendProtocol::table().count(protocol);
        let word = self.active.operations.start(Operation::Send(Send {
            target,
            prefix: Vec::new(),
            memory,
            bytes,
            local,
            remote,
            acknowledged: acknowledged || protocol.asks(),
        }));
        let flag = if acknowledged { ACKNOWLEDGE } else { 0 };
        let metadata = header.len() as u64 | flag;
        if protocol.asks() {
            let metadata = metadata
                | if contiguous {
                    way(protocol)
                } else {
                    IN_PACKETS
                };
            let words = [word, bytes as u64, source as u64].map(u64::to_ne_bytes);
            let request = [words.as_flattened(), header].concat();
            return self.control(target, kind::ACTIVE_REQUEST, dispatch, metadata, &request);
        }
        let prefix = if acknowledged {
            [&word.to_ne_bytes(), header].concat()
        } else {
            header.to_vec()
        };
        let prefix_bytes = prefix.len();
        self.active.operations.with(word, |operation| {
            if let Operation::Send(send) = operation {
                send.prefix = prefix;
            }
        });
        let kinds = (kind::ACTIVE, kind::ACTIVE_LONG);
        // SAFETY: the caller vouches for the source until the operation's completion.
        unsafe {
            self.submit_active(
                word,
                target,
                kinds,
                dispatch,
                metadata,
                prefix_bytes + bytes,
            )
        }
    }

    /// Hands an operation's prefix and data to the engine, under the first kind if they fit one
    /// packet.
    ///
    /// # Safety
    ///
    /// The operation's source is readable until it has ended.
    unsafe fn submit_active(
        &self,
        word: u64,
        target: usize,
        kinds: (u8, u8),
        dispatch: u16,
        metadata: u64,
        bytes: usize,
    ) -> Result<(), UnitError> {
        let one_packet = bytes <= self.unit.packet_bytes();
        let first = if one_packet { kinds.0 } else { kinds.1 };
        let descriptor =
            Descriptor::memory_fifo(target as u32, first, metadata, std::ptr::null(), bytes);
        let descriptor = Descriptor {
            cookie: word,
            source: Source::Owner,
            auxiliary: dispatch,
            continuation: kind::ACTIVE_CONTINUATION,
            ..descriptor
        };
        // SAFETY: the engine asks `fill_active` for the bytes, and tells when it is done.
        unsafe { self.unit.submit(self, descriptor) }
    }

    /// The engine asks for a piece of a message.
    pub(crate) fn fill_active(&self, word: u64, at: usize, room: LaneRoom<'_>, bytes: usize) {
        let rest = self.active.operations.with(word, |operation| {
            let Operation::Send(send) = operation else {
                return None;
            };
            let prefix = send.prefix.get(at..).unwrap_or(&[]);
            let from_prefix = prefix.len().min(bytes);
            let from = (at + from_prefix).saturating_sub(send.prefix.len());
            // SAFETY: the engine gives room for the bytes.
            unsafe { room.write(prefix.as_ptr(), from_prefix) };
            Some((send.memory.clone(), from, from_prefix))
        });
        if let Some(Some((memory, from, done))) = rest {
            // SAFETY: the engine gives room for the bytes, and asks for no more than prefix and
            // data have; whoever started the send vouched for the memory.
            unsafe { memory.pack(from, room.behind(done), bytes - done) };
        }
    }

    /// The engine is done with a descriptor of an operation.
    pub(crate) fn injected_active(&self, word: u64) {
        let sent = self
            .active
            .operations
            .with(word, |operation| match operation {
                Operation::Send(send) => Some((send.local.take(), send.acknowledged)),
                _ => None,
            });
        match sent {
            Some(Some((local, acknowledged))) => {
                if !acknowledged {
                    self.active.operations.take(word);
                }
                self.complete(local, Ok(()));
            }
            Some(None) => self.transferred(word),
            None => {}
        }
    }

    /// The kernel refused an operation's descriptor.
    pub(crate) fn refused_active(&self, descriptor: &Descriptor, error: KernelCopyError) {
        let KernelCopyError::Refused { errno, .. } = error else {
            return self.transfer_by_packets(descriptor.cookie);
        };
        // Before the target has made its context, packets wait for it.
        let attached = self
            .unit
            .job()
            .process(descriptor.target as usize)
            .is_some();
        match errno {
            // Whoever would touch the memory for a packet would be killed for it.
            libc::EFAULT => {
                return self.transfer_failed(descriptor.cookie, TransferError::NotMapped);
            }
            libc::ESRCH if attached => {
                return self.transfer_failed(descriptor.cookie, TransferError::Left);
            }
            _ => {}
        }
        // Only what will not be otherwise for the next transfer.
        if [libc::EPERM, libc::EACCES, libc::ENOSYS].contains(&errno) {
            self.kernel_refuses.set(true);
        }
        self.transfer_by_packets(descriptor.cookie);
    }

    /// The target asks for the data of a message, for its operation `receipt`.
    pub(crate) fn send_active_data(
        &self,
        word: u64,
        target: usize,
        receipt: u64,
    ) -> Result<(), UnitError> {
        let bytes = self
            .active
            .operations
            .with(word, |operation| match operation {
                Operation::Send(send) if send.target == target => {
                    send.acknowledged = send.remote.is_some();
                    Some(send.bytes)
                }
                _ => None,
            });
        let Some(Some(bytes)) = bytes else {
            return Err(nonsense(target, "it asks for the data of no message"));
        };
        let kinds = (kind::ACTIVE_DATA, kind::ACTIVE_DATA_LONG);
        // SAFETY: whoever started the send vouched for the source.
        unsafe { self.submit_active(word, target, kinds, 0, receipt, bytes) }
    }

    /// The target has taken a message, or not.
    pub(crate) fn acknowledged(&self, word: u64, target: usize, status: u16) {
        let own = self.active.operations.with(
            word,
            |operation| matches!(operation, Operation::Send(send) if send.target == target),
        );
        if own != Some(true) {
            return;
        }
        if let Some(Operation::Send(send)) = self.active.operations.take(word) {
            let how = Status::result(status);
            self.complete(send.local, how);
            self.complete(send.remote, how);
        }
    }

    /// An operation cannot be started: whoever waits for it is told.
    pub(crate) fn abandon(&self, completions: [Option<Completion>; 2], error: TransferError) {
        for completion in completions {
            self.complete(completion, Err(error));
        }
    }
}

/// What the metadata of an `ACTIVE_REQUEST` says of how the data is fetched.
fn way(protocol: SendProtocol) -> u64 {
    match protocol {
        SendProtocol::RendezvousPackets => IN_PACKETS,
        SendProtocol::RendezvousCopy => BY_KERNEL,
        _ => 0,
    }
}

pub(super) fn nonsense(origin: usize, reason: &'static str) -> UnitError {
    UnitError::Packet {
        rank: origin as u32,
        reason,
    }
}
