//! Threads of the engine's: MPI's context goes on while the program computes.
//!
//! Before: `MPI_Init`. After: `PAMIR_ENGINE` says which of them there is. `service`, the default, comes into being once
//! sends stay behind as a call leaves; `thread` is there from the beginning, and each call takes a lock for it.
//!
//! Neither waits for the lock, so a call that ends one may hold it.

pub mod service;
pub mod thread;
