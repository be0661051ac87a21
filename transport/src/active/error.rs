//! Why an instruction was not taken.
//!
//! Before: an instruction is checked. After: the program gets the error; nothing was started.

use pamir_driver::unit::UnitError;

use crate::active::dispatch;
use crate::context::endpoint::Endpoint;

/// Why an instruction was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActiveError {
    /// The endpoint belongs to another client, or does not exist.
    #[error(
        "{endpoint:?} is no endpoint of this context's client: make it with Client::endpoint of the same client"
    )]
    Endpoint {
        /// The endpoint.
        endpoint: Endpoint,
    },
    /// The header does not fit.
    #[error("a header of {bytes} bytes was given; it may have {most}: send the rest as data")]
    Header {
        /// Its length.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// An immediate message is too long.
    #[error(
        "an immediate message of {bytes} bytes, header and data, was given; it may have {most}: send it otherwise (PAMI_Send), or set PAMIR_IMMEDIATE_BYTES"
    )]
    Immediate {
        /// Its length.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// The dispatch id is not one that a program may use.
    #[error("dispatch id {dispatch} is out of range: it may be 0 to {}", dispatch::DISPATCH_IDS - 1)]
    Dispatch {
        /// The id.
        dispatch: u16,
    },
    /// The way to the endpoint was closed.
    #[error("the way to {endpoint:?} was closed: open it again with Context::reopen_endpoint")]
    Closed {
        /// The endpoint.
        endpoint: Endpoint,
    },
    /// The way to an endpoint cannot be closed yet.
    #[error("{transfers} transfers to {endpoint:?} are under way: wait for them, with a fence")]
    Busy {
        /// The endpoint.
        endpoint: Endpoint,
        /// How many transfers.
        transfers: usize,
    },
    /// The messaging unit cannot go on.
    #[error(transparent)]
    Unit(#[from] UnitError),
}
