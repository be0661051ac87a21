//! Balancing at synchronisation points: pure logic over recorded data, and what feeds it.
//!
//! Before: somebody announces who called a synchronisation, and when. After: what to prepare for,
//! and how much load goes from the slowest member of a group to which faster ones.
//!
//! ```text
//! announcement ─▶ history ─▶ evaluation ─▶ law ─▶ receivers ─▶ partition
//!                 who, when   first? last?  how much  to whom      new ranges
//! ```
//!
//! [`decision::controller`] runs this chain once a cycle, with a slope from [`decision::damping`], upon
//! differences that are more than [`decision::noise`].
//! [`partition::division`] turns load into [`partition::items`] of a program, [`partition::rounding`] takes out of their times what
//! whole items do to them, and [`decision::policy`] text into settings.
//! [`leveler`] is for data that must stay, [`assignment`] for tasks of unequal cost, and [`simulation`] runs both with thousands of ranks.
//! [`share`] is for codes that know nothing of balancing, [`spare::gathering`] finds their cycles, and
//! [`spare::dead_time`] what is left over in them, for programs that [`spare::punctuality`] does not let the kernel
//! fit in by itself; [`record`] and [`record::metrics`] keep and measure a run.
//! [`occasion`] is why to level besides.
//! But for [`announcement`], which reads clocks and shared memory, and [`occasion`], which asks the
//! kernel, nothing here reads a clock, sends, or waits: recorded histories give the same decisions again.

pub mod announcement;
pub mod assignment;
pub mod decision;
pub mod history;
pub mod leveler;
pub mod occasion;
pub mod partition;
pub mod record;
pub mod share;
pub mod simulation;
pub mod spare;
