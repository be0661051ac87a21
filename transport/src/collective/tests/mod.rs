//! Every algorithm against an oracle, between simulated members.
//!
//! [`simulation`] runs the members' futures in one thread and finds deadlocks;
//! one file a kind compares what they end with to what a loop over all members'
//! inputs gives.

// A test fails by panicking.
#![allow(clippy::unwrap_used)]

mod board;
mod combining;
mod combining_blocks;
mod inter;
mod moving;
mod neighbor;
mod operators;
mod refusal;
mod selection;
mod simulation;
mod torus;
mod traffic;
mod unrooted;
