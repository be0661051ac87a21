//! What a running job tells of itself: the launcher's status socket.
//!
//! What: [`server`] is the launcher's end, [`client`] that of `pamir jobs`, [`document`] what goes between them, [`folder`]
//! where the sockets are.
//! Why: whoever started a job yesterday, or finds that the machine is busy, wants to know which ranks run, where, and how those
//! ended that have; and programs that watch jobs want to read it.
//!
//! ```text
//! mpiexec: loop of the supervisor                      pamir jobs, or any program of the user
//!   listener ◀──────────── connection ──────────────── connect
//!   owner is this user?                                 "status\n"
//!   document of this moment ──── JSON, a line ───────▶ read until the end
//! ```
//!
//! One request a connection. Anything but `status` is answered with `{"error": ...}`.
//!
//! Invariants: the launcher waits for no client, and makes no document that nobody asked for; only processes of the job's
//! user are answered; a socket that is seen under its name has a listener, or its launcher has been killed.

pub mod client;
pub mod document;
pub mod folder;
pub mod server;
pub mod socket_name;

/// What a client asks for, in a line of its own.
pub const REQUEST: &str = "status";
