//! Puts and gets between layouts: at both ends the data may lie apart.
//!
//! Before: [`Context::put_scattered`] or [`Context::get_scattered`], with a machine over the memory
//! here and an element's program for the memory there. After: both completions are called.
//!
//! ```text
//! by the kernel    list of places here  ⇄  list of places there         one copy, the target does nothing
//! in packets
//!   put   PUT  │ key  address  code bytes  word │ program's code, data ... ──▶ unpacked where it lands
//!              ◀── ANSWER │ word  status │
//!   get   GET  │ key  address  bytes  word │ program's code ──▶ packed where it lies
//!              ◀── DATA │ word  status │ data ...
//! ```
//!
//! The kernel looks up each place of the other process, so it is asked only where the blocks there
//! are at least [`KERNEL_BLOCK_BYTES`] long on average, and the tables ask for no packets
//! (`docs/decisions/008-matching.md`; for packets the target has to advance). The
//! program travels in front of a put's data: as long as it may be, they are one message.
//!
//! Invariants: the target deserialises a program, and compares its reach with the memory region,
//! before it touches memory; where nobody has registered that, it has the kernel look at each piece
//! first. Data is never kept in between.
//!
//! Source: striping, a program that is sent to the target; PAMI, typed puts and gets.

mod coded;
mod places;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use pamir_driver::memory::kernel_copy::{Access, KernelCopyError, read_places, write_places};
use pamir_driver::unit::UnitError;

use crate::active::dispatch::{Arrival, Status};
use crate::active::send::ActiveMessage;
use crate::active::state::memory::Memory;
use crate::active::state::transfer::ScatteredTransfer;
use crate::active::{ActiveError, Completion, Operation, Receive, TransferError};
use crate::context::Context;
use crate::context::endpoint::Endpoint;
use crate::gather_scatter::{Machine, Program, Section};
use crate::one_sided::memory_region::{MemoryRegion, is_vouched_for, words};
use crate::protocol::table::{GetProtocol, PutProtocol};
use coded::{Coded, Landing, machine_of};
use places::{Places, are_accessible};

/// Length of the target's blocks from which on the kernel copies.
pub const KERNEL_BLOCK_BYTES: usize = 4096;

/// Dispatch id of a put: its program and data.
const PUT: u16 = u16::MAX - 16;

/// Dispatch id of a put's answer.
const ANSWER: u16 = u16::MAX - 17;

/// Dispatch id of a get: its program.
const GET: u16 = u16::MAX - 18;

/// Dispatch id of a get's data.
const DATA: u16 = u16::MAX - 19;

/// A put or a get, besides the memory here.
pub struct Scattered {
    /// The other end.
    pub to: Endpoint,
    /// A region that it has registered.
    pub region: MemoryRegion,
    /// Where in the region the layout stands, in bytes.
    pub offset: usize,
    /// One element of the layout there; it is repeated until the bytes are moved.
    pub element: Program,
    /// Packed bytes to move.
    pub bytes: usize,
    /// Called when the memory here may be used again.
    pub local: Option<Completion>,
    /// Called when the data is where it should be.
    pub done: Option<Completion>,
}

impl std::fmt::Debug for Scattered {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Scattered");
        text.field("to", &self.to)
            .field("region", &self.region)
            .field("offset", &self.offset)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Put,
    Get,
}

impl Context {
    /// Writes the bytes of a layout here into one of another task's memory.
    ///
    /// # Safety
    ///
    /// `source` has at least `put.bytes` bytes, which are readable until the completions have been
    /// called; without any, as long as the context lives. The target has the region registered
    /// until then.
    pub unsafe fn put_scattered(&self, put: Scattered, source: Machine) -> Result<(), ActiveError> {
        // SAFETY: as the caller vouches.
        unsafe { self.start_scattered(Direction::Put, put, source) }
    }

    /// Reads the bytes of a layout of another task's memory into one here.
    ///
    /// # Safety
    ///
    /// As for [`Self::put_scattered`], with `target` writable.
    pub unsafe fn get_scattered(&self, get: Scattered, target: Machine) -> Result<(), ActiveError> {
        // SAFETY: as the caller vouches.
        unsafe { self.start_scattered(Direction::Get, get, target) }
    }

    /// # Safety
    ///
    /// As for [`Self::put_scattered`], in the direction that is said.
    unsafe fn start_scattered(
        &self,
        direction: Direction,
        transfer: Scattered,
        here: Machine,
    ) -> Result<(), ActiveError> {
        let target = self.target_of(transfer.to)?;
        let Scattered { element, bytes, .. } = &transfer;
        let place = element
            .reach(*bytes)
            .and_then(|reach| transfer.region.place_reach(transfer.offset, reach));
        let (Some(address), Some(there)) = (place, element.covering(*bytes)) else {
            self.abandon(
                [transfer.local, transfer.done],
                TransferError::OutsideRegion,
            );
            return Ok(());
        };
        match direction {
            Direction::Put => self.count_message(target, *bytes),
            Direction::Get => self.count_fetched(target, *bytes),
        }
        if self.copies_with(target) && self.kernel_serves(direction, &transfer) {
            // SAFETY: nothing follows the address here: it is another process's.
            let there = unsafe { Machine::new(there, address as *mut u8) };
            // SAFETY: the caller vouches for the memory here.
            let copied = unsafe { self.copy_places(direction, target, &here, &there, *bytes) };
            match copied {
                Some(Ok(())) => {
                    self.complete(transfer.local, Ok(()));
                    self.complete(transfer.done, Ok(()));
                    return Ok(());
                }
                Some(Err(error)) => {
                    if let Some(error) = self.failed_by_kernel(error) {
                        self.abandon([transfer.local, transfer.done], error);
                        return Ok(());
                    }
                }
                None => {}
            }
        }
        // SAFETY: as the caller vouches.
        unsafe { self.ask_scattered(direction, target, address, transfer, here)? };
        Ok(())
    }

    fn kernel_serves(&self, direction: Direction, transfer: &Scattered) -> bool {
        let packets = match direction {
            Direction::Put => {
                self.one_sided.put_table.select(transfer.bytes) == PutProtocol::MemoryFifo
            }
            Direction::Get => {
                self.one_sided.get_table.select(transfer.bytes) == GetProtocol::MemoryFifo
            }
        };
        let blocks = transfer.element.blocks().max(1);
        // Elements that follow each other are one block.
        let contiguous = transfer.element.contiguous_times(2).is_some();
        let long = transfer.element.bytes() / blocks >= KERNEL_BLOCK_BYTES;
        !packets && (contiguous || long)
    }

    /// Lets the kernel copy; `None` if the target's process is not known yet.
    ///
    /// # Safety
    ///
    /// `here` is good for the bytes in the direction that is said.
    pub(super) unsafe fn copy_places(
        &self,
        direction: Direction,
        target: usize,
        here: &Machine,
        there: &Machine,
        bytes: usize,
    ) -> Option<Result<(), KernelCopyError>> {
        let process = self.unit.job().process(target)?;
        let (mut local, mut remote) = (Places::default(), Places::default());
        let mut at = 0;
        while at < bytes {
            local.fill(here, at, bytes);
            remote.fill(there, at, bytes);
            let places = (local.kernel.as_slice(), remote.kernel.as_slice());
            // SAFETY: the local places are of the memory that the caller vouches for.
            let moved = unsafe {
                match direction {
                    Direction::Put => write_places(process, places.0, places.1),
                    Direction::Get => read_places(process, places.0, places.1),
                }
            };
            match moved {
                Ok(moved) => at += moved,
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(()))
    }

    /// What a refusal of the kernel's means for the transfer; `None` if packets may still serve.
    fn failed_by_kernel(&self, error: KernelCopyError) -> Option<TransferError> {
        let KernelCopyError::Refused { errno, .. } = error else {
            return None;
        };
        match errno {
            // Whoever would touch the memory for a packet would be killed for it.
            libc::EFAULT => Some(TransferError::NotMapped),
            libc::ESRCH => Some(TransferError::Left),
            libc::EPERM | libc::EACCES | libc::ENOSYS => {
                self.kernel_refuses.set(true);
                None
            }
            _ => None,
        }
    }

    /// Sends the target the program, with a put's data.
    ///
    /// # Safety
    ///
    /// As for [`Self::put_scattered`], in the direction that is said.
    unsafe fn ask_scattered(
        &self,
        direction: Direction,
        target: usize,
        address: u64,
        transfer: Scattered,
        here: Machine,
    ) -> Result<(), UnitError> {
        let code = transfer.element.serialize();
        let (bytes, key, put) = (
            transfer.bytes,
            transfer.region.key,
            direction == Direction::Put,
        );
        let word = self
            .active
            .operations
            .start(Operation::Scattered(ScatteredTransfer {
                target,
                machine: (!put).then(|| here.clone()),
                bytes,
                local: transfer.local,
                done: transfer.done,
            }));
        let (dispatch, third) = if put { (PUT, code.len()) } else { (GET, bytes) };
        let header = [key, address, third as u64, word].map(u64::to_ne_bytes);
        let message = ActiveMessage {
            to: transfer.to,
            dispatch,
            header: header.as_flattened(),
            local: None,
            remote: None,
        };
        let data = if put { bytes } else { 0 };
        let total = code.len() + data;
        let memory = Memory::scattered(Coded::complete(code, here, data));
        // SAFETY: the code is the memory's own; the caller vouches for the rest.
        unsafe { self.start_active_from(target, message, memory, total) }
    }

    fn end_scattered(&self, word: u64, how: Result<(), TransferError>) {
        if let Some(Operation::Scattered(transfer)) = self.active.operations.take(word) {
            self.complete(transfer.local, how);
            self.complete(transfer.done, how);
        }
    }

    /// The target and the size of a transfer that this task has asked for, if the word names one.
    fn scattered_of(&self, word: u64) -> Option<(usize, usize, Option<Machine>)> {
        let look = |operation: &mut Operation| match operation {
            Operation::Scattered(transfer) => {
                Some((transfer.target, transfer.bytes, transfer.machine.clone()))
            }
            _ => None,
        };
        self.active.operations.with(word, look).flatten()
    }

    /// The messaging unit that a message came from.
    fn unit_of_origin(&self, origin: Endpoint) -> usize {
        let unit = self.place.unit(origin, self.unit.ranks());
        unit.expect("an arrival's origin is an endpoint of the client")
    }
}

/// Receives the messages of these transfers.
pub(crate) fn dispatch(context: &Context, dispatch: u16, arrival: Arrival<'_>) -> Receive {
    match dispatch {
        PUT => receive_put(context, arrival),
        ANSWER => receive_answer(context, arrival),
        GET => receive_get(arrival),
        DATA => receive_data(context, arrival),
        _ => Receive::refused(Status::NoHandler),
    }
}

fn receive_put(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [key, address, code_bytes, word] = words(arrival.header);
    let code_bytes = code_bytes as usize;
    let data_bytes = arrival.bytes.checked_sub(code_bytes);
    let Some(data_bytes) = data_bytes.filter(|_| code_bytes != 0) else {
        return Receive::refused(Status::OutsideRegion);
    };
    let status = Rc::new(Cell::new(Status::Good));
    let landing = Landing {
        regions: Arc::clone(&context.one_sided.regions),
        key,
        address,
        status: Rc::clone(&status),
    };
    let memory = Coded::expected(code_bytes, data_bytes, landing);
    let origin = arrival.origin;
    // SAFETY: the memory touches only what lies in a region, once it has seen that it does.
    unsafe { Receive::scattered(memory) }
        .then(move |context, _| answer(context, origin, ANSWER, word, status.get(), None))
}

fn receive_get(arrival: Arrival<'_>) -> Receive {
    let [key, address, bytes, word] = words(arrival.header);
    let origin = arrival.origin;
    let mut code = Vec::new();
    // As long as its sender says.
    if code.try_reserve_exact(arrival.bytes).is_err() {
        return Receive::refused(Status::OutsideRegion);
    }
    code.resize(arrival.bytes, 0_u8);
    // SAFETY: the completion owns the memory; it is called when nothing writes there any more.
    let receive = unsafe { Receive::into(code.as_mut_ptr(), code.len()) };
    receive.then(move |context, _| {
        let bytes = bytes as usize;
        let machine = machine_of(&context.one_sided.regions, &code, key, address, bytes);
        let there = |machine: &Machine| {
            is_vouched_for(key) || are_accessible(machine, 0, bytes, Access::Read)
        };
        let (status, data) = match machine {
            Some(machine) if there(&machine) => (Status::Good, Some((machine, bytes))),
            Some(_) => (Status::NotMapped, None),
            None => (Status::OutsideRegion, None),
        };
        answer(context, origin, DATA, word, status, data);
    })
}

/// Tells how a transfer has ended at the target, with a get's data.
fn answer(
    context: &Context,
    to: Endpoint,
    dispatch: u16,
    word: u64,
    status: Status,
    data: Option<(Machine, usize)>,
) {
    let header = [word, u64::from(status.field())].map(u64::to_ne_bytes);
    let message = ActiveMessage {
        to,
        dispatch,
        header: header.as_flattened(),
        local: None,
        remote: None,
    };
    let (memory, bytes) = match data {
        Some((machine, bytes)) => (Memory::scattered(Section::new(machine, 0, bytes)), bytes),
        None => (Memory::Contiguous(std::ptr::null_mut()), 0),
    };
    let target = context.unit_of_origin(to);
    // SAFETY: the data lies in a region, which stays until its users are done with it. The next
    // advance meets an error again, and tells.
    let _ = unsafe { context.start_active_from(target, message, memory, bytes) };
}

/// Tells how something that was asked for with the word of a transfer has ended at this target, with the bytes that it gave.
pub(super) fn answer_packed(
    context: &Context,
    to: Endpoint,
    word: u64,
    status: Status,
    bytes: Vec<u8>,
) {
    let header = [word, u64::from(status.field())].map(u64::to_ne_bytes);
    let (source, length) = (bytes.as_ptr(), bytes.len());
    let message = ActiveMessage {
        to,
        dispatch: if length == 0 { ANSWER } else { DATA },
        header: header.as_flattened(),
        // The message's memory goes with it.
        local: Some(Box::new(move |_, _| drop(bytes))),
        remote: None,
    };
    let target = context.unit_of_origin(to);
    // SAFETY: the bytes live until `local` is called. The next advance meets an error again, and tells.
    let _ = unsafe { context.start_active(target, message, source, length) };
}

/// How the target says that a transfer has ended.
fn outcome(status: u64) -> Result<(), TransferError> {
    Status::result(u16::try_from(status).unwrap_or(u16::MAX))
}

fn receive_answer(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [word, status] = words(arrival.header);
    match context.scattered_of(word) {
        Some((target, ..)) if target == context.unit_of_origin(arrival.origin) => {
            Receive::nowhere().then(move |context, _| context.end_scattered(word, outcome(status)))
        }
        _ => Receive::refused(Status::NoHandler),
    }
}

fn receive_data(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [word, status] = words(arrival.header);
    let ended = outcome(status);
    match context.scattered_of(word) {
        Some((target, bytes, Some(machine)))
            if target == context.unit_of_origin(arrival.origin)
                && (bytes == arrival.bytes || ended.is_err()) =>
        {
            let memory = Section::new(machine, 0, arrival.bytes);
            // SAFETY: `get_scattered`'s caller vouched for at least these bytes until its
            // completions.
            unsafe { Receive::scattered(memory) }
                .then(move |context, _| context.end_scattered(word, ended))
        }
        _ => Receive::refused(Status::NoHandler),
    }
}
