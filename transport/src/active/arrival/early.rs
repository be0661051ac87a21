//! Messages that come before their dispatch id has a handler, or before their handler can take them.
//!
//! Before: a packet handler has found nobody who takes a message. After: the message is kept, or stays in its lane; the
//! advance that follows [`Context::set_dispatch`] gives it to the handler, and acknowledges it.
//!
//! | from | to | by |
//! |------|----|----|
//! | arriving | kept | a message nobody takes, as long as there is room |
//! | arriving | in its lane | the same without room: its origin's other packets wait behind it |
//! | kept | taken | the advance after `set_dispatch` of its id; those of one id in their order |
//!
//! Invariant: while anything is kept for a dispatch id, what comes for that id is kept behind it: the handler that is
//! set is in the table only when it has got all of it.

use std::rc::Rc;

use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::Packet;

use super::landing::{kept, land_all, receipt};
use crate::active::dispatch::{DispatchHandler, Status};
use crate::active::state::early::{Body, Early};
use crate::context::Context;

/// A message of several packets, the first of which has come.
pub(super) struct Begun<'a> {
    pub(super) packet: &'a Packet<'a>,
    /// Where its data starts in that.
    pub(super) from: usize,
    /// Bytes of data.
    pub(super) total: usize,
}

impl Context {
    /// Keeps a message that nobody takes yet.
    ///
    /// # Errors
    ///
    /// [`UnitError::Held`] where there is no room for it.
    #[cold]
    pub(crate) fn keep_early(
        &self,
        (origin, dispatch): (u32, u16),
        (header, data): (&[u8], &[u8]),
        acknowledge: Option<u64>,
    ) -> Result<(), UnitError> {
        let body = || Body::Short(data.to_vec());
        self.keep_with((origin, dispatch), (header, data.len()), body, acknowledge)
    }

    /// Keeps the notification of a put whose data is there: nothing can be held back for it any more.
    #[cold]
    pub(crate) fn keep_notification(&self, (origin, dispatch): (u32, u16), header: &[u8]) {
        self.active.early.keep(Early {
            origin,
            dispatch,
            header: header.to_vec(),
            body: Body::Short(Vec::new()),
            acknowledge: None,
        });
    }

    /// As [`Self::keep_early`], of a message that asks before it sends its data.
    #[cold]
    pub(super) fn keep_asked(
        &self,
        ids: (u32, u16),
        header: &[u8],
        (word, bytes, address, metadata): (u64, usize, u64, u64),
    ) -> Result<(), UnitError> {
        let body = || Body::Asked {
            word,
            bytes,
            address,
            metadata,
        };
        self.keep_with(ids, (header, 0), body, None)
    }

    fn keep_with(
        &self,
        (origin, dispatch): (u32, u16),
        (header, data_bytes): (&[u8], usize),
        body: impl FnOnce() -> Body,
        acknowledge: Option<u64>,
    ) -> Result<(), UnitError> {
        if !self.active.early.has_room(header.len(), data_bytes) {
            return Err(UnitError::Held);
        }
        self.active.early.keep(Early {
            origin,
            dispatch,
            header: header.to_vec(),
            body: body(),
            acknowledge,
        });
        Ok(())
    }

    /// Keeps a message of several packets.
    ///
    /// # Errors
    ///
    /// As for [`Self::keep_early`].
    #[cold]
    pub(super) fn begin_early(
        &self,
        (origin, dispatch): (u32, u16),
        header: &[u8],
        begun: Begun<'_>,
        acknowledge: Option<u64>,
    ) -> Result<(), UnitError> {
        let Begun {
            packet,
            from,
            total,
        } = begun;
        if !self.active.early.has_room(header.len(), total) {
            return Err(UnitError::Held);
        }
        let (receipt, data) = kept(origin, total);
        self.active.early.begin(Early {
            origin,
            dispatch,
            header: header.to_vec(),
            body: Body::Long(data),
            acknowledge,
        });
        self.begin(origin, receipt, packet, from)
    }

    /// All packets of an early message have come.
    #[cold]
    pub(super) fn early_is_whole(&self, origin: usize) -> Result<(), UnitError> {
        let Some(early) = self.active.early.end(origin as u32) else {
            return Ok(());
        };
        if let Some(again) = self.deliver(early)? {
            self.active.early.keep(again);
        }
        Ok(())
    }

    /// A handler for a dispatch id for which messages are kept: it has to take them first.
    #[cold]
    pub(in crate::active) fn postpone_dispatch(
        &self,
        dispatch: u16,
        handler: Rc<DispatchHandler<Context>>,
    ) {
        self.active.table.clear(dispatch);
        self.active.early.postpone(dispatch, handler);
        self.add_to_background();
    }

    /// Gives handlers that have been set what was kept for them; how many messages they took.
    pub(crate) fn deliver_early(&self) -> Result<usize, UnitError> {
        let mut taken = 0;
        for (dispatch, handler) in self.active.early.postponed() {
            self.active.table.set(dispatch, handler);
            for early in self.active.early.take(dispatch) {
                match self.deliver(early)? {
                    Some(again) => self.active.early.keep(again),
                    None => taken += 1,
                }
            }
        }
        Ok(taken)
    }

    /// Gives a message to its handler; it comes back if that cannot take it yet.
    fn deliver(&self, early: Early) -> Result<Option<Early>, UnitError> {
        let (data, bytes) = match &early.body {
            Body::Short(data) => (Some(data.as_slice()), data.len()),
            Body::Long(data) => (None, data.len()),
            Body::Asked { bytes, .. } => (None, *bytes),
        };
        let (origin, header) = (early.origin, early.header.as_slice());
        let receive = self.dispatch(origin, early.dispatch, header, data, bytes);
        if receive.status == Status::NotYet {
            return Ok(Some(early));
        }
        match &early.body {
            Body::Short(data) | Body::Long(data) => {
                let mut receipt = receipt(origin, early.acknowledge, bytes, receive);
                land_all(&mut receipt, data);
                self.received_active(receipt)?;
            }
            Body::Asked {
                word,
                address,
                metadata,
                ..
            } => {
                let receipt = receipt(origin, Some(*word), bytes, receive);
                self.fetch_active(receipt, *address, *metadata)?;
            }
        }
        Ok(None)
    }
}
