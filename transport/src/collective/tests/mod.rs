//! Every algorithm against an oracle, between simulated members.
//!
//! [`simulation`] runs the members' futures in one thread and finds deadlocks;
//! one file a kind compares what they end with to what a loop over all members'
//! inputs gives.

mod combining;
mod operators;
mod simulation;
mod unrooted;
