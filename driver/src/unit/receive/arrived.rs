//! Whether packets have come, without handling them.
//!
//! Before: somebody is about to sleep, or asks whether a target that has left had sent more. After:
//! a look at the lanes.

use super::next_record::peek;
use crate::unit::{MessagingUnit, Owner, UnitError};

impl<O: Owner> MessagingUnit<O> {
    /// Whether the lane from `origin` holds a packet.
    pub fn has_arrived(&self, origin: usize) -> Result<bool, UnitError> {
        Ok(peek(&self.origins[origin], origin)?.is_some())
    }

    /// Whether any lane holds a packet.
    pub fn any_arrived(&self) -> Result<bool, UnitError> {
        self.rotation.open_rung(&self.bells);
        for origin in self.rotation.open() {
            if peek(&self.origins[origin], origin)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
