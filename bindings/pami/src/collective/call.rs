//! One call of a collective operation.
//!
//! Before: `PAMI_Collective` with an algorithm of a geometry. After: the kinds' files start an operation with it.

use std::sync::Arc;

use pamir_transport::collective::geometry::Members;
use pamir_transport::collective::select::check_in;
use pamir_transport::collective::{CollectiveError, Fault, FaultRecording};
use pamir_transport::selection::{Choice, Situation};

use crate::collective::channel::MemberChannel;
use crate::collective::operation::Operation;
use crate::context::Held;
use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::geometry::Geometry;
use crate::geometry::algorithms::{Algorithm, Chosen};
use crate::refusal::{Refusal, ended_collective};
use crate::structures::collective::Transfer;
use crate::structures::kind::TransferKind;

/// How an operation ends.
pub type Outcome = Result<(), CollectiveError>;

/// The channel of an operation that notes faults.
pub type Exchanging<'c> = FaultRecording<'c, MemberChannel<'c, Geometry>>;

/// One call of an operation.
pub struct Call {
    /// The context of the member that calls.
    pub object: Held,
    /// The geometry.
    pub geometry: Arc<Geometry>,
    /// The member's rank.
    pub rank: usize,
    chosen: Chosen,
    event: Option<Event>,
}

impl Call {
    /// The call, and its kind.
    ///
    /// # Errors
    ///
    /// An algorithm that there is not, or a context that is no member.
    pub fn new(object: Held, transfer: &Transfer) -> Result<(Self, TransferKind), Refusal> {
        let algorithm = Algorithm::of_word(transfer.algorithm)?;
        let geometry = algorithm.geometry()?;
        let call = Self {
            object,
            rank: geometry.member(&object)?.rank,
            geometry,
            chosen: algorithm.chosen,
            event: Event::new(&object, transfer.cb_done, transfer.cookie),
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
    pub fn start<B>(self, body: B)
    where
        B: for<'c> AsyncFnOnce(&'c Exchanging<'c>) -> Outcome + 'static,
    {
        let (object, geometry, event) = (self.object, Arc::clone(&self.geometry), self.event);
        let members = Arc::clone(&self.geometry);
        let rank = self.rank;
        let member = members.member(&object);
        let tag = member.map_or(0, |member| member.next_operation());
        let future = async move {
            let fault = Fault::default();
            let context = object.context();
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
        Operation::start(object, geometry, done, Box::pin(future));
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
pub(super) use run;
