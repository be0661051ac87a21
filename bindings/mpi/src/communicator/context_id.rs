//! Context ids: which are free, and how the members of a communicator agree on one.
//!
//! Before: a communicator is to be made. After: all its members hold a [`Lease`] of the same
//! id, which each gives back when its communicator is gone.
//!
//! Every process keeps a map of the ids that none of its communicators has. The members
//! combine their maps with AND and take the lowest id that is left: it is free at all of
//! them. Nothing else is sent, so groups without a common member may have the same id, and
//! an id is taken again as soon as all its holders have let go of it.
//!
//! Several agreements can be under way at once in a process (threads, nonblocking
//! duplication), and none may offer what another one offers. So there are two regions of
//! ids, each offered by one agreement at a time:
//!
//! ```text
//! round 1    the early region, by the first ones; others offer nothing
//!            -> all members have entered this agreement now
//! round 2..  the late region, by the agreement that comes first in one order that is the
//!            same everywhere ([`Priority`]); others offer nothing and try again
//! ```
//!
//! A holder of the late region never waits for a member to enter its agreement, so it lets
//! go soon, and the first in order succeeds in the end. A process alone in its agreement,
//! the usual case, needs one round.

use std::cell::{Cell, OnceCell, RefCell};
use std::future::Future;
use std::rc::Rc;

use pamir_transport::balance::announcement::Announcer;
use pamir_transport::collective::exchange::join::others_first;
use pamir_transport::collective::exchange::step::send_receive;
use pamir_transport::collective::{CollectiveError, Exchange, Reduction, allreduce, broadcast};

/// Ids in each of the two regions.
const REGION_IDS: usize = 8192;
const REGION_BYTES: usize = REGION_IDS / 8;
/// What follows a map: all ones if its sender offers its region, else 0.
const OFFER_BYTES: usize = 8;

const EARLY: usize = 0;
const LATE: usize = 1;

/// Says which of two agreements goes first: the context id and tag that its messages have.
/// All members see the same one, and no two agreements of a process have it at once.
pub type Priority = (u32, i32);

/// Why there is no new context id.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextIdError {
    /// The members hold too many communicators among them.
    #[error(
        "the members have no context id left that is free at all of them: free communicators \
         (a process has at most {})",
        2 * REGION_IDS
    )]
    Exhausted,
    /// The members could not talk to each other.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
}

/// The ids of one process.
#[derive(Debug)]
pub struct ContextIds {
    /// One bit an id: 1 is free.
    free: [RefCell<[u8; REGION_BYTES]>; 2],
    /// The agreement that offers each region.
    holders: [Cell<Option<Priority>>; 2],
    /// Agreements in their second round or a later one.
    waiting: RefCell<Vec<Priority>>,
    /// Who has announced calls under the ids.
    announcer: OnceCell<Rc<Announcer>>,
}

impl ContextIds {
    /// All ids are free but the first `taken`.
    pub fn new(taken: usize) -> Self {
        let ids = Self {
            free: [
                RefCell::new([0xFF; REGION_BYTES]),
                RefCell::new([0xFF; REGION_BYTES]),
            ],
            holders: Default::default(),
            waiting: RefCell::default(),
            announcer: OnceCell::new(),
        };
        (0..taken).for_each(|id| ids.mark(id, false));
        ids
    }

    /// Says whose announced calls end with the ids that they were announced under.
    pub fn announced_by(&self, announcer: Rc<Announcer>) {
        // A second announcer of one process would announce the same calls.
        let _ = self.announcer.set(announcer);
    }

    fn mark(&self, id: usize, free: bool) {
        let mut region = self.free[id / REGION_IDS].borrow_mut();
        let (byte, bit) = (id % REGION_IDS / 8, 1 << (id % 8));
        if free {
            region[byte] |= bit;
        } else {
            region[byte] &= !bit;
        }
    }

    /// Whether an id is free here.
    #[cfg(test)]
    pub(crate) fn is_free(&self, context_id: u32) -> bool {
        let id = context_id as usize / 2;
        self.free[id / REGION_IDS].borrow()[id % REGION_IDS / 8] >> (id % 8) & 1 == 1
    }
}

/// A context id of this process, until it is dropped.
#[derive(Debug)]
pub struct Lease {
    ids: Rc<ContextIds>,
    id: usize,
}

impl Lease {
    /// The context id of point-to-point messages; even.
    pub fn context_id(&self) -> u32 {
        2 * self.id as u32
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // First: whoever gets the id next must not find calls of the communicator before it.
        if let Some(announcer) = self.ids.announcer.get() {
            announcer.forget(self.context_id());
        }
        self.ids.mark(self.id, true);
    }
}

/// Who agrees: the members of one group, or of two.
pub trait Parties {
    /// Combines everybody's bytes with AND, and gives the result to all.
    fn and(&self, bytes: &mut [u8]) -> impl Future<Output = Result<(), CollectiveError>>;
}

struct And;

impl Reduction for And {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        for (byte, other) in inout.iter_mut().zip(incoming) {
            *byte &= other;
        }
    }

    fn commutative(&self) -> bool {
        true
    }

    fn element_bytes(&self) -> usize {
        OFFER_BYTES
    }
}

/// The members of one group.
#[derive(Debug)]
pub struct Within<E>(pub E);

impl<E: Exchange> Parties for Within<E> {
    async fn and(&self, bytes: &mut [u8]) -> Result<(), CollectiveError> {
        allreduce(&self.0, &And, bytes).await
    }
}

/// The members of two groups, whose leaders talk to each other.
#[derive(Debug)]
pub struct Across<E, B> {
    /// Between the members of this group.
    pub local: E,
    /// The leader's rank in this group.
    pub leader: usize,
    /// At the leader: to the other leader, as its rank 0.
    pub bridge: Option<B>,
}

impl<E: Exchange, B: Exchange> Across<E, B> {
    /// Gives every member what the other group's leader has. `mine` counts at the leader.
    pub async fn swap(&self, mine: &[u8]) -> Result<Vec<u8>, CollectiveError> {
        let mut length = [0; 8];
        if let Some(bridge) = &self.bridge {
            let own = (mine.len() as u64).to_ne_bytes();
            send_receive(bridge, 0, &own, 0, &mut length).await?;
        }
        broadcast(&self.local, self.leader, &mut length).await?;
        let mut theirs = vec![0; u64::from_ne_bytes(length) as usize];
        if let Some(bridge) = &self.bridge {
            send_receive(bridge, 0, mine, 0, &mut theirs).await?;
        }
        broadcast(&self.local, self.leader, &mut theirs).await?;
        Ok(theirs)
    }
}

impl<E: Exchange, B: Exchange> Parties for Across<E, B> {
    async fn and(&self, bytes: &mut [u8]) -> Result<(), CollectiveError> {
        allreduce(&self.local, &And, bytes).await?;
        if let Some(bridge) = &self.bridge {
            let mut theirs = vec![0; bytes.len()];
            send_receive(bridge, 0, bytes, 0, &mut theirs).await?;
            And.combine(&theirs, bytes);
        }
        broadcast(&self.local, self.leader, bytes).await
    }
}

/// An agreement's place in the line for the regions; given up when dropped.
struct Claim<'a> {
    ids: &'a ContextIds,
    priority: Priority,
}

impl Claim<'_> {
    /// Takes a region for one round, if it is this agreement's turn.
    fn hold(&self, region: usize) -> bool {
        let first =
            region == EARLY || self.ids.waiting.borrow().iter().min() == Some(&self.priority);
        let holder = &self.ids.holders[region];
        if holder.get().is_some() || !first {
            return false;
        }
        holder.set(Some(self.priority));
        true
    }

    fn let_go(&self, region: usize) {
        if self.ids.holders[region].get() == Some(self.priority) {
            self.ids.holders[region].set(None);
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.let_go(EARLY);
        self.let_go(LATE);
        let mut waiting = self.ids.waiting.borrow_mut();
        if let Some(place) = waiting.iter().position(|other| *other == self.priority) {
            waiting.swap_remove(place);
        }
    }
}

/// Agrees with all parties on an id that is free at each of them.
pub async fn agree(
    ids: &Rc<ContextIds>,
    parties: &impl Parties,
    priority: Priority,
) -> Result<Lease, ContextIdError> {
    let claim = Claim { ids, priority };
    let mut region = EARLY;
    loop {
        let mut map = [0; REGION_BYTES + OFFER_BYTES];
        if claim.hold(region) {
            map[..REGION_BYTES].copy_from_slice(&*ids.free[region].borrow());
            map[REGION_BYTES..].fill(0xFF);
        }
        parties.and(&mut map).await?;
        if let Some(byte) = map[..REGION_BYTES].iter().position(|byte| *byte != 0) {
            let bit = map[byte].trailing_zeros() as usize;
            let id = region * REGION_IDS + byte * 8 + bit;
            ids.mark(id, false);
            let ids = ids.clone();
            return Ok(Lease { ids, id });
        }
        claim.let_go(region);
        let all_offered = map[REGION_BYTES] != 0;
        if region == LATE && all_offered {
            return Err(ContextIdError::Exhausted);
        }
        if region == EARLY {
            region = LATE;
            ids.waiting.borrow_mut().push(priority);
        }
        others_first().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_transport::collective::exchange::join::join;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// Parties whose other members are maps that are given.
    struct Others {
        maps: RefCell<Vec<Vec<u8>>>,
    }

    impl Parties for Others {
        async fn and(&self, bytes: &mut [u8]) -> Result<(), CollectiveError> {
            others_first().await;
            if let Some(map) = self.maps.borrow_mut().pop() {
                And.combine(&map, bytes);
            }
            Ok(())
        }
    }

    fn others(maps: Vec<Vec<u8>>) -> Others {
        Others {
            maps: RefCell::new(maps),
        }
    }

    fn finish<T>(future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
        }
    }

    fn alone(ids: &Rc<ContextIds>, priority: Priority) -> Result<Lease, ContextIdError> {
        finish(agree(ids, &others(vec![]), priority))
    }

    #[test]
    fn ids_are_taken_in_order_and_given_back() {
        let ids = Rc::new(ContextIds::new(2));
        let first = alone(&ids, (1, 0)).unwrap();
        let second = alone(&ids, (1, 1)).unwrap();
        assert_eq!((first.context_id(), second.context_id()), (4, 6));
        assert!(!ids.is_free(4));
        drop(first);
        assert!(ids.is_free(4));
        assert_eq!(alone(&ids, (1, 2)).unwrap().context_id(), 4);
    }

    #[test]
    fn an_id_that_another_member_has_is_left_out() {
        let ids = Rc::new(ContextIds::new(2));
        let mut theirs = vec![0xFF; REGION_BYTES + OFFER_BYTES];
        theirs[0] = 0b1110_0000;
        let lease = finish(agree(&ids, &others(vec![theirs]), (1, 0))).unwrap();
        assert_eq!(lease.context_id(), 10);
    }

    #[test]
    fn more_than_eight_thousand_live_at_once_and_then_it_says_so() {
        let ids = Rc::new(ContextIds::new(2));
        let leases: Vec<_> = (2..2 * REGION_IDS)
            .map(|number| alone(&ids, (1, number as i32)).unwrap())
            .collect();
        assert!(leases.len() > 16_000);
        assert!(matches!(
            alone(&ids, (1, 0)),
            Err(ContextIdError::Exhausted)
        ));
        drop(leases);
        assert!(alone(&ids, (1, 0)).is_ok());
    }

    #[test]
    fn agreements_side_by_side_get_different_ids() {
        let ids = Rc::new(ContextIds::new(2));
        let (one, other) = (others(vec![]), others(vec![]));
        let (one, other) =
            finish(join(agree(&ids, &one, (1, 0)), agree(&ids, &other, (3, 0)))).unwrap();
        assert_ne!(one.context_id(), other.context_id());
        assert!(ids.waiting.borrow().is_empty());
        assert_eq!(ids.holders[EARLY].get(), None);
        assert_eq!(ids.holders[LATE].get(), None);
    }
}
