//! What becomes of errors that are raised on an object (MPI-5.0 section 9.3).
//!
//! Before: a program sets a handler. After: the layer above, which raises errors, asks the
//! object for it. New communicators inherit their parent's.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An error handler.
#[derive(Clone, Default)]
pub enum ErrorHandler {
    /// Every error ends the whole job.
    #[default]
    AreFatal,
    /// Every error aborts the object's processes.
    Abort,
    /// The call returns its error code.
    Return,
    /// One of the program's: the layer above knows how to call it. It lives as long as an
    /// object has it.
    Program(Arc<dyn Any + Send + Sync>),
}

impl fmt::Debug for ErrorHandler {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AreFatal => "AreFatal",
            Self::Abort => "Abort",
            Self::Return => "Return",
            Self::Program(_) => "Program",
        })
    }
}
