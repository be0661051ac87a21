//! Results of calls: the number of a refusal, and what a thread's last refused call had to say.
//!
//! Before: a function has refused. After: C has the number, and the sentence is kept.

use std::cell::RefCell;

use pamir_transport::active::{ActiveError, TransferError};
use pamir_transport::client::ClientError;
use pamir_transport::collective::{CollectiveError, ExchangeError};

use crate::edge::mark;
use crate::refusal::Refusal;
use crate::structures::Code;

impl Refusal {
    fn code(&self) -> Code {
        match self {
            Self::Client(ClientError::Job(_) | ClientError::Unit(_)) => Code::Error,
            Self::Active(ActiveError::Unit(_)) => Code::Error,
            Self::Active(ActiveError::Closed { .. }) => Code::Shutdown,
            Self::Active(ActiveError::Busy { .. }) | Self::NoRoom => Code::Again,
            Self::OperationsLeft { .. } => Code::Again,
            Self::NoAnswer { .. } | Self::Profile(_) => Code::Error,
            Self::Collective(error) => collective_code(error),
            Self::Extension { .. } | Self::Torus { .. } | Self::AsynchronousEvent { .. } => {
                Code::Unimplemented
            }
            Self::Thread { .. } => Code::Error,
            _ => Code::Invalid,
        }
    }
}

/// How a transfer has ended, as its callback is told.
pub fn ended(how: Result<(), TransferError>) -> Code {
    match how {
        Ok(()) => Code::Success,
        Err(error) => {
            let code = match error {
                TransferError::OutsideRegion | TransferError::NotMapped => Code::Invalid,
                TransferError::Left => Code::Shutdown,
                _ => Code::Error,
            };
            keep(code, error)
        }
    }
}

fn collective_code(error: &CollectiveError) -> Code {
    match error {
        CollectiveError::Exchange(ExchangeError::Left { .. }) => Code::Shutdown,
        CollectiveError::Exchange(ExchangeError::Corrupt { .. }) => Code::Error,
        CollectiveError::OutOfMemory { .. } => Code::NoMemory,
        _ => Code::Invalid,
    }
}

/// How a collective operation has ended, as its callback is told.
pub fn ended_collective(how: Result<(), CollectiveError>) -> Code {
    how.map_or_else(|error| refused(error.into()), |()| Code::Success)
}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The result of a call; if it was refused, its sentence is kept.
#[inline(always)]
pub fn answer(outcome: Result<(), Refusal>) -> Code {
    match outcome {
        Ok(()) => Code::Success,
        Err(refusal) => refused(refusal),
    }
}

/// The result of a call that was refused.
#[cold]
#[inline(never)]
pub fn refused(refusal: Refusal) -> Code {
    // What is wrong with the handle is that it is a parent's.
    let refusal = if mark::is_forked() {
        Refusal::Forked
    } else {
        refusal
    };
    keep(refusal.code(), refusal)
}

#[cold]
fn keep(code: Code, error: impl std::fmt::Display) -> Code {
    LAST.with_borrow_mut(|last| *last = error.to_string());
    code
}

/// What the thread's last refused call had to say, as `read` is told.
pub fn last_sentence<T>(read: impl FnOnce(&str) -> T) -> T {
    LAST.with_borrow(|last| read(if last.is_empty() { "no error" } else { last }))
}
