//! The words from which both ends of a large transfer claim chunks.
//!
//! Before: a message that both ends copy has been matched. After: each end claims, and copies
//! what it got.

use pamir_shm::copy::chunk_claims::ChunkClaims;
use pamir_shm::segment::mapped::Mapped;

use crate::unit::{MessagingUnit, Owner, UnitError};

impl<O: Owner> MessagingUnit<O> {
    /// Word `slot`, below [`crate::job::layout::TRANSFER_SLOTS`], of the lane from `origin` to `target`.
    pub fn chunk_claims(
        &self,
        origin: usize,
        target: usize,
        slot: usize,
    ) -> Result<Mapped<ChunkClaims>, UnitError> {
        let offset = self.job.layout().chunk_claims(origin, target, slot);
        Ok(Mapped::new(self.job.segment(), offset)?)
    }
}
