//! Why a client or one of its contexts cannot be had.
//!
//! Before: a client is opened, or asked for a context. After: the program, or the launcher, has the sentence.

use pamir_driver::injection::InjectionError;
use pamir_driver::job::JobError;
use pamir_driver::unit::UnitError;
use pamir_settings::BadValue;

use crate::collective::shape::torus::ShapeError;
use crate::one_sided::node_engine::EngineError;
use crate::selection::SelectionError;
use crate::striping::configuration::StripingError;

/// Why a client or one of its contexts could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The name is in use in this process.
    #[error("this process has opened client {name:?} already; each client needs a name of its own")]
    Open {
        /// The name.
        name: String,
    },
    /// All contexts have been made.
    #[error(
        "client {name:?} has {contexts} contexts in each task and all are made: set PAMIR_CONTEXTS={name}=N for more"
    )]
    Contexts {
        /// The client's name.
        name: String,
        /// How many it has.
        contexts: usize,
    },
    /// There is no such task or context.
    #[error(
        "client {name:?} has no endpoint in task {task} with context {context}: there are {tasks} tasks with {contexts} contexts each"
    )]
    Endpoint {
        /// The client's name.
        name: String,
        /// The task asked for.
        task: usize,
        /// The context asked for.
        context: usize,
        /// Tasks that there are.
        tasks: usize,
        /// Contexts in each.
        contexts: usize,
    },
    /// The configuration makes no sense.
    #[error("PAMIR_CONTEXTS is {value:?}: it should be a list such as solver=2,io=1")]
    Configuration {
        /// What it is.
        value: String,
    },
    /// The table of clients makes no sense.
    #[error(
        "PAMIR_CLIENTS is {value:?}, and {reason}: it should be a table such as solver=tasks:0-3,contexts:2;io=engine:node"
    )]
    Table {
        /// What it is.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The client is of other tasks.
    #[error("client {name:?} is of other tasks than this one, task {task}, by PAMIR_CLIENTS")]
    NotMember {
        /// The client's name.
        name: String,
        /// This task, in the job.
        task: usize,
    },
    /// The client's injection FIFOs cannot be as they are configured.
    #[error(transparent)]
    Injection(#[from] InjectionError),
    /// A variable holds what it may not.
    #[error(transparent)]
    Setting(#[from] BadValue),
    /// The job could not be joined, or has no room for the client.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The tables of algorithms make no sense.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The shape of the torus is none.
    #[error(transparent)]
    Torus(#[from] ShapeError),
    /// The threads that move stripes cannot be as they are configured.
    #[error(transparent)]
    Striping(#[from] StripingError),
    /// The engine of the node cannot be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A context's messaging unit could not be set up.
    #[error(transparent)]
    Unit(#[from] UnitError),
}

impl ClientError {
    /// Whether the environment is what has to be corrected.
    pub fn is_setting(&self) -> bool {
        matches!(
            self,
            Self::Setting(_)
                | Self::Job(JobError::Disagreement { .. })
                | Self::Configuration { .. }
                | Self::Table { .. }
                | Self::Selection(_)
                | Self::Torus(_)
                | Self::Striping(_)
        )
    }
}
