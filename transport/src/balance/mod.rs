//! Balancing at synchronisation points: pure logic over recorded data.
//!
//! Before: somebody announces who called a synchronisation, and when. After: what to prepare for,
//! and how much load goes from the slowest member of a group to which faster ones.
//!
//! ```text
//! call ─▶ history ─▶ evaluation ─▶ law ─▶ receivers
//!         who, when   first? last?  how much  to whom, in which parts
//! ```
//!
//! Nothing here reads a clock, sends, or waits: recorded histories give the same decisions again.

pub mod evaluation;
pub mod history;
pub mod law;
pub mod receivers;
