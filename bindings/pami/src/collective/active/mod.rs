//! Active-message collectives: one member starts, the others need not have called anything.
//!
//! Before: `PAMI_AMCollective_dispatch_set` at all members, and `PAMI_Collective` at one. After: the
//! program's functions run at all members, the one who starts among them unless it is a broadcast; what they
//! answer goes back.
//!
//! ```text
//! origin                                        each member
//! START  │ head │ program's header │  data │ ──▶ function: where the data goes    (AMBROADCAST, AMSCATTER)
//! START  │ head │ program's header │       ──▶ function: what is answered         (AMGATHER, AMREDUCE)
//!                             ◀── ANSWER │ head │ data │
//! ```
//!
//! Messages go straight from the origin to each member, under two dispatch ids of the transport that
//! programs have not. Every START is acknowledged, so that the origin learns of members that have set
//! no function.
//!
//! | file | what |
//! |---|---|
//! | `head.rs`, `starting.rs` | the message that starts an operation at a member |
//! | `broadcast.rs` | a message to every member |
//! | `answer.rs` | a member's answer |
//! | `awaited.rs` | the origin of an operation that is answered |
//! | `listen.rs` | which function, or which operation, a message is for |

mod answer;
mod awaited;
mod broadcast;
mod head;
mod listen;
mod starting;

pub use listen::{listen, start};
