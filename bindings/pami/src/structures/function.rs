//! The program's functions, and how they are called.
//!
//! Before: a program names a function and a cookie. After: the rooms above call it with both.
//!
//! Only C makes these types: their fields are private. Whoever hands a function in vouches for it with the
//! cookie that is handed in beside it, for as long as the interface says that it is called.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::structures::code::Code;
use crate::structures::pointer::Address;

/// A function that is told of an end.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct EventCall(unsafe extern "C" fn(*mut c_void, *mut c_void, Code));

/// `pami_event_function`.
pub type EventFunction = Option<EventCall>;

impl EventCall {
    /// Tells; by whoever has the context.
    pub fn call(self, context: *mut c_void, cookie: *mut c_void, result: Code) {
        // SAFETY: the program gave function and cookie for this.
        unsafe { (self.0)(context, cookie, result) }
    }
}

/// A function that is posted; it returns a `pami_result_t` of the program's, which may be any number.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct WorkCall(unsafe extern "C" fn(*mut c_void, *mut c_void) -> i32);

/// `pami_work_function`.
pub type WorkFunction = Option<WorkCall>;

impl WorkCall {
    /// Runs it; by whoever has the context.
    pub fn call(self, context: *mut c_void, cookie: *mut c_void) -> i32 {
        // SAFETY: the program gave function and cookie for this.
        unsafe { (self.0)(context, cookie) }
    }
}

/// A function that is called where a context is to be advanced.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct ProgressCall(unsafe extern "C" fn(*mut c_void, *mut c_void));

/// `pamix_async_function`.
pub type ProgressFunction = Option<ProgressCall>;

impl ProgressCall {
    /// Calls it; by any thread.
    pub fn call(self, context: *mut c_void, cookie: *mut c_void) {
        // SAFETY: the program gave function and cookie for this.
        unsafe { (self.0)(context, cookie) }
    }
}

/// A function that handles data, or a small number that stands for an operation.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct DataCall(unsafe extern "C" fn(*mut c_void, *mut c_void, usize, *mut c_void));

/// `pami_data_function`.
pub type DataFunction = Option<DataCall>;

/// The lowest address that a function may have: those below are numbers that stand for operations.
const LOWEST_FUNCTION: usize = 4096;

/// # Safety
///
/// `target` is writable and `source` readable for `bytes` bytes.
unsafe extern "C" fn copy(
    target: *mut c_void,
    source: *mut c_void,
    bytes: usize,
    _cookie: *mut c_void,
) {
    // SAFETY: the caller vouches for both; a plain move, so they may overlap.
    unsafe { std::ptr::copy(source.cast::<u8>(), target.cast::<u8>(), bytes) };
}

impl DataCall {
    /// `PAMI_DATA_COPY`.
    pub const COPY: Self = Self(copy);

    /// Where it is, or the number that it is.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Whether it is no function, but a number.
    pub fn is_number(self) -> bool {
        self.address() < LOWEST_FUNCTION
    }

    /// Has it combine what comes with what is there, which is as long.
    pub fn combine(self, incoming: &[u8], inout: &mut [u8], cookie: *mut c_void) {
        let source = incoming.as_ptr().cast_mut();
        // SAFETY: both are slices.
        unsafe { self.handle(inout.as_mut_ptr(), source, inout.len(), cookie) };
    }

    /// Has it handle data. A number does nothing.
    ///
    /// # Safety
    ///
    /// `target` is writable and `source` readable for `bytes` bytes; they do not overlap.
    pub unsafe fn handle(
        self,
        target: *mut u8,
        source: *mut u8,
        bytes: usize,
        cookie: *mut c_void,
    ) {
        if !self.is_number() {
            // SAFETY: the program gave function and cookie for this; the caller vouches for the memory.
            unsafe { (self.0)(target.cast(), source.cast(), bytes, cookie) };
        }
    }
}

/// `pami_recv_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Receive {
    /// What the function gets.
    pub cookie: *mut c_void,
    /// All data is there.
    pub local_fn: EventFunction,
    /// Where the data goes.
    pub addr: Address,
    /// Its layout there.
    pub type_: *mut c_void,
    /// Where in the layout it begins, in bytes of data.
    pub offset: usize,
    /// What handles it.
    pub data_fn: DataFunction,
    /// What that gets.
    pub data_cookie: *mut c_void,
}

impl Receive {
    /// As a program's function finds it.
    const UNFILLED: Self = Self {
        cookie: null_mut(),
        local_fn: None,
        addr: Address::NULL,
        type_: null_mut(),
        offset: 0,
        data_fn: None,
        data_cookie: null_mut(),
    };
}

/// A function that receives messages, all of which `pami_dispatch_callback_function` holds here:
/// a union of function pointers is passed as one of them.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct DispatchCall(
    unsafe extern "C" fn(
        context: *mut c_void,
        cookie: *mut c_void,
        header: *const c_void,
        header_bytes: usize,
        pipe: *const c_void,
        data_bytes: usize,
        origin: u32,
        receive: *mut Receive,
    ),
);

/// `pami_dispatch_p2p_function`.
pub type DispatchFunction = Option<DispatchCall>;

impl DispatchCall {
    /// Calls it for a message all of which is there: address and bytes of header and data.
    ///
    /// # Safety
    ///
    /// Header and data are readable for their bytes until it returns.
    #[inline(always)]
    pub unsafe fn give(
        self,
        context: *mut c_void,
        cookie: *mut c_void,
        origin: u32,
        [header, data]: [(*const u8, usize); 2],
    ) {
        // SAFETY: the program gave function and cookie for this; the caller vouches for the rest.
        unsafe {
            (self.0)(
                context,
                cookie,
                header.0.cast(),
                header.1,
                data.0.cast(),
                data.1,
                origin,
                null_mut(),
            );
        }
    }

    /// Calls it for a message of `bytes` bytes of data, which are not there yet; what it wants done with them.
    pub fn ask(
        self,
        context: *mut c_void,
        cookie: *mut c_void,
        origin: u32,
        header: &[u8],
        bytes: usize,
    ) -> Receive {
        let mut receive = Receive::UNFILLED;
        let (header, header_bytes) = (header.as_ptr().cast(), header.len());
        // SAFETY: the program gave function and cookie for this; the structure lives until the call returns.
        unsafe {
            (self.0)(
                context,
                cookie,
                header,
                header_bytes,
                null(),
                bytes,
                origin,
                &raw mut receive,
            );
        }
        receive
    }
}

/// A function of a member in an active-message collective, of the type that its kind has.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct MemberCall(unsafe extern "C" fn());

/// `pami_dispatch_callback_function` of an active-message collective.
pub type MemberFunction = Option<MemberCall>;

/// What a member's function is called with.
pub struct Question<'a> {
    /// The context's handle.
    pub context: *mut c_void,
    /// What was set with the function.
    pub cookie: *mut c_void,
    /// The program's header.
    pub header: &'a [u8],
    /// Bytes of data that come, or are answered.
    pub bytes: usize,
    /// The origin's word.
    pub origin: u32,
    /// The geometry's handle.
    pub geometry: *mut c_void,
}

/// `pami_dispatch_ambroadcast_function`, `pami_dispatch_amscatter_function`.
type TakingFunction = unsafe extern "C" fn(
    context: *mut c_void,
    cookie: *mut c_void,
    header: *const c_void,
    header_bytes: usize,
    pipe: *const c_void,
    data_bytes: usize,
    origin: u32,
    geometry: *mut c_void,
    receive: *mut Receive,
);

/// `pami_dispatch_amgather_function`.
type GatherFunction = unsafe extern "C" fn(
    context: *mut c_void,
    cookie: *mut c_void,
    header: *const c_void,
    header_bytes: usize,
    data_bytes: usize,
    origin: u32,
    geometry: *mut c_void,
    send: *mut Receive,
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
    operation: *mut DataFunction,
    send: *mut Receive,
);

impl MemberCall {
    /// Calls the function of an `AMBROADCAST` or an `AMSCATTER`; what it wants done with the data.
    pub fn take(self, question: &Question<'_>) -> Receive {
        let mut receive = Receive::UNFILLED;
        // SAFETY: the program has set it for a kind that has this type.
        let function: TakingFunction = unsafe { std::mem::transmute(self.0) };
        let header = question.header;
        // SAFETY: the program gave function and cookie for this; all is alive during the call.
        unsafe {
            function(
                question.context,
                question.cookie,
                header.as_ptr().cast(),
                header.len(),
                null(),
                question.bytes,
                question.origin,
                question.geometry,
                &raw mut receive,
            );
        }
        receive
    }

    /// Calls the function of an `AMGATHER`; where the answer is.
    pub fn gather(self, question: &Question<'_>) -> Receive {
        let mut send = Receive::UNFILLED;
        // SAFETY: the program has set it for a kind that has this type.
        let function: GatherFunction = unsafe { std::mem::transmute(self.0) };
        let header = question.header;
        // SAFETY: the program gave function and cookie for this; all is alive during the call.
        unsafe {
            function(
                question.context,
                question.cookie,
                header.as_ptr().cast(),
                header.len(),
                question.bytes,
                question.origin,
                question.geometry,
                &raw mut send,
            );
        }
        send
    }

    /// Calls the function of an `AMREDUCE`; where the answer is, and how answers are combined.
    pub fn reduce(self, question: &Question<'_>) -> (Receive, DataFunction) {
        let (mut send, mut operation) = (Receive::UNFILLED, None);
        // SAFETY: the program has set it for a kind that has this type.
        let function: ReduceFunction = unsafe { std::mem::transmute(self.0) };
        let header = question.header;
        // SAFETY: the program gave function and cookie for this; all is alive during the call.
        unsafe {
            function(
                question.context,
                question.cookie,
                header.as_ptr().cast(),
                header.len(),
                question.bytes,
                question.origin,
                question.geometry,
                &raw mut operation,
                &raw mut send,
            );
        }
        (send, operation)
    }
}

/// Tests stand for C.
#[cfg(test)]
pub mod vouched {
    use super::*;

    /// A function that a test defines.
    pub fn data(
        function: unsafe extern "C" fn(*mut c_void, *mut c_void, usize, *mut c_void),
    ) -> DataFunction {
        Some(DataCall(function))
    }

    /// A function that adds numbers of 32 bits.
    pub fn adding() -> DataFunction {
        unsafe extern "C" fn add(
            target: *mut c_void,
            source: *mut c_void,
            bytes: usize,
            _: *mut c_void,
        ) {
            for index in 0..bytes / 4 {
                // SAFETY: a test's numbers.
                unsafe { *target.cast::<u32>().add(index) += *source.cast::<u32>().add(index) };
            }
        }
        data(add)
    }

    /// The function that a number stands for; none for 0.
    pub fn number(number: usize) -> DataFunction {
        // SAFETY: a null pointer is no function, and any other is not called.
        unsafe { std::mem::transmute(std::ptr::without_provenance::<()>(number)) }
    }
}
