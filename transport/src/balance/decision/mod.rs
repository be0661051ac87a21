//! How much load goes from the slowest member to which others: decided once a cycle.
//!
//! Before: [`super::history`] of the calls. After: [`super::partition`] makes new ranges.
//!
//! ```text
//! history ─▶ evaluation ─▶ law ─▶ receivers ─▶ partition
//!            first? last?  how much  to whom   new ranges
//! ```
//!
//! [`controller`] runs this chain, with a slope from [`damping`], upon differences that are more than [`noise`];
//! [`policy`] turns text into its settings.

pub mod controller;
pub mod damping;
pub mod evaluation;
pub mod evening;
pub mod forecast;
pub mod law;
pub mod noise;
pub mod policy;
pub mod receivers;
