//! The message that starts an operation at one member.
//!
//! Before: a call with its parameters. After: the transport sends it, and tells when the member has received it.

use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{Completion, TransferError};

use crate::collective::active::head::{Head, START};
use crate::collective::call::Call;
use crate::edge::span::Span;
use crate::refusal::Refusal;
use crate::structures::kind::TransferKind;
use crate::structures::pointer::Address;

/// A message of an operation to one member.
pub struct Start<'a> {
    /// What comes first.
    pub head: Head,
    /// The program's header.
    pub header: &'a [u8],
    /// The data.
    pub data: Data,
}

/// Data of a message.
pub enum Data {
    /// It stays where it is until the message has come.
    There(Span),
    /// The message has its own.
    Copied(Vec<u8>),
}

impl Call {
    /// The program's headers, of `bytes` bytes each: one for each of `count` members, or one for all.
    ///
    /// # Errors
    ///
    /// Headers that are too long, or missing.
    pub fn headers(&self, headers: Address, bytes: usize, count: usize) -> Result<Span, Refusal> {
        let most = self.object.context().longest_header_bytes() - Head::BYTES;
        if bytes > most {
            return Err(Refusal::LongHeader { bytes, most });
        }
        Span::new(headers, bytes.saturating_mul(count), "header")
    }

    /// The head of this operation's messages.
    pub fn head(
        &self,
        kind: TransferKind,
        dispatch: usize,
        answer_bytes: usize,
    ) -> Result<Head, Refusal> {
        self.object.check_dispatch_range(dispatch)?;
        // The origin of a broadcast calls no function of its own.
        let calls = kind != TransferKind::ActiveBroadcast;
        if calls && self.object.active().function(kind, dispatch).is_none() {
            return Err(Refusal::CollectiveDispatchNotSet { dispatch });
        }
        Ok(Head {
            kind,
            geometry: self.geometry.id,
            dispatch: dispatch as u32,
            key: self.object.active().next_key(),
            answer_bytes: answer_bytes as u64,
        })
    }

    /// Sends to a member; `remote` is told when it has received all. The data stays until then.
    pub fn send(
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
        match start.data {
            Data::There(data) => self.object.send(message, &data)?,
            Data::Copied(data) => self.object.send_copy(message, data)?,
        }
        Ok(())
    }
}
