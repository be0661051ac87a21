//! Collective operations: `PAMI_Collective`.
//!
//! Before: an algorithm of a geometry, taken from [`crate::geometry::algorithms`], and the
//! parameters of its kind. After: the transport's algorithm runs as an [`operation::Operation`], and
//! an advance tells the program when it has ended.
//!
//! ```text
//! pami_xfer_t ──▶ Call: geometry, member, algorithm
//!                  │ kind
//!                  ├──▶ moving, blocks   data from member to member        ┐
//!                  ├──▶ reducing         data that is combined             ├──▶ Operation
//!                  └──▶ active           messages to members that call nothing
//! ```
//!
//! Invariant: what is wrong with the parameters alone is refused before the operation is counted, so
//! that a program that corrects its call stays in step with the others.

pub mod active;
pub mod blocks;
pub mod channel;
pub mod kind;
pub mod moving;
pub mod operation;
pub mod reducing;
pub mod span;
pub mod structures;

use std::ffi::c_void;
use std::sync::Arc;

use pamir_transport::collective::geometry::Members;
use pamir_transport::collective::select::check_in;
use pamir_transport::collective::{CollectiveError, Fault, FaultRecording, barrier, barrier_with};
use pamir_transport::selection::{Choice, Situation};

use crate::collective::channel::MemberChannel;
use crate::collective::kind::TransferKind;
use crate::collective::operation::Operation;
use crate::collective::span::Width;
use crate::collective::structures::Transfer;
use crate::context::{ContextObject, context_of};
use crate::endpoint::endpoint_of;
use crate::event::Event;
use crate::geometry::Geometry;
use crate::geometry::algorithms::{Algorithm, Chosen};
use crate::refusal::{Code, Refusal, answer, ended_collective};

/// How an operation ends.
pub type Outcome = Result<(), CollectiveError>;

/// The channel of an operation that notes faults.
pub type Exchanging<'c> = FaultRecording<'c, MemberChannel<'c, Geometry>>;

/// One call of an operation.
pub struct Call {
    /// The context of the member that calls.
    pub object: &'static ContextObject,
    /// The geometry.
    pub geometry: Arc<Geometry>,
    /// The member's rank.
    pub rank: usize,
    chosen: Chosen,
    event: Option<Event>,
}

impl Call {
    fn new(
        object: &'static ContextObject,
        transfer: &Transfer,
    ) -> Result<(Self, TransferKind), Refusal> {
        let algorithm = Algorithm::of_word(transfer.algorithm)?;
        let geometry = algorithm.geometry()?;
        let call = Self {
            object,
            rank: geometry.member(object)?.rank,
            geometry,
            chosen: algorithm.chosen,
            event: Event::new(object, transfer.cb_done, transfer.cookie),
        };
        Ok((call, algorithm.kind))
    }

    /// How many members there are.
    pub fn size(&self) -> usize {
        self.geometry.size()
    }

    /// The rank of the operation's root.
    pub fn root(&self, endpoint: u32) -> Result<usize, Refusal> {
        let rank = self.geometry.rank_of(endpoint_of(endpoint));
        rank.ok_or(Refusal::Root { endpoint })
    }

    /// The algorithm, if one was chosen, which must be able to serve.
    pub fn choice<A: Choice>(&self, commutative: bool) -> Result<Option<A>, Refusal> {
        let choice = self.chosen.of::<A>();
        if let Some(algorithm) = choice {
            check_in(algorithm, Situation::new(self.size(), commutative))?;
        }
        Ok(choice)
    }

    /// Who is told when the operation has ended.
    pub fn event(&self) -> Option<Event> {
        self.event
    }

    /// Starts an operation that `body` carries out.
    ///
    /// # Safety
    ///
    /// The calling thread has the context for itself.
    pub unsafe fn start<B>(self, body: B)
    where
        B: for<'c> AsyncFnOnce(&'c Exchanging<'c>) -> Outcome + 'static,
    {
        let (object, geometry, event) = (self.object, Arc::clone(&self.geometry), self.event);
        let members = Arc::clone(&self.geometry);
        let rank = self.rank;
        let member = members.member(object);
        let tag = member.map_or(0, |member| member.next_operation());
        let future = async move {
            let fault = Fault::default();
            // SAFETY: the future is polled by whoever advances this context.
            let context = unsafe { object.context() };
            let exchange = FaultRecording {
                exchange: MemberChannel::new(context, &*members, rank, members.id, tag),
                fault: &fault,
            };
            fault.outcome(body(&exchange).await)
        };
        let done = Box::new(move |how| {
            if let Some(event) = event {
                event.tell(ended_collective(how));
            }
        });
        // SAFETY: as the caller vouches.
        unsafe { Operation::start(object, geometry, done, Box::pin(future)) };
    }
}

/// Runs an operation by the algorithm that was chosen, or by the one that the tables name.
macro_rules! run {
    ($choice:expr, $function:ident or $with:ident($exchange:expr $(, $argument:expr)*)) => {
        match $choice {
            None => $function($exchange $(, $argument)*).await,
            Some(algorithm) => $with(algorithm, $exchange $(, $argument)*).await,
        }
    };
}
pub(crate) use run;

/// # Safety
///
/// As for [`PAMI_Collective`].
unsafe fn hold(call: Call) -> Result<(), Refusal> {
    let choice = call.choice(true)?;
    // SAFETY: as the caller vouches.
    unsafe {
        call.start(
            async move |exchange: &Exchanging<'_>| run!(choice, barrier or barrier_with(exchange)),
        );
    }
    Ok(())
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; `transfer`
/// holds the parameters of its algorithm's kind, and buffers stay until the operation has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Collective(context: *mut c_void, transfer: *mut Transfer) -> Code {
    let start = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, transfer) = unsafe { (context_of(context)?, transfer.as_ref()) };
        let argument = "cmd";
        let transfer = transfer.ok_or(Refusal::Null { argument })?;
        let (call, kind) = Call::new(object, transfer)?;
        let cmd = &transfer.cmd;
        // SAFETY: the kind says which parameters there are; all else as the caller vouches.
        unsafe {
            match kind {
                TransferKind::Broadcast => moving::broadcast(call, cmd.broadcast),
                TransferKind::Allreduce => reducing::allreduce(call, cmd.allreduce),
                TransferKind::Reduce => reducing::reduce(call, cmd.reduce),
                TransferKind::Allgather => moving::allgather(call, cmd.alltoall),
                TransferKind::Allgatherv => blocks::allgather(call, Width::Size, cmd.allgatherv),
                TransferKind::AllgathervInt => blocks::allgather(call, Width::Int, cmd.allgatherv),
                TransferKind::Scatter => moving::scatter(call, cmd.gather),
                TransferKind::Scatterv => blocks::scatter(call, Width::Size, cmd.scatterv),
                TransferKind::ScattervInt => blocks::scatter(call, Width::Int, cmd.scatterv),
                TransferKind::Gather => moving::gather(call, cmd.gather),
                TransferKind::Gatherv => blocks::gather(call, Width::Size, cmd.gatherv),
                TransferKind::GathervInt => blocks::gather(call, Width::Int, cmd.gatherv),
                TransferKind::Barrier => hold(call),
                TransferKind::Alltoall => moving::alltoall(call, cmd.alltoall),
                TransferKind::Alltoallv => blocks::alltoall(call, Width::Size, cmd.alltoallv),
                TransferKind::AlltoallvInt => blocks::alltoall(call, Width::Int, cmd.alltoallv),
                TransferKind::Scan => reducing::scan(call, cmd.scan),
                TransferKind::ReduceScatter => reducing::reduce_scatter(call, cmd.reduce_scatter),
                TransferKind::ActiveBroadcast => active::send::broadcast(call, cmd.active_send),
                TransferKind::ActiveScatter => active::send::scatter(call, cmd.active_send),
                TransferKind::ActiveGather => active::answers::gather(call, cmd.active_gather),
                TransferKind::ActiveReduce => active::answers::reduce(call, cmd.active_reduce),
            }
        }
    };
    answer(start())
}
