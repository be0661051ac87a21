//! Results of calls, as numbers.
//!
//! Before: a function has done its work, or refused it. After: C gets one of these.

/// `pami_result_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// `PAMI_SUCCESS`
    Success = 0,
    /// `PAMI_ERROR`
    Error = 1,
    /// `PAMI_INVAL`
    Invalid = 2,
    /// `PAMI_UNIMPL`
    Unimplemented = 3,
    /// `PAMI_EAGAIN`
    Again = 4,
    /// `PAMI_ENOMEM`
    NoMemory = 5,
    /// `PAMI_SHUTDOWN`
    Shutdown = 6,
}
