//! One call of a collective operation.
//!
//! Before: `PAMI_Collective` with an algorithm of a geometry. After: the kinds' files start an operation with it.

use std::ffi::c_void;
use std::sync::Arc;

use pamir_transport::collective::geometry::Members;
use pamir_transport::collective::select::check_in;
use pamir_transport::collective::{CollectiveError, Fault, FaultRecording};
use pamir_transport::selection::{Choice, Situation};

use crate::collective::buffer::Buffer;
use crate::collective::channel::MemberChannel;
use crate::collective::elements::Elements;
use crate::collective::lists::{Layout, Width};
use crate::collective::operation::{Done, Operation};
use crate::context::Held;
use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::geometry::Geometry;
use crate::geometry::algorithms::{Algorithm, Chosen};
use crate::refusal::{Refusal, ended_collective};
use crate::structures::Type;
use crate::structures::collective::Transfer;
use crate::structures::kind::TransferKind;
use crate::structures::pointer::{Address, List};

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
        let mut call = Self::of(object, algorithm.geometry()?)?;
        call.chosen = algorithm.chosen;
        call.event = Event::new(&object, transfer.cb_done, transfer.cookie);
        Ok((call, algorithm.kind))
    }

    /// A call of the library's own in a geometry.
    ///
    /// # Errors
    ///
    /// A context that is no member.
    pub fn of(object: Held, geometry: Arc<Geometry>) -> Result<Self, Refusal> {
        Ok(Self {
            object,
            rank: geometry.member(&object)?.rank,
            geometry,
            chosen: Chosen::BY_TABLE,
            event: None,
        })
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

    /// Refuses a type with gaps where the geometry was told that there are none.
    fn check_gaps(&self, type_: Type) -> Result<(), Refusal> {
        if self.geometry.attributes.takes_gaps() {
            return Ok(());
        }
        match Elements::of(type_)? {
            Elements::Together(_) => Ok(()),
            Elements::Apart(_) => Err(Refusal::Gaps),
        }
    }

    /// As [`Buffer::new`], of a type that the geometry takes.
    ///
    /// # Errors
    ///
    /// Also [`Refusal::Gaps`].
    pub fn buffer(
        &self,
        type_: Type,
        address: Address,
        count: usize,
        argument: &'static str,
    ) -> Result<Buffer, Refusal> {
        self.check_gaps(type_)?;
        Buffer::new(type_, address, count, argument)
    }

    /// The same, with what is in the program's memory.
    ///
    /// # Errors
    ///
    /// As for [`Self::buffer`].
    pub fn filled(
        &self,
        type_: Type,
        address: Address,
        count: usize,
        argument: &'static str,
    ) -> Result<Buffer, Refusal> {
        Ok(self.buffer(type_, address, count, argument)?.filled())
    }

    /// As [`Layout::new`], of a type that the geometry takes.
    ///
    /// # Errors
    ///
    /// Also [`Refusal::Gaps`].
    pub fn layout(
        &self,
        width: Width,
        type_: Type,
        counts: List<c_void>,
        displacements: List<c_void>,
    ) -> Result<Layout, Refusal> {
        self.check_gaps(type_)?;
        Layout::new(width, type_, self.size(), counts, displacements)
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
        let event = self.event;
        let done = Box::new(move |how| {
            if let Some(event) = event {
                event.tell(ended_collective(how));
            }
        });
        self.start_then(done, body);
    }

    /// The same; `done` is called by an advance when it has ended, and the program is not told.
    pub fn start_then<B>(self, done: Done, body: B)
    where
        B: for<'c> AsyncFnOnce(&'c Exchanging<'c>) -> Outcome + 'static,
    {
        let (object, geometry) = (self.object, Arc::clone(&self.geometry));
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
