//! What the members of a window share besides its memory: the words of its synchronisation.
//!
//! ```text
//! common     one CommonWords: who has the whole window locked
//! members    one MemberWords of 512 bytes a member: its lock, the gate of accumulates, its mailbox
//! posted     [origin][target]  how many times the target has exposed its memory to the origin
//! completed  [target][origin]  how many times the origin has ended its accesses to the target
//! ```
//!
//! Before: a window is made, and its members map the same zeros. After: [`turn_lock`] and [`class_word`]
//! are its locks, [`gate`] keeps accumulates apart, [`exposure`] counts posts and
//! completions, [`attached`] says what memory of a dynamic window may be accessed, and a
//! [`mailbox`] takes short accesses that a waiting target does itself.
//!
//! Memory order of each synchronisation (MPI-5.0 section 12.7; `docs/design/windows.md` has the table of calls):
//!
//! | call | word | order |
//! |---|---|---|
//! | lock | [`turn_lock`], [`class_word`] | Acquire: what the last holder did is seen |
//! | unlock | the same | Release: what this holder did is seen by the next one |
//! | post | posted | Release: the target's own stores are seen by the origin |
//! | start | posted | Acquire |
//! | complete | completed | Release: what the origin has put is seen by the target |
//! | wait, test | completed | Acquire |
//! | flush | none | a full fence: what this origin has put is there before it looks at anything else |
//!
//! Invariants: a counter has one writer; a member waits only for words that another member stores before it wakes it.

#[cfg(not(loom))]
pub mod attached;
pub mod class_word;
pub mod exposure;
pub mod gate;
pub mod mailbox;
#[cfg(not(loom))]
pub mod mapped;
pub mod turn_lock;
