//! MPI in one process: its context, and the communicators that exist from the start.

use std::future::Future;
use std::io::Write as _;
use std::pin::pin;
use std::rc::Rc;

use pamir_driver::job::{JobError, RankState, process_end};
use pamir_driver::unit::UnitError;
use pamir_driver::waiting::clock::Clock;
use pamir_driver::waiting::frequency_hint::FrequencyHint;
use pamir_driver::waiting::ladder::{Expected, LONG_WAIT_NS};
use pamir_transport::balance::announcement::{Announced, AnnouncementError, Announcer};
use pamir_transport::client::{Client, ClientError, MPI};
use pamir_transport::collective::geometry::{Channel, block_long_on, block_on};
use pamir_transport::collective::{self, Board, CollectiveError};
use pamir_transport::context::Context;
use pamir_transport::selection::report;
use pamir_transport::tagged::profile::iteration_range::{IterationRange, IterationRangeError};
use pamir_transport::tagged::profile::traffic::ProfileError;

use crate::balance::spare::housekeeping::Housekeeping;
use crate::balance::spare::low_power::{self, Waited};
use crate::balance::spare::trim::Trim;
use crate::communicator::Communicator;
use crate::communicator::context_id::ContextIds;
use crate::group::Group;

/// Context id of the communicator of all tasks.
const WORLD_CONTEXT: u32 = 0;

/// Context id of the communicator of this task alone.
const SELF_CONTEXT: u32 = 2;

/// How many context ids are taken from the start.
const TAKEN_CONTEXTS: usize = 2;

/// Why a task could not leave its job in good order.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinalizeError {
    /// The messaging unit failed.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The profile cannot be written.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The barrier in which tasks wait for each other failed.
    #[error("the barrier before the end failed: {0}")]
    Barrier(#[from] CollectiveError),
}

/// Why MPI could not be initialised.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The job could not be joined, or its messaging unit not be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// What is to announce synchronisations cannot be as it is configured.
    #[error(transparent)]
    Announcement(#[from] AnnouncementError),
    /// The iterations of a profile cannot be those that are asked for.
    #[error("PAMIR_PROFILE_ITERATIONS: {0}")]
    Iterations(#[from] IterationRangeError),
    /// The job has no record of this rank's synchronisations.
    #[error(transparent)]
    Job(#[from] JobError),
}

impl ProcessError {
    /// Whether the environment is what has to be corrected.
    pub fn is_setting(&self) -> bool {
        match self {
            Self::Client(error) => error.is_setting(),
            Self::Announcement(_) | Self::Iterations(_) => true,
            Self::Job(_) => false,
        }
    }
}

/// MPI in this process.
#[derive(Debug)]
pub struct Process {
    context: Rc<Context>,
    world: Rc<Communicator>,
    own: Rc<Communicator>,
    context_ids: Rc<ContextIds>,
    announcer: Rc<Announcer>,
    housekeeping: Housekeeping,
    trim: Rc<Trim>,
    frequency_hint: FrequencyHint,
}

impl Process {
    /// Joins the job that this process was started in, or one of its own.
    pub fn from_environment() -> Result<Self, ProcessError> {
        let client = Client::open(MPI)?;
        let task = client.task();
        let context = client.create_context()?;
        context.expect_wait(Expected::from_environment());
        context.count_traffic_if_asked();
        context.log_sends_if_asked();
        if let (Some(counter), Some(range)) =
            (context.traffic(), IterationRange::from_environment()?)
        {
            counter.count_iterations(range);
        }
        let group = Group::world(context.tasks() as u32);
        let world = Communicator::new(group, None, task, WORLD_CONTEXT);
        let own = Communicator::new(Group::single(task as u32), None, 0, SELF_CONTEXT);
        world.set_name(b"MPI_COMM_WORLD");
        own.set_name(b"MPI_COMM_SELF");
        let announced = Announced::from_environment()?;
        let announcer = Rc::new(Announcer::new(context.job(), task, announced)?);
        let context_ids = Rc::new(ContextIds::new(TAKEN_CONTEXTS));
        context_ids.announced_by(announcer.clone());
        let (housekeeping, trim) = (Housekeeping::default(), Rc::new(Trim::default()));
        if announced.is_watched() {
            let trims = trim.clone();
            housekeeping.add(Rc::new(move |_| {
                trims.slice();
                false
            }));
        }
        Ok(Self {
            context: Rc::new(context),
            world: Rc::new(world),
            own: Rc::new(own),
            context_ids,
            announcer,
            housekeeping,
            trim,
            frequency_hint: FrequencyHint::default(),
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

    /// Announces this rank's synchronisation calls.
    #[inline(always)]
    pub fn announcer(&self) -> &Rc<Announcer> {
        &self.announcer
    }

    /// What is done while this rank waits for others.
    pub fn housekeeping(&self) -> &Housekeeping {
        &self.housekeeping
    }

    /// Waits in a synchronisation that was announced, as long as the ones before it: what can be
    /// done in the meantime is, and the processor need not be fast.
    ///
    /// # Errors
    ///
    /// [`UnitError`] if the messaging unit failed.
    pub fn wait_announced<F: Future>(&self, future: F) -> Result<F::Output, UnitError> {
        let mut future = pin!(future);
        let expected_ns = self.announcer.expected_wait_ns();
        if expected_ns < LONG_WAIT_NS {
            return block_on(&self.context, future);
        }
        let spare_ns = self.announcer.spare_ns();
        let until_ns = Clock::Monotonic.now_ns().saturating_add(spare_ns);
        let kept = self
            .housekeeping
            .during(&self.context, spare_ns, future.as_mut());
        if let Some(output) = kept? {
            return Ok(output);
        }
        if Expected::foreseen(expected_ns, self.context.is_oversubscribed()) != Expected::Long {
            return block_on(&self.context, future);
        }
        let frequency_hint = &self.frequency_hint;
        match low_power::wait(&self.context, frequency_hint, until_ns, future.as_mut())? {
            Waited::Ended(output) => Ok(output),
            Waited::Awake => block_on(&self.context, future),
            Waited::Refused => block_long_on(&self.context, future),
        }
    }

    /// Says why sends went as they did, if that was asked for.
    fn explain_sends(&self) {
        if let Some(text) = self.context.explain_sends() {
            let rank = self.context.task();
            let text = format!("pamir: sends of rank {rank}\n{text}");
            // Nobody can be told that this fails.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    /// Says what housekeeping was done, where the driver reports.
    fn report_housekeeping(&self) {
        let spent_ns = self.housekeeping.spent_ns();
        if spent_ns > 0 && pamir_settings::DRIVER_REPORT.value() {
            let text = format!(
                "pamir: rank {}: housekeeping took {} us of waits, and gave {} bytes of memory back\n",
                self.context.task(),
                spent_ns / 1000,
                self.trim.given_back_bytes()
            );
            // Nobody can be told that this fails.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    /// Says that announced calls balance nothing by themselves, if nobody made anything of them.
    fn explain_announcements(&self) {
        let calls = self.announcer.announced_in_vain();
        if calls > 0 && self.context.task() == 0 {
            let text = format!(
                "pamir: PAMIR_BALANCE announced {calls} calls of rank 0, which moves neither work nor ranks by itself: \
                 start the job by mpiexec --balance, divide its work by pamir_partition_create and pamir_cycle_end, \
                 or read who waited by pamir_balance_history (man pamir.h)\n"
            );
            // Nobody can be told that this fails.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    /// Leaves: everything sent is on its way, and no peer will read this process's memory.
    pub fn finalize(&self) -> Result<(), FinalizeError> {
        self.context.flush()?;
        // What is sent from here on is the library's own.
        self.context.write_traffic()?;
        let channel = Channel {
            context: &*self.context,
            members: self.world.group(),
            rank: self.world.rank(),
            context_id: self.world.collective_context_id(),
            tag: self.world.next_operation(),
            board: None::<&Board>,
            blocking: true,
        };
        block_on(&self.context, collective::barrier(&channel))??;
        self.context.flush()?;
        self.context.end_workers();
        report::print(self.context.task());
        self.context.print_driver_report();
        self.report_housekeeping();
        self.context.print_striping_report();
        self.explain_sends();
        self.explain_announcements();
        Ok(())
    }

    /// Tells the others that this rank has left, after [`Self::finalize`]: no thread of this process looks at the job's
    /// memory any more, which may be another program's from now on.
    pub fn leave(&self) {
        let job = self.context.job();
        job.set_rank_state(self.context.task(), RankState::Finalized);
    }

    /// In a child that the rank's process has forked: the same for the rank, and ends its process, as the launcher looks at
    /// how that ends.
    pub fn give_up_for_parent(&self, code: i32) {
        let rank = self.context.task();
        self.give_up(code);
        if let Some(process) = self.context.job().process(rank) {
            process_end::kill(process);
        }
    }

    /// Tells the launcher that this rank gives up the job.
    pub fn give_up(&self, code: i32) {
        self.context
            .job()
            .set_rank_state(self.context.task(), RankState::Aborted { code });
    }
}
