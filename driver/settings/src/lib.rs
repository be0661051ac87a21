//! Settings: every `PAMIR_*` variable of the environment is one entry of one table.
//!
//! What: [`table`] declares the variables, [`kind`] the values that each takes, [`setting`] reads one,
//! [`mod@check`] finds bad values and unknown names, [`document`] writes them down for users.
//! Why: a variable that only its reader knows is misspelt in silence, and each reader has its own
//! idea of what switches something off.
//! Step before: a user's shell, or the launcher. Step after: the room that asks
//! `pamir_settings::ENGINE.value()`.
//!
//! Invariants: nothing below this crate or beside it is imported, so that every room may read a setting;
//! a setting is read when something is set up, never on the path of a message; an empty value counts as
//! none.

pub mod agreement;
pub mod check;
pub mod document;
pub mod kind;
pub mod setting;
pub mod table;

pub use agreement::{Disagreement, MOST_AGREED, check_agreement, fingerprints};
pub use check::{BadValue, Unknown, check, check_environment, unknown};
pub use setting::{Audience, Declared, Setting};
pub use table::*;
