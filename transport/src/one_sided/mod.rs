//! Puts and gets: one side says what moves, the other need not.
//!
//! Before: [`Context::put`] or [`Context::get`] with a memory region of the target. After: the
//! completions are called, and the target's handler if the put names one.
//!
//! | transfer | the kernel copies | it refuses, or the table asks for packets |
//! |----------|-------------------|------------|
//! | put      | direct put descriptor; `PUT_ARRIVED` if a handler is named | message to `PUT` with the data |
//! | get      | remote get descriptor, unless a handler is named | message to `GET`; the target answers to `GET_DATA`, then calls the handler that is named |
//!
//! Where the client has an engine of the node, that copies instead ([`crate::one_sided::node_engine`]).
//!
//! The bytes of a descriptor that waits are counted by a DMA counter while there is a free one,
//! and the counter status register says that it is complete. The messages go under dispatch ids that programs cannot use. Every error is told to the completions.

pub mod memory_region;
pub mod node_engine;
pub mod read_modify_write;
pub mod scattered;
pub(crate) mod state;
pub mod window;

use pamir_driver::injection::descriptor::{Descriptor, Operation as Direction};
use pamir_driver::memory::kernel_copy::Access;
use pamir_driver::unit::UnitError;

use crate::active::dispatch::{Arrival, DISPATCH_IDS, Status};
use crate::active::send::ActiveMessage;
pub use crate::active::state::transfer::Notification;
use crate::active::{ActiveError, Completion, Operation, Receive, Transfer, TransferError, fence};
use crate::context::Context;
use crate::context::endpoint::Endpoint;
use crate::one_sided::memory_region::{MemoryRegion, words};
use crate::protocol::kind;
use crate::protocol::table::{GetProtocol, PutProtocol};
use crate::selection::Choice;

/// Dispatch id of a put's data: key, address, whether to notify and whom, its word.
const PUT: u16 = u16::MAX;

/// Dispatch id of a get's request: key, address, bytes, operation, whether to notify and whom, its word.
const GET: u16 = u16::MAX - 1;

/// Dispatch id of a get's data: operation.
const GET_DATA: u16 = u16::MAX - 2;

/// A put, besides its data.
pub struct Put {
    /// The target.
    pub to: Endpoint,
    /// A region that the target has registered.
    pub region: MemoryRegion,
    /// Where in the region the data goes, in bytes.
    pub offset: usize,
    /// Who is told at the target.
    pub notify: Option<Notification>,
    /// Called when the data may be changed again.
    pub local: Option<Completion>,
    /// Called when the data is in the target's memory.
    pub remote: Option<Completion>,
}

/// A get, besides where its data goes.
pub struct Get {
    /// Whose memory is read.
    pub from: Endpoint,
    /// A region that it has registered.
    pub region: MemoryRegion,
    /// Where in the region the data is, in bytes.
    pub offset: usize,
    /// Who is told at the other end, whose advance then provides the data.
    pub notify: Option<Notification>,
    /// Called when the data has come.
    pub done: Option<Completion>,
}

impl Context {
    /// Registers `bytes` bytes at `address` for puts and gets of the client's other endpoints.
    ///
    /// # Safety
    ///
    /// The memory is readable and writable until [`Self::deregister`]; others write to it
    /// whenever they like.
    pub unsafe fn register(&self, address: *mut u8, bytes: usize) -> MemoryRegion {
        self.one_sided
            .regions
            .register(address as u64, bytes as u64)
    }

    /// Lets the client's other endpoints put to and get from all memory of this process, with
    /// [`MemoryRegion::everything`].
    ///
    /// # Safety
    ///
    /// Others write wherever they like: the program has agreed with them where.
    pub unsafe fn open_memory(&self) {
        self.one_sided.regions.open();
    }

    /// Takes a region back; false if it is not registered. No transfer may be under way.
    pub fn deregister(&self, region: &MemoryRegion) -> bool {
        self.one_sided.regions.deregister(region)
    }

    /// Writes `bytes` bytes at `source` into a region of another task's memory.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes until the completions have been called; without
    /// any, as long as the context lives. The target has the region registered until then.
    pub unsafe fn put(&self, put: Put, source: *const u8, bytes: usize) -> Result<(), ActiveError> {
        let target = self.target_of(put.to)?;
        check_notification(put.notify)?;
        let Some(address) = put.region.place(put.offset, bytes) else {
            self.abandon([put.local, put.remote], TransferError::OutsideRegion);
            return Ok(());
        };
        let transfer = Transfer {
            direction: Direction::DirectPut,
            target,
            buffer: source.cast_mut(),
            bytes,
            remote: (put.region.key, address),
            notify: put.notify,
            local: put.local,
            done: put.remote,
        };
        self.count_message(target, bytes);
        // SAFETY: as the caller vouches.
        unsafe { self.start_transfer(transfer)? };
        Ok(())
    }

    /// Reads `bytes` bytes from a region of another task's memory to `target`.
    ///
    /// # Safety
    ///
    /// `target` is writable for `bytes` bytes until the completion has been called; without
    /// one, as long as the context lives. The other task has the region registered until then.
    pub unsafe fn get(&self, get: Get, target: *mut u8, bytes: usize) -> Result<(), ActiveError> {
        let from = self.target_of(get.from)?;
        check_notification(get.notify)?;
        let Some(address) = get.region.place(get.offset, bytes) else {
            self.abandon([get.done, None], TransferError::OutsideRegion);
            return Ok(());
        };
        let transfer = Transfer {
            direction: Direction::RemoteGet,
            target: from,
            buffer: target,
            bytes,
            remote: (get.region.key, address),
            notify: get.notify,
            local: None,
            done: get.done,
        };
        self.count_fetched(from, bytes);
        // SAFETY: as the caller vouches.
        unsafe { self.start_transfer(transfer)? };
        Ok(())
    }

    /// # Safety
    ///
    /// The transfer's buffer is good until it has ended.
    unsafe fn start_transfer(&self, transfer: Transfer) -> Result<(), UnitError> {
        // The kernel reads another's memory without its knowing: whoever is to be told answers.
        let answered = transfer.direction == Direction::RemoteGet && transfer.notify.is_some();
        if answered || self.is_for_packets(&transfer) || !self.copies_with(transfer.target) {
            return self.send_transfer(transfer);
        }
        if self.place.engine && self.is_on_engines_node() {
            return self.order(transfer);
        }
        let descriptor = Descriptor::direct(
            transfer.direction,
            transfer.target as u32,
            transfer.buffer,
            transfer.remote.1,
            transfer.bytes,
        );
        let (notify, auxiliary, metadata) = match transfer.notify {
            Some(notify) => (kind::PUT_ARRIVED, notify.dispatch, notify.word),
            None => (0, 0, 0),
        };
        let word = self.active.operations.start(Operation::Direct(transfer));
        let descriptor = Descriptor {
            cookie: word,
            notify,
            auxiliary,
            metadata,
            ..descriptor
        };
        // SAFETY: the caller vouches for the buffer; the cookie tells when it is done.
        unsafe { self.unit.submit(self, descriptor) }
    }

    /// Whether the table wants packets for a transfer of this size.
    fn is_for_packets(&self, transfer: &Transfer) -> bool {
        match transfer.direction {
            Direction::RemoteGet => {
                let protocol = self.one_sided.get_table.select(transfer.bytes);
                GetProtocol::table().count(protocol);
                protocol == GetProtocol::MemoryFifo
            }
            _ => {
                let protocol = self.one_sided.put_table.select(transfer.bytes);
                PutProtocol::table().count(protocol);
                protocol == PutProtocol::MemoryFifo
            }
        }
    }

    fn take_direct(&self, word: u64) -> Option<Transfer> {
        match self.active.operations.take(word)? {
            Operation::Direct(transfer) => Some(transfer),
            _ => None,
        }
    }

    /// The engine has copied all of a transfer.
    pub(crate) fn transferred(&self, word: u64) {
        if let Some(transfer) = self.take_direct(word) {
            self.complete(transfer.local, Ok(()));
            self.complete(transfer.done, Ok(()));
        }
    }

    /// The kernel cannot copy, and packets could not either.
    pub(crate) fn transfer_failed(&self, word: u64, error: TransferError) {
        if let Some(transfer) = self.take_direct(word) {
            self.abandon([transfer.local, transfer.done], error);
        }
    }

    /// The kernel would not copy: packets carry the data.
    pub(crate) fn transfer_by_packets(&self, word: u64) {
        let Some(transfer) = self.take_direct(word) else {
            return;
        };
        // The error is met again, and told, by the next advance.
        let _ = self.send_transfer(transfer);
    }

    pub(crate) fn send_transfer(&self, transfer: Transfer) -> Result<(), UnitError> {
        let (key, address) = transfer.remote;
        let to = self.place.endpoint(transfer.target);
        if transfer.direction == Direction::RemoteGet {
            return self.send_get(to, transfer);
        }
        let notify = notification_words(transfer.notify);
        let header = [key, address, notify[0], notify[1]].map(u64::to_ne_bytes);
        let (local, done) = (transfer.local, transfer.done);
        let message = ActiveMessage {
            to,
            dispatch: PUT,
            header: header.as_flattened(),
            local: None,
            // Whether the target takes it is only known when it has answered.
            remote: Some(Box::new(move |context, how| {
                context.complete(local, how);
                context.complete(done, how);
            })),
        };
        // SAFETY: `put`'s caller vouched for the source until the completions.
        unsafe { self.start_active(transfer.target, message, transfer.buffer, transfer.bytes) }
    }

    fn send_get(&self, to: Endpoint, transfer: Transfer) -> Result<(), UnitError> {
        let ((key, address), target) = (transfer.remote, transfer.target);
        let bytes = transfer.bytes as u64;
        let notify = notification_words(transfer.notify);
        let word = self.active.operations.start(Operation::Get(transfer));
        let header = [key, address, bytes, word, notify[0], notify[1]].map(u64::to_ne_bytes);
        let message = ActiveMessage {
            to,
            dispatch: GET,
            header: header.as_flattened(),
            local: None,
            remote: Some(Box::new(move |context, how| {
                if how.is_err() {
                    context.end_get(word, how);
                }
            })),
        };
        self.start_header(target, message)
    }

    fn end_get(&self, word: u64, how: Result<(), TransferError>) {
        if let Some(Operation::Get(transfer)) = self.active.operations.take(word) {
            self.complete(transfer.done, how);
        }
    }

    /// Calls the handler that a put or a get names.
    pub(crate) fn notify(
        &self,
        origin: u32,
        dispatch: u16,
        word: u64,
        address: u64,
        bytes: u64,
    ) -> Result<(), UnitError> {
        let header = [word, address, bytes].map(u64::to_ne_bytes);
        let receive = self.dispatch(origin, dispatch, header.as_flattened(), Some(&[]), 0);
        if receive.status == Status::NotYet {
            self.keep_notification((origin, dispatch), header.as_flattened());
            return Ok(());
        }
        if receive.status == Status::NoHandler {
            return Err(UnitError::Packet {
                rank: origin,
                reason: "no handler is set for the dispatch id that its put or get names",
            });
        }
        self.complete(receive.done, Ok(()));
        Ok(())
    }
}

/// Receives the messages under the transport's own dispatch ids.
pub(crate) fn dispatch(context: &Context, dispatch: u16, arrival: Arrival<'_>) -> Receive {
    match dispatch {
        PUT => receive_put(context, arrival),
        GET => answer_get(context, arrival),
        GET_DATA => receive_get(context, arrival),
        fence::FENCE => Receive::nowhere(),
        window::message::REQUEST => window::message::receive(arrival),
        read_modify_write::REQUEST => read_modify_write::answer(context, arrival),
        read_modify_write::ANSWER => read_modify_write::answered(context, arrival),
        node_engine::MOVE | node_engine::MOVED | node_engine::MOVED_IN => {
            node_engine::dispatch(context, dispatch, arrival)
        }
        _ => scattered::dispatch(context, dispatch, arrival),
    }
}

/// A notification's dispatch id is one that programs can use.
fn check_notification(notify: Option<Notification>) -> Result<(), ActiveError> {
    match notify {
        Some(Notification { dispatch, .. }) if dispatch >= DISPATCH_IDS => {
            Err(ActiveError::Dispatch { dispatch })
        }
        _ => Ok(()),
    }
}

/// A notification in a header: its dispatch id plus one, or 0 for none; its word.
fn notification_words(notify: Option<Notification>) -> [u64; 2] {
    notify.map_or([0; 2], |notify| {
        [u64::from(notify.dispatch) + 1, notify.word]
    })
}

fn receive_put(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [key, address, notify, word] = words(arrival.header);
    let bytes = arrival.bytes;
    let writes = Access::Write;
    if let Err(status) = context
        .one_sided
        .regions
        .check(key, address, bytes as u64, writes)
    {
        return Receive::refused(status);
    }
    // SAFETY: the range lies in a region, which its owner vouched for until it is deregistered,
    // and no transfer may be under way then; or the kernel has just found it.
    let receive = unsafe { Receive::into(address as *mut u8, bytes) };
    let Some(dispatch) = notify.checked_sub(1) else {
        return receive;
    };
    let origin = context.place.unit(arrival.origin, context.unit.ranks());
    let origin = origin.expect("an arrival's origin is an endpoint of the client") as u32;
    receive.then(move |context, _| {
        // A handler that is not set is the program's mistake at this end; the data is there.
        if dispatch < u64::from(DISPATCH_IDS) {
            let _ = context.notify(origin, dispatch as u16, word, address, bytes as u64);
        }
    })
}

fn answer_get(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [key, address, bytes, word, notify, told] = words(arrival.header);
    if let Err(status) = context
        .one_sided
        .regions
        .check(key, address, bytes, Access::Read)
    {
        return Receive::refused(status);
    }
    let target = context.place.unit(arrival.origin, context.unit.ranks());
    let target = target.expect("an arrival's origin is an endpoint of the client");
    let message = ActiveMessage {
        to: arrival.origin,
        dispatch: GET_DATA,
        header: &word.to_ne_bytes(),
        local: Some(Box::new(move |context, how| {
            let dispatch = notify.wrapping_sub(1);
            if how.is_ok() && dispatch < u64::from(DISPATCH_IDS) {
                // As in `receive_put`.
                let _ = context.notify(target as u32, dispatch as u16, told, address, bytes);
            }
        })),
        remote: None,
    };
    // SAFETY: as in `receive_put`; the region stays until its users are done with it.
    let sent =
        unsafe { context.start_active(target, message, address as *const u8, bytes as usize) };
    match sent {
        Ok(()) => Receive::nowhere(),
        // The next advance meets the error again, and tells.
        Err(_) => Receive::refused(Status::NoHandler),
    }
}

fn receive_get(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [word] = words(arrival.header);
    let origin = context.place.unit(arrival.origin, context.unit.ranks());
    let place = context
        .active
        .operations
        .with(word, |operation| match operation {
            Operation::Get(transfer)
                if Some(transfer.target) == origin && transfer.bytes == arrival.bytes =>
            {
                Some(transfer.buffer)
            }
            _ => None,
        });
    let Some(Some(buffer)) = place else {
        return Receive::refused(Status::NoHandler);
    };
    // SAFETY: `get`'s caller vouched for the buffer until its completion.
    unsafe { Receive::into(buffer, arrival.bytes) }
        .then(move |context, how| context.end_get(word, how))
}

impl std::fmt::Debug for Put {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Put");
        text.field("to", &self.to)
            .field("region", &self.region)
            .field("offset", &self.offset)
            .field("notify", &self.notify)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Get {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Get");
        text.field("from", &self.from)
            .field("region", &self.region)
            .field("offset", &self.offset)
            .field("notify", &self.notify)
            .finish_non_exhaustive()
    }
}
