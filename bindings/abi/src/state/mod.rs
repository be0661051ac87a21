//! What MPI has in this process: rooms that each own a part, and [`State`], which puts them together.
//!
//! Before: [`crate::process`] makes the state when MPI starts, and lets one call after another have it.
//! After: the rooms say what handles name, and what the addresses of a call are good for.
//!
//! | room                                           | owns |
//! |------------------------------------------------|------|
//! | [`communicators`], [`groups`], [`operations`]  | what the program made of these |
//! | [`datatypes`], [`memory`]                      | datatypes; what they describe at an address |
//! | [`attributes`]                                 | keys, and values at datatypes |
//! | [`requests`], [`messages`], [`buffers`]        | operations under way, claimed messages, buffered sends |
//! | [`windows`]                                    | windows |
//! | [`numbered`]                                   | the objects of `pamir.h` |
//! | [`infos`]                                      | hints, which have a lock of their own: they outlive the state |
//!
//! A new kind of object (a file) has its handle's kind in [`handles`] and a room here.
//!
//! Invariant: no room imports [`State`]. A room that needs another is given it.

pub mod attributes;
pub mod buffers;
pub mod communicators;
pub mod datatypes;
pub mod groups;
pub mod handles;
pub mod infos;
pub mod integers;
pub mod memory;
pub mod messages;
pub mod numbered;
pub mod operations;
pub mod requests;
pub mod windows;

use std::rc::Rc;

use pamir_mpi::balance::partition::Partition;
use pamir_mpi::balance::tasks::Tasks;
use pamir_mpi::communicator::Communicator;
use pamir_mpi::process::Process;
use pamir_mpi::window::allocation::Allocations;

use crate::constants::{MPI_COMM_SELF, MPI_COMM_WORLD};
use crate::error::Result;
use crate::types::MPI_Comm;
use attributes::Attributes;
use buffers::Buffers;
use communicators::Communicators;
use datatypes::Datatypes;
use groups::Groups;
use messages::Messages;
use numbered::Numbered;
use operations::Operations;
use requests::Requests;
use windows::Windows;

/// All of MPI in this process.
pub struct State {
    /// The context and the first communicators.
    pub process: Process,
    /// Communicators that the program made.
    pub communicators: Communicators,
    /// Groups that the program made.
    pub groups: Groups,
    /// Datatypes, predefined ones too.
    pub datatypes: Datatypes,
    /// Reduction operations that the program made.
    pub operations: Operations,
    /// Keys of attributes that the program made, and the attributes of datatypes.
    pub attributes: Attributes,
    /// Messages that matched probes have claimed.
    pub messages: Messages,
    /// Requests that are more than one message.
    pub requests: Requests,
    /// Windows.
    pub windows: Windows,
    /// Memory of `MPI_Alloc_mem`.
    pub allocations: Allocations,
    /// Buffers for buffered sends.
    pub buffers: Buffers,
    /// Partitions of `pamir.h`.
    pub partitions: Numbered<Partition>,
    /// Tasks of `pamir.h`.
    pub tasks: Numbered<Tasks>,
    /// The level of thread support that the program was given.
    pub thread_level: i32,
    /// The thread that initialised MPI.
    pub main_thread: libc::pid_t,
}

impl State {
    /// The state of a process that has just joined its job.
    pub fn new(process: Process, thread_level: i32, main_thread: libc::pid_t) -> Self {
        Self {
            process,
            communicators: Communicators::default(),
            groups: Groups::default(),
            datatypes: Datatypes::default(),
            operations: Operations::default(),
            attributes: Attributes::default(),
            messages: Messages::default(),
            requests: Requests::default(),
            windows: Windows::default(),
            allocations: Allocations::default(),
            buffers: Buffers::default(),
            partitions: Numbered::default(),
            tasks: Numbered::default(),
            thread_level,
            main_thread,
        }
    }

    /// The communicator that a handle names.
    #[inline(always)]
    pub fn communicator(&self, comm: MPI_Comm) -> Result<Rc<Communicator>> {
        if comm == MPI_COMM_WORLD {
            return Ok(self.process.world().clone());
        }
        self.other_communicator(comm)
    }

    #[inline(never)]
    fn other_communicator(&self, comm: MPI_Comm) -> Result<Rc<Communicator>> {
        if comm == MPI_COMM_SELF {
            return Ok(self.process.own().clone());
        }
        self.communicators.named(comm)
    }
}
