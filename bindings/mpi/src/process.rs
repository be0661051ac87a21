//! MPI in one process: its context, and the communicators that exist from the start.

use std::rc::Rc;

use pamir_driver::job::RankState;
use pamir_driver::unit::UnitError;
use pamir_transport::client::{Client, ClientError, MPI};
use pamir_transport::context::Context;

use crate::communicator::Communicator;
use crate::communicator::context_id::ContextIds;
use crate::group::Group;

/// Context id of the communicator of all tasks.
const WORLD_CONTEXT: u32 = 0;

/// Context id of the communicator of this task alone.
const SELF_CONTEXT: u32 = 2;

/// How many context ids are taken from the start.
const TAKEN_CONTEXTS: usize = 2;

/// Why MPI could not be initialised.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The job could not be joined, or its messaging unit not be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// MPI in this process.
#[derive(Debug)]
pub struct Process {
    context: Rc<Context>,
    world: Rc<Communicator>,
    own: Rc<Communicator>,
    context_ids: Rc<ContextIds>,
}

impl Process {
    /// Joins the job that this process was started in, or one of its own.
    pub fn from_environment() -> Result<Self, ProcessError> {
        let client = Client::open(MPI)?;
        let task = client.task();
        let context = client.create_context()?;
        let group = Group::world(context.tasks() as u32);
        let world = Communicator::new(group, None, task, WORLD_CONTEXT);
        let own = Communicator::new(Group::single(task as u32), None, 0, SELF_CONTEXT);
        world.set_name(b"MPI_COMM_WORLD");
        own.set_name(b"MPI_COMM_SELF");
        Ok(Self {
            context: Rc::new(context),
            world: Rc::new(world),
            own: Rc::new(own),
            context_ids: Rc::new(ContextIds::new(TAKEN_CONTEXTS)),
        })
    }

    /// The context that everything goes through.
    #[inline(always)]
    pub fn context(&self) -> &Rc<Context> {
        &self.context
    }

    /// The communicator of all tasks.
    #[inline(always)]
    pub fn world(&self) -> &Rc<Communicator> {
        &self.world
    }

    /// The communicator of this task alone.
    pub fn own(&self) -> &Rc<Communicator> {
        &self.own
    }

    /// The context ids that communicators of this process may get.
    pub fn context_ids(&self) -> &Rc<ContextIds> {
        &self.context_ids
    }

    /// Leaves: everything sent is on its way, and no peer will read this process's memory.
    pub fn finalize(&self) -> Result<(), UnitError> {
        self.context.flush()?;
        crate::collective::barrier(&self.context, &self.world).map_err(|_| UnitError::Packet {
            rank: 0,
            reason: "the final barrier failed",
        })?;
        self.context.flush()?;
        self.context
            .job()
            .set_rank_state(self.context.task(), RankState::Finalized);
        Ok(())
    }

    /// Tells the launcher that this rank gives up the job.
    pub fn give_up(&self, code: i32) {
        self.context
            .job()
            .set_rank_state(self.context.task(), RankState::Aborted { code });
    }
}
