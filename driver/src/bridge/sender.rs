//! The sending thread of a bridge: the target of all lanes that lead to other nodes.
//!
//! Before: a rank of this node has committed a record for one of another node. After: the record is
//! in the socket to that node, and its room in the lane has gone back.
//!
//! ```text
//! round: mail ─▶ clients ─▶ each lane: records while its window admits them ─▶ states ─▶ write
//! ```
//!
//! | a round | then |
//! |---|---|
//! | moved something | the next one |
//! | found nothing, up to [`IDLE_ROUNDS`] times | yields |
//! | found nothing again | announces on the words of all targets that it sleeps, looks again, sleeps |
//!
//! Only this thread writes to the sockets, so it may wait there: the receiver at the other end
//! always reads.
//!
//! Invariant: a rank's state goes behind all that it has sent.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pamir_shm::atomic::{AtomicU32, Ordering, fence};
use pamir_shm::lane::Arrived;
use pamir_shm::lane::mapped::LaneConsumer;
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::sleep::{self, membarrier};

use super::error::BridgeError;
use super::frame::{Frame, LaneName};
use super::network::{Link, Stream};
use super::shared::Shared;
use super::window::SendWindow;
use crate::job::client::table::{self, CLIENTS};
use crate::job::layout::RankBlock;
use crate::job::{Job, RankState};
use crate::waiting::clock;

/// Rounds that find nothing before it sleeps.
const IDLE_ROUNDS: u32 = 50;

/// Records taken from one lane before the next lane has its turn.
const BURST: u32 = 64;

/// What is written at once, in bytes; a record more at most.
const WRITE_BYTES: usize = 256 * 1024;

/// How often it looks whether processes have ended in the middle, and the longest sleep.
const INSPECTION: Duration = Duration::from_millis(100);

/// The longest sleep where senders may not see that it sleeps, or where there are more words than
/// a thread can sleep on.
const SHORT_SLEEP: Duration = Duration::from_micros(200);

/// Another node.
struct Peer {
    node: usize,
    stream: Stream,
    /// What is to be written.
    buffer: Vec<u8>,
}

impl Peer {
    fn say(&mut self, frame: Frame) {
        self.buffer.extend_from_slice(&frame.encode());
    }
}

struct Lane {
    name: LaneName,
    consumer: LaneConsumer,
    window: SendWindow,
}

impl Lane {
    /// The next record; a lane whose bell has not rung is not looked at.
    fn peek(&self) -> Result<Option<Arrived>, BridgeError> {
        if !self.consumer.memory().has_opened() {
            return Ok(None);
        }
        let failed = |source| BridgeError::of_lane(self.name, source);
        self.consumer.peek().map_err(failed)
    }
}

/// A rank of another node, as the ranks of this one see it.
struct Target {
    unit: usize,
    /// Index of its node among the peers.
    peer: usize,
    block: Mapped<RankBlock>,
    lanes: Vec<Lane>,
}

/// A set of lanes.
struct Plane {
    number: usize,
    job: Job,
    targets: Vec<Target>,
    /// Ranks of this node that had not left when it was last looked.
    present: Vec<usize>,
}

pub(super) struct Sender {
    shared: Arc<Shared>,
    peers: Vec<Peer>,
    planes: Vec<Option<Plane>>,
    /// Names of clients that node 0 was asked for.
    asked: Vec<u64>,
    inspected: Instant,
}

impl Sender {
    pub(super) fn new(shared: Arc<Shared>, links: Vec<Link>) -> Result<Self, BridgeError> {
        let peers = links.into_iter().map(|link| Peer {
            node: link.node,
            stream: link.stream,
            buffer: Vec::with_capacity(WRITE_BYTES),
        });
        let mut sender = Self {
            peers: peers.collect(),
            planes: (0..=CLIENTS).map(|_| None).collect(),
            asked: Vec::new(),
            inspected: Instant::now(),
            shared,
        };
        sender.planes[0] = Some(sender.plane(0, sender.shared.job.clone())?);
        Ok(sender)
    }

    fn plane(&self, number: usize, job: Job) -> Result<Plane, BridgeError> {
        let node = self.shared.node;
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..job.ranks()).partition(|&unit| job.node(unit) == node);
        let mut targets = Vec::new();
        for unit in others {
            let Some(peer) = self
                .peers
                .iter()
                .position(|peer| peer.node == job.node(unit))
            else {
                continue;
            };
            let lane = |&origin: &usize| -> Result<Lane, BridgeError> {
                Ok(Lane {
                    name: LaneName {
                        plane: number,
                        origin,
                        target: unit,
                    },
                    consumer: LaneConsumer::new(job.lane(origin, unit)?),
                    window: SendWindow::new(job.layout().ring_lines),
                })
            };
            targets.push(Target {
                unit,
                peer,
                block: Mapped::new(job.segment(), job.layout().rank_block(unit))?,
                lanes: own.iter().map(lane).collect::<Result<_, _>>()?,
            });
        }
        Ok(Plane {
            number,
            job,
            targets,
            present: own,
        })
    }

    pub(super) fn run(mut self) -> Result<(), BridgeError> {
        let mut idle = 0;
        while !self.shared.is_stopping() {
            if self.round()? {
                idle = 0;
                continue;
            }
            idle += 1;
            if idle < IDLE_ROUNDS {
                std::thread::yield_now();
                continue;
            }
            self.look_for_clients()?;
            self.write()?;
            self.rest()?;
            idle = 0;
        }
        Ok(())
    }

    /// Carries what there is; whether there was anything.
    fn round(&mut self) -> Result<bool, BridgeError> {
        let mut moved = self.take_mail()?;
        let (planes, peers) = (&mut self.planes, &mut self.peers);
        for plane in planes.iter_mut().flatten() {
            // The states first: what was sent before they changed is found by the looks behind.
            let left = left_of(plane);
            for target in &mut plane.targets {
                let peer = &mut peers[target.peer];
                for lane in &mut target.lanes {
                    moved |= carry(&self.shared, lane, peer)?;
                }
            }
            for (unit, state) in left {
                moved |= tell_state(plane, unit, state, peers)?;
            }
        }
        self.write()?;
        Ok(moved)
    }

    fn take_mail(&mut self) -> Result<bool, BridgeError> {
        let mail = std::mem::take(&mut *self.shared.mail());
        if mail.is_empty() {
            return Ok(false);
        }
        for (node, name, lines) in mail.credits {
            let lane = self.lane(node, name);
            if !lane.is_some_and(|lane| lane.window.credit(lines)) {
                let reason = "it gives back more than was sent";
                return Err(self.shared.nonsense(node, reason));
            }
        }
        for (node, frame) in mail.frames {
            self.say(|peer| peer == node, frame);
        }
        for (node, words) in mail.wanted {
            if table::assign(self.shared.job.segment(), words)?.is_none() {
                self.say(|peer| peer == node, Frame::Refused { name: words.name });
            }
        }
        self.look_for_clients()?;
        Ok(true)
    }

    /// A lane that is carried to `node`.
    fn lane(&mut self, node: usize, name: LaneName) -> Option<&mut Lane> {
        let plane = self.planes.get_mut(name.plane)?.as_mut()?;
        let peers = &self.peers;
        let is_meant =
            |target: &&mut Target| target.unit == name.target && peers[target.peer].node == node;
        let target = plane.targets.iter_mut().find(is_meant)?;
        target.lanes.iter_mut().find(|lane| lane.name == name)
    }

    fn say(&mut self, to: impl Fn(usize) -> bool, frame: Frame) {
        for peer in self.peers.iter_mut().filter(|peer| to(peer.node)) {
            peer.say(frame);
        }
    }

    /// Opens what has got an entry in the table of clients, and asks for what is asked for.
    fn look_for_clients(&mut self) -> Result<(), BridgeError> {
        let job = self.shared.job.clone();
        for words in table::requests(job.segment())? {
            if self.shared.node == 0 {
                if table::assign(job.segment(), words)?.is_none() {
                    table::refuse(job.segment(), words.name)?;
                }
            } else if !self.asked.contains(&words.name) {
                self.asked.push(words.name);
                self.say(|peer| peer == 0, Frame::Wanted(words));
            }
        }
        for place in 1..=CLIENTS {
            if self.planes[place].is_some() {
                continue;
            }
            if let Some(words) = table::installed(job.segment(), place)? {
                let plane = self.plane(place, job.plane(place, words.contexts as usize)?)?;
                self.planes[place] = Some(plane);
                // Before any record of its lanes, on each connection.
                self.say(|_| true, Frame::Client { place, words });
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), BridgeError> {
        self.peers
            .iter_mut()
            .try_for_each(|peer| write(&self.shared, peer))
    }

    /// Sleeps until a rank, the receiver or the clock has something.
    fn rest(&mut self) -> Result<(), BridgeError> {
        self.inspect();
        let blocks = self
            .planes
            .iter()
            .flatten()
            .flat_map(|plane| &plane.targets);
        let words = blocks.map(|target| &*target.block.sleep);
        let words: Vec<&AtomicU32> = words.chain([&self.shared.bell]).collect();
        words.iter().for_each(|word| sleep::announce(word));
        fence(Ordering::SeqCst);
        let ordered = membarrier::global();
        if !self.something_waits()? {
            let limit = if ordered { INSPECTION } else { SHORT_SLEEP };
            if !sleep::wait_any(&words, clock::deadline(limit).ok()) {
                std::thread::sleep(SHORT_SLEEP);
            }
        }
        words.iter().for_each(|word| sleep::cancel(word));
        Ok(())
    }

    /// The last look before a sleep.
    fn something_waits(&self) -> Result<bool, BridgeError> {
        if self.shared.is_stopping() || !self.shared.mail().is_empty() {
            return Ok(true);
        }
        let segment = self.shared.job.segment();
        let new = |words: &table::ClientWords| !self.asked.contains(&words.name);
        if table::requests(segment)?.iter().any(new) {
            return Ok(true);
        }
        for place in 1..=CLIENTS {
            if self.planes[place].is_none() && table::installed(segment, place)?.is_some() {
                return Ok(true);
            }
        }
        for plane in self.planes.iter().flatten() {
            for lane in plane.targets.iter().flat_map(|target| &target.lanes) {
                let arrived = lane.peek()?;
                let admitted = |lines| lane.window.admits(lines);
                if arrived.is_some_and(|arrived| admitted(arrived.header.lines())) {
                    return Ok(true);
                }
            }
            let left = left_of(plane);
            if left.iter().any(|&(unit, _)| is_drained(plane, unit)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks, now and then, whether the processes of ranks have ended without a word.
    fn inspect(&mut self) {
        if self.inspected.elapsed() < INSPECTION {
            return;
        }
        self.inspected = Instant::now();
        for plane in self.planes.iter().flatten() {
            for &unit in &plane.present {
                let attached = plane.job.rank_state(unit) == RankState::Attached;
                if attached && plane.job.has_ended(unit) {
                    let code = -1;
                    plane.job.set_rank_state(unit, RankState::Aborted { code });
                }
            }
        }
    }
}

/// Moves records from a lane to what is written to its node.
fn carry(shared: &Shared, lane: &mut Lane, peer: &mut Peer) -> Result<bool, BridgeError> {
    let mut carried = 0;
    while carried < BURST {
        let Some(arrived) = lane
            .peek()?
            .filter(|it| lane.window.admits(it.header.lines()))
        else {
            break;
        };
        let (header, name) = (arrived.header, lane.name);
        peer.say(Frame::Record { lane: name, header });
        let bytes = header.payload_bytes();
        peer.buffer.reserve(bytes);
        let payload = lane.consumer.payload(&arrived);
        // SAFETY: `peek` saw that the record lies inside the ring, and it is not released yet; any
        // bytes are bytes, and they are copied once. The buffer has just got room for them.
        unsafe {
            let end = peer.buffer.len();
            std::ptr::copy_nonoverlapping(payload, peer.buffer.as_mut_ptr().add(end), bytes);
            peer.buffer.set_len(end + bytes);
        }
        lane.window.sent(header.lines());
        lane.consumer.release(arrived);
        carried += 1;
        if peer.buffer.len() >= WRITE_BYTES {
            write(shared, peer)?;
        }
    }
    Ok(carried > 0)
}

fn write(shared: &Shared, peer: &mut Peer) -> Result<(), BridgeError> {
    if peer.buffer.is_empty() {
        return Ok(());
    }
    let written = peer.stream.write_all(&peer.buffer);
    peer.buffer.clear();
    written.map_err(|source| shared.lost(peer.node, source))
}

/// Ranks of this node that have left since they were last looked at.
fn left_of(plane: &Plane) -> Vec<(usize, RankState)> {
    let states = plane.present.iter();
    let states = states.map(|&unit| (unit, plane.job.rank_state(unit)));
    states
        .filter(|(_, state)| !matches!(state, RankState::Absent | RankState::Attached))
        .collect()
}

/// Whether all that a rank has sent to other nodes was carried.
fn is_drained(plane: &Plane, unit: usize) -> bool {
    let lanes = plane.targets.iter().flat_map(|target| &target.lanes);
    let mut own = lanes.filter(|lane| lane.name.origin == unit);
    own.all(|lane| matches!(lane.peek(), Ok(None)))
}

/// Tells the other nodes that a rank has left, if they have all that it sent; whether they do.
fn tell_state(
    plane: &mut Plane,
    unit: usize,
    state: RankState,
    peers: &mut [Peer],
) -> Result<bool, BridgeError> {
    if !is_drained(plane, unit) {
        return Ok(false);
    }
    plane.present.retain(|&present| present != unit);
    let frame = Frame::State {
        plane: plane.number,
        unit,
        state,
    };
    peers.iter_mut().for_each(|peer| peer.say(frame));
    Ok(true)
}
