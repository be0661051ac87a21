//! Members of a geometry as futures in one thread, and the messages between them.
//!
//! A send is complete either at once (eager) or once it has been received
//! (rendezvous); an algorithm that is right in one of them may hang in the other.
//! Members are polled in turn, or in random order with some left out. A turn in
//! which nobody could have been left out and nothing happened is a deadlock.
//!
//! A failure prints the network's setting; its seed repeats the run.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use pamir_driver::memory::kernel_copy;
use pamir_driver::memory::sweep::Sweep;
use pamir_shm::board::mapped::MappedBoard;
use pamir_shm::segment::Segment;

use crate::collective::Board;
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;
use crate::collective::shape::torus::Torus;
use crate::waiting::exposed_time::ExposedTime;

/// When sends are complete, and in which order members run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Messages of up to this many bytes are complete at once, others once received.
    pub eager_bytes: usize,
    /// `None`: members in turn; else random order from this seed.
    pub seed: Option<u64>,
}

impl Setting {
    /// The four corners: eager and rendezvous, in turn and in random order, and a mixture.
    pub fn all(seed: u64) -> [Self; 5] {
        let setting = |eager_bytes, seed| Self { eager_bytes, seed };
        [
            setting(usize::MAX, None),
            setting(usize::MAX, Some(seed)),
            setting(0, None),
            setting(0, Some(seed)),
            setting(16, Some(seed ^ 1)),
        ]
    }
}

/// Random numbers (splitmix64), the same for the same seed everywhere.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// `count` random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// A member's future, and what it gives.
pub type Running<'a, T> = Pin<Box<dyn Future<Output = Result<T, CollectiveError>> + 'a>>;

struct Posted {
    ticket: usize,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Wire {
    sends: VecDeque<Posted>,
    /// Tickets of posted receives and the room they have.
    receives: VecDeque<(usize, usize)>,
}

/// The messages between all members.
pub struct Network {
    setting: Setting,
    wires: RefCell<HashMap<(usize, usize), Wire>>,
    /// What ended: for a receive's ticket its bytes, for a send's ticket nothing.
    ended: RefCell<HashMap<usize, Result<Vec<u8>, ExchangeError>>>,
    tickets: Cell<usize>,
    /// Grows whenever anything happens.
    events: Cell<usize>,
    /// Messages and bytes that each member sent.
    sent: RefCell<HashMap<usize, (usize, usize)>>,
    ways: RefCell<BTreeSet<(usize, usize)>>,
    /// Looks and bytes that each member took from another one's memory, by who had them.
    taken: RefCell<BTreeMap<(usize, usize), (usize, usize)>>,
    /// The torus that the members stand in, if it is not the most even one.
    torus: RefCell<Option<Torus>>,
    /// What the members share besides, if they share anything.
    boards: RefCell<Option<Arc<Segment>>>,
    /// Members cannot read each other's memory.
    refuses_kernel_copy: Cell<bool>,
    /// Operations go on while their callers do something else.
    in_background: Cell<bool>,
}

impl Network {
    /// An empty network.
    pub fn new(setting: Setting) -> Self {
        Self {
            setting,
            wires: RefCell::default(),
            ended: RefCell::default(),
            tickets: Cell::new(0),
            events: Cell::new(0),
            sent: RefCell::default(),
            ways: RefCell::default(),
            taken: RefCell::default(),
            torus: RefCell::default(),
            boards: RefCell::default(),
            refuses_kernel_copy: Cell::default(),
            in_background: Cell::default(),
        }
    }

    /// The network, for operations that go on in the background.
    pub fn in_background(self) -> Self {
        self.in_background.set(true);
        self
    }

    /// The network, whose members cannot read each other's memory.
    pub fn without_kernel_copy(self) -> Self {
        self.refuses_kernel_copy.set(true);
        self
    }

    /// The network, with its members in a torus.
    pub fn with_torus(self, torus: Torus) -> Self {
        self.torus.replace(Some(torus));
        self
    }

    /// Who has sent to whom.
    pub fn ways(&self) -> BTreeSet<(usize, usize)> {
        self.ways.borrow().clone()
    }

    /// Looks and bytes that members took from each other without messages, by who had them and who took them.
    pub fn taken(&self) -> BTreeMap<(usize, usize), (usize, usize)> {
        self.taken.borrow().clone()
    }

    /// Member `rank` of `size` that share a board.
    pub fn member_with_board(&self, rank: usize, size: usize) -> Member<'_> {
        let mut boards = self.boards.borrow_mut();
        let segment = boards
            .get_or_insert_with(|| Arc::new(Segment::create(MappedBoard::bytes(size)).unwrap()));
        Member {
            board: Some(Board::alone(segment, rank, size).unwrap()),
            ..self.member(rank, size)
        }
    }

    /// Member `rank` of `size`, as an intra-communicator sees it.
    pub fn member(&self, rank: usize, size: usize) -> Member<'_> {
        Member {
            network: self,
            rank,
            size,
            own_base: 0,
            partner_base: 0,
            board: None,
            exposed_time: ExposedTime::default(),
        }
    }

    /// A member whose partners have other numbers in the network than their ranks: `rank` is
    /// number `own_base + rank`, and its `size` partners start at `partner_base`.
    pub fn between(
        &self,
        rank: usize,
        own_base: usize,
        partner_base: usize,
        size: usize,
    ) -> Member<'_> {
        Member {
            network: self,
            rank,
            size,
            own_base,
            partner_base,
            board: None,
            exposed_time: ExposedTime::default(),
        }
    }

    /// Messages and bytes that member `number` has sent.
    pub fn sent_by(&self, number: usize) -> (usize, usize) {
        self.sent.borrow().get(&number).copied().unwrap_or_default()
    }

    /// Whether all that was sent has been received.
    pub fn assert_quiet(&self) {
        for (pair, wire) in self.wires.borrow().iter() {
            assert!(
                wire.sends.is_empty() && wire.receives.is_empty(),
                "left between {pair:?}: {} sends, {} receives, in {:?}",
                wire.sends.len(),
                wire.receives.len(),
                self.setting,
            );
        }
    }

    fn ticket(&self) -> usize {
        self.tickets.set(self.tickets.get() + 1);
        self.happened();
        self.tickets.get()
    }

    fn happened(&self) {
        self.events.set(self.events.get() + 1);
    }

    fn pass(&self, pair: (usize, usize), sender: usize) {
        let mut wires = self.wires.borrow_mut();
        let wire = wires.entry(pair).or_default();
        let mut ended = self.ended.borrow_mut();
        while !wire.sends.is_empty() && !wire.receives.is_empty() {
            let send = wire.sends.pop_front().unwrap();
            let (receive, room) = wire.receives.pop_front().unwrap();
            let sent_bytes = send.bytes.len();
            let received = if sent_bytes > room {
                Err(ExchangeError::Truncated {
                    from: sender,
                    sent_bytes,
                    expected_bytes: room,
                })
            } else {
                Ok(send.bytes)
            };
            ended.insert(receive, received);
            ended.insert(send.ticket, Ok(Vec::new()));
            self.happened();
        }
    }

    /// Runs `members` to their ends and gives what they give, by rank.
    pub fn run<'a, T>(&'a self, members: Vec<Running<'a, T>>) -> Vec<Result<T, CollectiveError>> {
        let mut outputs: Vec<_> = members.iter().map(|_| None).collect();
        let mut members: Vec<_> = members.into_iter().map(Some).collect();
        let mut context = Context::from_waker(Waker::noop());
        let mut random = self.setting.seed.map(Random);
        while members.iter().any(Option::is_some) {
            let mut turn: Vec<_> = (0..members.len())
                .filter(|&number| members[number].is_some())
                .collect();
            let mut complete = true;
            if let Some(random) = &mut random {
                for last in (1..turn.len()).rev() {
                    turn.swap(last, random.below(last + 1));
                }
                if random.below(4) != 0 {
                    turn.truncate(1 + random.below(turn.len()));
                    complete = false;
                }
            }
            let before = self.events.get();
            for &number in &turn {
                if let Some(member) = &mut members[number]
                    && let Poll::Ready(output) = member.as_mut().poll(&mut context)
                {
                    outputs[number] = Some(output);
                    members[number] = None;
                    self.happened();
                }
            }
            assert!(
                !complete || self.events.get() != before,
                "deadlock of members {turn:?} in {:?}",
                self.setting,
            );
        }
        outputs.into_iter().map(Option::unwrap).collect()
    }
}

/// One member's end of a [`Network`].
pub struct Member<'a> {
    network: &'a Network,
    rank: usize,
    size: usize,
    own_base: usize,
    partner_base: usize,
    board: Option<Board>,
    exposed_time: ExposedTime,
}

impl Exchange for Member<'_> {
    fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    fn wake(&self, _: usize) {
        self.network.happened();
    }

    fn is_blocking(&self) -> bool {
        !self.network.in_background.get()
    }

    fn exposed_time(&self) -> Option<&ExposedTime> {
        Some(&self.exposed_time)
    }

    fn read(&self, _: usize, address: u64, target: &mut [u8], sweep: Sweep) -> bool {
        if self.network.refuses_kernel_copy.get() {
            return false;
        }
        let own = std::process::id() as i32;
        // SAFETY: the target is borrowed; the kernel checks the address, in this process.
        unsafe {
            kernel_copy::read_in_order(own, target.as_mut_ptr(), address, target.len(), sweep)
        }
        .is_ok()
    }

    fn has_taken(&self, from: usize, bytes: usize) {
        let mut taken = self.network.taken.borrow_mut();
        let (looks, taken_bytes) = taken.entry((from, self.rank)).or_default();
        *looks += 1;
        *taken_bytes += bytes;
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn torus(&self) -> Torus {
        let torus = self.network.torus.borrow().clone();
        torus.unwrap_or_else(|| Torus::balanced(self.size))
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, to: usize, bytes: &[u8]) -> impl Future<Output = Result<(), ExchangeError>> {
        assert!(to < self.size, "no member {to}");
        let (network, rank) = (self.network, self.rank);
        let own = self.own_base + rank;
        let pair = (own, self.partner_base + to);
        assert_ne!(pair.0, pair.1, "a member sends to itself");
        let mut ticket = None;
        poll_fn(move |_| {
            let ticket = *ticket.get_or_insert_with(|| {
                let ticket = network.ticket();
                network.ways.borrow_mut().insert(pair);
                let mut sent = network.sent.borrow_mut();
                let (messages, sent_bytes) = sent.entry(own).or_default();
                *messages += 1;
                *sent_bytes += bytes.len();
                network
                    .wires
                    .borrow_mut()
                    .entry(pair)
                    .or_default()
                    .sends
                    .push_back(Posted {
                        ticket,
                        bytes: bytes.to_vec(),
                    });
                ticket
            });
            network.pass(pair, rank);
            let received = network.ended.borrow_mut().remove(&ticket).is_some();
            if received
                || bytes.len() <= network.setting.eager_bytes && network.setting.eager_bytes != 0
            {
                Poll::Ready(Ok(()))
            } else {
                Poll::Pending
            }
        })
    }

    fn receive(
        &self,
        from: usize,
        bytes: &mut [u8],
    ) -> impl Future<Output = Result<usize, ExchangeError>> {
        assert!(from < self.size, "no member {from}");
        let network = self.network;
        let pair = (self.partner_base + from, self.own_base + self.rank);
        assert_ne!(pair.0, pair.1, "a member receives from itself");
        let mut ticket = None;
        poll_fn(move |_| {
            let ticket = *ticket.get_or_insert_with(|| {
                let ticket = network.ticket();
                network
                    .wires
                    .borrow_mut()
                    .entry(pair)
                    .or_default()
                    .receives
                    .push_back((ticket, bytes.len()));
                ticket
            });
            network.pass(pair, from);
            match network.ended.borrow_mut().remove(&ticket) {
                None => Poll::Pending,
                Some(Err(error)) => Poll::Ready(Err(error)),
                Some(Ok(received)) => {
                    bytes[..received.len()].copy_from_slice(&received);
                    Poll::Ready(Ok(received.len()))
                }
            }
        })
    }
}

/// Runs `member(rank, exchange, its buffer)` on `buffers.len()` members in every setting and gives
/// the buffers each setting ends with, after checking that no message is left over.
pub fn run_all<B: Clone>(
    seed: u64,
    buffers: &[B],
    member: impl AsyncFn(&Member<'_>, &mut B) -> Result<(), CollectiveError>,
) -> Vec<Vec<B>> {
    run_all_on(Network::new, seed, buffers, member)
}

/// [`run_all`] on networks that `network` makes.
pub fn run_all_on<B: Clone>(
    network: impl Fn(Setting) -> Network,
    seed: u64,
    buffers: &[B],
    member: impl AsyncFn(&Member<'_>, &mut B) -> Result<(), CollectiveError>,
) -> Vec<Vec<B>> {
    Setting::all(seed)
        .into_iter()
        .map(|setting| {
            let network = network(setting);
            let members = buffers
                .iter()
                .enumerate()
                .map(|(rank, buffer)| {
                    let exchange = network.member_with_board(rank, buffers.len());
                    let mut buffer = buffer.clone();
                    let member = &member;
                    Box::pin(async move {
                        member(&exchange, &mut buffer).await?;
                        Ok(buffer)
                    }) as Running<'_, B>
                })
                .collect();
            let outputs = network
                .run(members)
                .into_iter()
                .enumerate()
                .map(|(rank, output)| {
                    output.unwrap_or_else(|error| panic!("rank {rank}: {error} in {setting:?}"))
                })
                .collect();
            network.assert_quiet();
            outputs
        })
        .collect()
}

/// The numbers of members that every algorithm is tried with.
pub const SIZES: [usize; 23] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 64, 65, 70,
];

/// Roots to try: all of few members, ends and middle of many.
pub fn roots(size: usize) -> Vec<usize> {
    if size <= 9 {
        (0..size).collect()
    } else {
        vec![0, 1, size / 2, size - 2, size - 1]
    }
}
