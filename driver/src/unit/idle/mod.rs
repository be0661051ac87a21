//! What a rank that has nothing to do says to the others: that it sleeps, and on which processor it waited.

mod current_processor;
pub(super) mod sleep;
