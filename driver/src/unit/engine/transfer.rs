//! The words from which both ends of a large transfer claim pieces.
//!
//! Before: a message that both ends copy has been matched. After: each end claims, and copies
//! what it got.

use pamir_shm::copy::chunk_claims::PieceClaims;
use pamir_shm::segment::mapped::Mapped;

use crate::unit::{MessagingUnit, Owner, UnitError};

impl<O: Owner> MessagingUnit<O> {
    /// Word `slot`, below [`crate::job::layout::TRANSFER_SLOTS`], of the lane from `origin` to `target`.
    pub fn piece_claims(
        &self,
        origin: usize,
        target: usize,
        slot: usize,
    ) -> Result<Mapped<PieceClaims>, UnitError> {
        let offset = self.job.layout().piece_claims(origin, target, slot);
        Ok(Mapped::new(self.job.segment(), offset)?)
    }
}
