//! The message that starts an operation at one member.
//!
//! Before: a call with its parameters. After: the transport sends it, and tells when the member has received it.

use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{Completion, TransferError};

use crate::collective::active::head::{Head, START};
use crate::collective::call::Call;
use crate::refusal::Refusal;
use crate::structures::kind::TransferKind;

/// A message of an operation to one member.
pub struct Start<'a> {
    /// What comes first.
    pub head: Head,
    /// The program's header.
    pub header: &'a [u8],
    /// The data.
    pub data: &'a [u8],
}

impl Call {
    /// The header of the program's for one member, of one for each or of one for all.
    ///
    /// # Safety
    ///
    /// `headers` is readable for as many headers.
    pub unsafe fn header<'a>(
        &self,
        headers: *const u8,
        bytes: usize,
        index: usize,
    ) -> Result<&'a [u8], Refusal> {
        // SAFETY: the caller has the context.
        let context = unsafe { self.object.context() };
        let most = context.longest_header_bytes() - Head::BYTES;
        if bytes > most {
            return Err(Refusal::LongHeader { bytes, most });
        }
        if bytes == 0 {
            return Ok(&[]);
        }
        if headers.is_null() {
            let argument = "header";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: as the caller vouches.
        Ok(unsafe { std::slice::from_raw_parts(headers.add(index * bytes), bytes) })
    }

    /// The head of this operation's messages.
    pub fn head(
        &self,
        kind: TransferKind,
        dispatch: usize,
        answer_bytes: usize,
    ) -> Result<Head, Refusal> {
        if self.object.active().function(kind, dispatch).is_none() {
            return Err(Refusal::CollectiveDispatchNotSet { dispatch });
        }
        Ok(Head {
            kind,
            geometry: self.geometry.id,
            // It was found, so it is in range.
            dispatch: dispatch as u32,
            key: self.object.active().next_key(),
            answer_bytes: answer_bytes as u64,
        })
    }

    /// Sends to a member; `remote` is told when it has received all.
    ///
    /// # Safety
    ///
    /// The calling thread has the context for itself, and the data stays until then.
    pub unsafe fn send(
        &self,
        rank: usize,
        start: Start<'_>,
        remote: impl FnOnce(Result<(), TransferError>) + 'static,
    ) -> Result<(), Refusal> {
        let header = [&start.head.to_bytes(), start.header].concat();
        let remote: Completion = Box::new(move |_, how| remote(how));
        let message = ActiveMessage {
            to: self.geometry.endpoints()[rank],
            dispatch: START,
            header: &header,
            local: None,
            remote: Some(remote),
        };
        let (source, bytes) = (start.data.as_ptr(), start.data.len());
        // SAFETY: as the caller vouches.
        unsafe { self.object.context().send_active(message, source, bytes)? };
        Ok(())
    }
}
