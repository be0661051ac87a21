//! Dispatch ids: which function of the program's receives a message.
//!
//! Before: `PAMI_Dispatch_set`. After: when a message arrives, the transport's dispatch table
//! calls a [`Receiver`], which calls the program's function and takes its `pami_recv_t`.
//!
//! ```text
//! message of one packet ──▶ function(.., data, no pami_recv_t)             immediate
//! longer, or never immediate ──▶ function(.., no data, pami_recv_t)        asynchronous
//!                                     └─▶ its address ──▶ local_fn when all data is there
//! ```
//!
//! A header that is too long for a packet travels as data, under a second id of the transport:
//! see [`crate::long_header`].

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::{Receive, TransferError};

use crate::configuration::{attribute, query, update};
use crate::context::{ContextObject, context_of};
use crate::endpoint::word_of;
use crate::event::Event;
use crate::layout::end::{End, Handling};
use crate::layout::{MOST_ATOM_BYTES, layout_of};
use crate::long_header;
use crate::refusal::{Code, Refusal, answer};
use crate::structures::{self, Configuration, DispatchFunction, DispatchHints, Hint, Value};
use crate::types::PAMI_TYPE_BYTE;

/// The highest dispatch id that programs may use.
pub const HIGHEST_DISPATCH: usize = 2047;

/// Hints that a library for one machine cannot follow, or that contradict each other.
fn check_hints(hints: DispatchHints) -> Result<(), Refusal> {
    let no = |reason| Err(Refusal::Hints { reason });
    if hints.has_invalid() {
        return no("one of them is PAMI_HINT_INVALID");
    }
    if hints.use_shmem() == Hint::Disable {
        return no("use_shmem cannot be disabled: all messages go through shared memory");
    }
    if hints.use_rdma() == Hint::Enable {
        return no("use_rdma: messages go in packets; PAMI_Rput and PAMI_Rget go without");
    }
    if hints.use_rdma() == Hint::Disable && hints.buffer_registered() == Hint::Enable {
        return no("buffer_registered contradicts use_rdma disabled");
    }
    if hints.remote_async_progress() == Hint::Enable {
        return no("remote_async_progress: a context makes progress when it is advanced");
    }
    if hints.consistency() == Hint::Enable && hints.long_header() == Hint::Enable {
        return no(
            "a header longer than a packet is overtaken: disable long_header for consistency",
        );
    }
    Ok(())
}

/// A function of the program's, and what it is called with besides the message.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    function: unsafe extern "C" fn(
        *mut c_void,
        *mut c_void,
        *const c_void,
        usize,
        *const c_void,
        usize,
        u32,
        *mut structures::Receive,
    ),
    cookie: *mut c_void,
}

impl Call {
    /// Calls the function for a message all of which is there.
    ///
    /// # Safety
    ///
    /// Header and data are readable for their bytes until it returns.
    #[inline(always)]
    pub unsafe fn give(
        &self,
        context: &ContextObject,
        origin: u32,
        header: (*const u8, usize),
        data: (*const u8, usize),
    ) {
        // SAFETY: the program gave function and cookie for this; the caller vouches for the rest.
        unsafe {
            (self.function)(
                context.handle(),
                self.cookie,
                header.0.cast(),
                header.1,
                data.0.cast(),
                data.1,
                origin,
                null_mut(),
            );
        }
    }
}

/// What receives the messages of a dispatch id.
#[derive(Clone, Copy)]
pub struct Receiver {
    context: &'static ContextObject,
    call: Call,
    hints: DispatchHints,
}

impl Receiver {
    /// What the program has said of the dispatch id.
    pub fn hints(&self) -> DispatchHints {
        self.hints
    }

    /// Whether the function may be given the data with the call.
    #[inline(always)]
    pub fn takes_immediately(&self) -> bool {
        self.hints.recv_immediate() != Hint::Disable
    }

    /// How many bytes of data it is given so.
    pub fn immediate_bytes(&self) -> usize {
        self.context.immediate_bytes()
    }

    /// Whom it calls.
    #[inline(always)]
    pub fn call(&self) -> Call {
        self.call
    }

    /// Calls the function for a message all of which is there.
    pub fn give(&self, origin: u32, header: &[u8], data: &[u8]) {
        let part = |bytes: &[u8]| (bytes.as_ptr(), bytes.len());
        // SAFETY: they are slices.
        unsafe { (self.call).give(self.context, origin, part(header), part(data)) };
    }

    /// Calls the function for a message of `bytes` bytes of data; where they go.
    pub fn ask(&self, origin: u32, header: &[u8], bytes: usize) -> Place {
        let mut receive = structures::Receive {
            cookie: null_mut(),
            local_fn: None,
            addr: null_mut(),
            type_: null_mut(),
            offset: 0,
            data_fn: None,
            data_cookie: null_mut(),
        };
        // SAFETY: as in `give`; the structure lives until the call returns.
        unsafe {
            (self.call.function)(
                self.context.handle(),
                self.call.cookie,
                header.as_ptr().cast(),
                header.len(),
                null(),
                bytes,
                origin,
                &raw mut receive,
            );
        }
        self.place(&receive, bytes)
    }

    fn place(&self, receive: &structures::Receive, bytes: usize) -> Place {
        Place::new(self.context, self.hints, receive, bytes)
    }

    fn receive(&self, arrival: Arrival<'_>) -> Receive {
        let origin = word_of(arrival.origin);
        match arrival.data {
            Some(data) if self.takes_immediately() => {
                self.give(origin, arrival.header, data);
                Receive::nowhere()
            }
            _ => self.ask(origin, arrival.header, arrival.bytes).receive(),
        }
    }
}

/// Where the program wants the data of a message.
pub struct Place {
    /// Nothing if it does not want it, or cannot have it.
    pub end: Option<End>,
    /// All of it.
    pub bytes: usize,
    /// Who is told.
    pub event: Option<Event>,
    /// Why it cannot have it.
    pub refusal: Option<Refusal>,
}

/// Where the program wants the data; nothing if it does not.
///
/// # Safety
///
/// There is room for the data at the address, as the type describes it.
unsafe fn end_of(
    hints: DispatchHints,
    receive: &structures::Receive,
    bytes: usize,
) -> Result<Option<End>, Refusal> {
    let address = receive.addr.cast::<u8>();
    if address.is_null() {
        return Ok(None);
    }
    let contiguous = hints.recv_contiguous() == Hint::Enable;
    let untyped = contiguous || receive.type_.is_null();
    let type_ = if untyped {
        PAMI_TYPE_BYTE.0
    } else {
        receive.type_
    };
    let offset = if contiguous { 0 } else { receive.offset };
    let layout = layout_of(type_, "type of pami_recv_t")?;
    let handling = match hints.recv_copy() {
        Hint::Enable => None,
        _ => Handling::of(receive.data_fn, receive.data_cookie, &layout)?,
    };
    // SAFETY: as the caller vouches.
    Ok(Some(unsafe {
        End::new(&layout, address, offset, bytes, handling)?
    }))
}

impl Place {
    /// What a program has said of `bytes` bytes in its `pami_recv_t`, under hints.
    pub fn new(
        context: &ContextObject,
        hints: DispatchHints,
        receive: &structures::Receive,
        bytes: usize,
    ) -> Self {
        // SAFETY: the program vouched for the memory when its function returned.
        let end = unsafe { end_of(hints, receive, bytes) };
        let (end, refusal) = match end {
            Ok(end) => (end, None),
            Err(refusal) => (None, Some(refusal)),
        };
        Self {
            end,
            bytes,
            event: Event::new(context, receive.local_fn, receive.cookie),
            refusal,
        }
    }

    /// Tells that the data is there, or why it is not.
    pub fn tell(event: Option<Event>, refusal: Option<Refusal>) {
        let code = answer(refusal.map_or(Ok(()), Err));
        if let Some(event) = event {
            event.tell(code);
        }
    }

    /// Tells that the data did not come.
    pub fn fail(event: Option<Event>, error: TransferError) {
        if let Some(event) = event {
            event.end(Err(error));
        }
    }

    /// As the transport takes it.
    pub fn receive(self) -> Receive {
        let Self {
            end,
            bytes,
            event,
            refusal,
        } = self;
        // SAFETY: the program vouched for the memory until its function is called.
        let receive = unsafe {
            match end {
                None => Receive::nowhere(),
                Some(End::Contiguous(address)) => Receive::into(address, bytes),
                Some(End::Scattered(section)) => Receive::scattered(section),
                Some(End::Function(memory)) => Receive::scattered(*memory),
            }
        };
        receive.then(move |_, how| match (how, event) {
            (Ok(()), event) => Self::tell(event, refusal),
            (Err(error), event) => Self::fail(event, error),
        })
    }
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// function and the cookie are good as long as it lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Dispatch_set(
    context: *mut c_void,
    dispatch: usize,
    function: DispatchFunction,
    cookie: *mut c_void,
    options: DispatchHints,
) -> Code {
    let set = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let argument = "fn";
        let function = function.ok_or(Refusal::Null { argument })?;
        check_hints(options)?;
        let receiver = Receiver {
            context: object,
            call: Call { function, cookie },
            hints: options,
        };
        // SAFETY: the caller vouches for having the context.
        let context = unsafe { object.context() };
        let id = dispatch as u16;
        context.set_dispatch(id, move |_, arrival| receiver.receive(arrival))?;
        if options.long_header() != Hint::Disable {
            long_header::register(context, id, receiver)?;
        }
        object.receivers().set(dispatch, receiver);
        Ok(())
    };
    answer(set())
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Dispatch_query(
    context: *mut c_void,
    dispatch: usize,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let ask = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let packet = object.immediate_bytes();
        let known = |name| {
            let intval = match name {
                attribute::DISPATCH_SEND_IMMEDIATE_MAX => packet,
                // A message whose origin waits for its reception carries a word more.
                attribute::DISPATCH_RECV_IMMEDIATE_MAX => packet - 8,
                attribute::DISPATCH_ATOM_SIZE_MAX => MOST_ATOM_BYTES,
                _ => return None,
            };
            Some(Value { intval })
        };
        // SAFETY: the caller vouches for the entries.
        unsafe { query("dispatch", configuration, num_configs, known) }
    };
    answer(ask())
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Dispatch_update(
    context: *mut c_void,
    dispatch: usize,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let change = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let known = |name| {
            (attribute::DISPATCH_RECV_IMMEDIATE_MAX..=attribute::DISPATCH_ATOM_SIZE_MAX)
                .contains(&name)
        };
        // SAFETY: the caller vouches for the entries.
        unsafe { update("dispatch", configuration, num_configs, known) }
    };
    answer(change())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_that_cannot_be_followed_are_refused() {
        let hint = |index: u32, value: u32| value << (2 * index);
        for (word, good) in [
            (0, true),
            (hint(9, 1), true),
            (hint(9, 2), false),
            (hint(8, 1), false),
            (hint(6, 1), true),
            (hint(8, 2) | hint(6, 1), false),
            (hint(7, 1), false),
            (hint(5, 1), true),
            (hint(5, 1) | hint(1, 1), false),
            (hint(5, 1) | hint(1, 2), true),
            (hint(3, 3), false),
        ] {
            assert_eq!(check_hints(DispatchHints(word)).is_ok(), good, "{word:#x}");
        }
    }
}
