//! The receiving thread of a bridge: the origin of all lanes that come from other nodes.
//!
//! Before: another node's sender has written frames to the socket. After: records are in the lanes
//! of their targets, which were woken if they slept; everything else is known to whom it concerns.
//!
//! | a record | becomes | when |
//! |---|---|---|
//! | read | in its lane | the lane has room, and nothing waits before it |
//! | read | waiting | else |
//! | waiting | in its lane | the target has read enough, which is looked for each [`RETRY`] |
//! | waiting | gone | the target has left: nobody will read it |
//!
//! It never waits for a lane, so it always comes back to the sockets: what waits is bounded by the
//! lanes' windows.
//!
//! Invariant: what one lane brings is committed in the order in which it came; a rank's state
//! changes behind all that it sent.

use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use pamir_shm::lane::mapped::LaneProducer;
use pamir_shm::lane::record::RecordHeader;
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::sleep;

use super::error::BridgeError;
use super::frame::{FRAME_BYTES, Frame, LaneName};
use super::network::{Link, Stream};
use super::shared::{Mail, Shared};
use super::window::ReceiveWindow;
use crate::job::client::table::{self, CLIENTS};
use crate::job::layout::RankBlock;
use crate::job::{Job, RankState};

/// Bytes of each connection's buffer: more than any record has with its frame.
const BUFFER_BYTES: usize = 1 << 20;

/// How often lanes are looked at that have no room.
const RETRY: Duration = Duration::from_micros(50);

/// How often it looks whether those who read nothing have left.
const INSPECTION: Duration = Duration::from_millis(10);

/// Another node.
struct Peer {
    node: usize,
    stream: Stream,
    buffer: Box<[u8]>,
    /// What of the buffer is read and not understood yet.
    start: usize,
    end: usize,
}

struct Lane {
    name: LaneName,
    node: usize,
    producer: LaneProducer,
    block: Mapped<RankBlock>,
    window: ReceiveWindow,
    waiting: VecDeque<(RecordHeader, Box<[u8]>)>,
}

pub(super) struct Receiver {
    shared: Arc<Shared>,
    peers: Vec<Peer>,
    planes: Vec<Option<Job>>,
    lanes: HashMap<LaneName, Lane>,
    /// Lanes in which records wait.
    waiting: Vec<LaneName>,
    /// States that wait for those.
    states: Vec<(usize, usize, RankState)>,
    mail: Mail,
    inspected: Instant,
}

impl Receiver {
    pub(super) fn new(shared: Arc<Shared>, links: Vec<Link>) -> Result<Self, BridgeError> {
        let peers = links.into_iter().map(|link| Peer {
            node: link.node,
            stream: link.stream,
            buffer: vec![0; BUFFER_BYTES].into(),
            start: 0,
            end: 0,
        });
        let mut planes: Vec<_> = (0..=CLIENTS).map(|_| None).collect();
        planes[0] = Some(shared.job.clone());
        Ok(Self {
            peers: peers.collect(),
            planes,
            lanes: HashMap::new(),
            waiting: Vec::new(),
            states: Vec::new(),
            mail: Mail::default(),
            inspected: Instant::now(),
            shared,
        })
    }

    pub(super) fn run(mut self) -> Result<(), BridgeError> {
        while !self.shared.is_stopping() {
            let ready = self.wait()?;
            for (index, ready) in ready.into_iter().enumerate() {
                if ready {
                    self.read(index)?;
                    self.understand(index)?;
                }
            }
            self.retry()?;
            self.post();
        }
        Ok(())
    }

    /// Waits until a connection can be read, or waiting records are to be looked at again; which
    /// connections can be.
    fn wait(&self) -> Result<Vec<bool>, BridgeError> {
        let limit = if self.waiting.is_empty() {
            PollTimeout::NONE
        } else {
            PollTimeout::ZERO
        };
        let mut descriptors: Vec<_> = self
            .peers
            .iter()
            .map(|peer| PollFd::new(peer.stream.as_fd(), PollFlags::POLLIN))
            .collect();
        match poll(&mut descriptors, limit) {
            Ok(0) => std::thread::sleep(RETRY),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => {
                let node = self.peers.first().map_or(0, |peer| peer.node);
                return Err(self.shared.lost(node, error.into()));
            }
        }
        let ready = descriptors.iter();
        Ok(ready
            .map(|descriptor| descriptor.any().unwrap_or(true))
            .collect())
    }

    fn read(&mut self, index: usize) -> Result<(), BridgeError> {
        let peer = &mut self.peers[index];
        let node = peer.node;
        match peer.stream.read(&mut peer.buffer[peer.end..]) {
            Ok(0) => {
                let closed = std::io::ErrorKind::UnexpectedEof.into();
                Err(self.shared.lost(node, closed))
            }
            Ok(bytes) => {
                peer.end += bytes;
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(self.shared.lost(node, error)),
        }
    }

    /// Acts on every whole frame that was read.
    fn understand(&mut self, index: usize) -> Result<(), BridgeError> {
        loop {
            let peer = &self.peers[index];
            let (node, read) = (peer.node, &peer.buffer[peer.start..peer.end]);
            let Some((head, rest)) = read.split_first_chunk::<FRAME_BYTES>() else {
                break;
            };
            let nonsense = |reason| self.shared.nonsense(node, reason);
            let frame = Frame::decode(head).ok_or_else(|| nonsense("it sent no frame"))?;
            let bytes = frame.payload_bytes();
            if bytes > BUFFER_BYTES - FRAME_BYTES {
                return Err(nonsense("its record is longer than any lane can carry"));
            }
            if rest.len() < bytes {
                break;
            }
            let from = peer.start + FRAME_BYTES;
            self.peers[index].start = from + bytes;
            self.act(index, frame, from..from + bytes)?;
        }
        let peer = &mut self.peers[index];
        peer.buffer.copy_within(peer.start..peer.end, 0);
        (peer.start, peer.end) = (0, peer.end - peer.start);
        Ok(())
    }

    fn act(
        &mut self,
        index: usize,
        frame: Frame,
        payload: std::ops::Range<usize>,
    ) -> Result<(), BridgeError> {
        let node = self.peers[index].node;
        let segment = self.shared.job.segment();
        match frame {
            Frame::Record { lane, header } => self.arrive(index, lane, header, payload)?,
            Frame::Credit { lane, lines } => self.mail.credits.push((node, lane, lines)),
            Frame::State { plane, unit, state } => {
                let job = self.planes[plane].as_ref();
                if !job.is_some_and(|job| unit < job.ranks() && job.node(unit) == node) {
                    let reason = "it tells of a rank that is not its own";
                    return Err(self.shared.nonsense(node, reason));
                }
                self.states.push((plane, unit, state));
                self.change_states();
            }
            Frame::Wanted(words) if self.shared.node == 0 => self.mail.wanted.push((node, words)),
            Frame::Wanted(_) => {
                let reason = "only node 0 gives clients their entries";
                return Err(self.shared.nonsense(node, reason));
            }
            Frame::Client { place, words } => {
                let contexts = words.contexts as usize;
                let fits = contexts * self.shared.job.ranks() <= crate::job::layout::MAXIMUM_RANKS;
                if !fits || !table::install(segment, place, words)? {
                    let reason = "it has another client in an entry of the table";
                    return Err(self.shared.nonsense(node, reason));
                }
                if self.planes[place].is_none() {
                    self.planes[place] = Some(self.shared.job.plane(place, contexts)?);
                }
                // The sender opens it too.
                self.shared.ring();
            }
            Frame::Refused { name } if node == 0 => table::refuse(segment, name)?,
            Frame::Refused { .. } => {
                let reason = "it refuses a client, which is for node 0 to do";
                return Err(self.shared.nonsense(node, reason));
            }
        }
        Ok(())
    }

    /// A record has come.
    fn arrive(
        &mut self,
        index: usize,
        name: LaneName,
        header: RecordHeader,
        payload: std::ops::Range<usize>,
    ) -> Result<(), BridgeError> {
        let node = self.peers[index].node;
        if !self.lanes.contains_key(&name) {
            let lane = self.open(node, name)?;
            self.lanes.insert(name, lane);
        }
        let Some(lane) = self.lanes.get_mut(&name).filter(|lane| lane.node == node) else {
            let reason = "it sends for another node";
            return Err(self.shared.nonsense(node, reason));
        };
        let fits = header.payload_bytes() <= lane.producer.longest_payload_bytes();
        if !fits || !lane.window.arrive(header.lines()) {
            let reason = "it sends more than was asked for";
            return Err(self.shared.nonsense(node, reason));
        }
        let payload = &self.peers[index].buffer[payload];
        if lane.waiting.is_empty() && inject(lane, header, payload)? {
            credit(lane, header, &mut self.mail);
            return Ok(());
        }
        if lane.waiting.is_empty() {
            self.waiting.push(name);
        }
        lane.waiting.push_back((header, payload.into()));
        Ok(())
    }

    fn open(&self, node: usize, name: LaneName) -> Result<Lane, BridgeError> {
        let LaneName { origin, target, .. } = name;
        let job = self.planes[name.plane].as_ref().filter(|job| {
            let units = origin < job.ranks() && target < job.ranks();
            units && job.node(origin) == node && job.node(target) == self.shared.node
        });
        let Some(job) = job else {
            let reason = "it sends on a lane that there is not";
            return Err(self.shared.nonsense(node, reason));
        };
        Ok(Lane {
            name,
            node,
            producer: LaneProducer::new(job.lane(origin, target)?),
            block: Mapped::new(job.segment(), job.layout().rank_block(target))?,
            window: ReceiveWindow::new(job.layout().ring_lines),
            waiting: VecDeque::new(),
        })
    }

    /// Looks at the lanes that had no room.
    fn retry(&mut self) -> Result<(), BridgeError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let inspects = self.inspected.elapsed() >= INSPECTION;
        if inspects {
            self.inspected = Instant::now();
        }
        for name in std::mem::take(&mut self.waiting) {
            let Some(lane) = self.lanes.get_mut(&name) else {
                continue;
            };
            let job = self.planes[name.plane].as_ref();
            let departed = inspects && job.is_some_and(|job| job.has_ended(name.target));
            while let Some((header, payload)) = lane.waiting.front() {
                let header = *header;
                if !inject(lane, header, payload)? && !departed {
                    break;
                }
                lane.waiting.pop_front();
                credit(lane, header, &mut self.mail);
            }
            if !lane.waiting.is_empty() {
                self.waiting.push(name);
            }
        }
        self.change_states();
        Ok(())
    }

    /// Notes that ranks have left, unless something that they sent still waits.
    fn change_states(&mut self) {
        let (waiting, planes) = (&self.waiting, &self.planes);
        self.states.retain(|&(plane, unit, state)| {
            let is_its = |name: &LaneName| name.plane == plane && name.origin == unit;
            let waits = waiting.iter().any(is_its);
            if !waits && let Some(job) = &planes[plane] {
                job.set_rank_state(unit, state);
            }
            waits
        });
    }

    /// Hands over what the sender is to do.
    fn post(&mut self) {
        if self.mail.is_empty() {
            return;
        }
        let mut mail = self.shared.mail();
        mail.credits.append(&mut self.mail.credits);
        mail.frames.append(&mut self.mail.frames);
        mail.wanted.append(&mut self.mail.wanted);
        drop(mail);
        self.shared.ring();
    }
}

/// Puts a record into its lane and wakes the target, if there is room.
fn inject(lane: &Lane, header: RecordHeader, payload: &[u8]) -> Result<bool, BridgeError> {
    let reserved = lane.producer.try_reserve(payload.len());
    let failed = |source| BridgeError::of_lane(lane.name, source);
    let Some(reserved) = reserved.map_err(failed)? else {
        return Ok(false);
    };
    // SAFETY: the slice is readable, and the record was reserved for its bytes.
    unsafe {
        lane.producer
            .write(&reserved, 0, payload.as_ptr(), payload.len());
    }
    lane.producer.commit(reserved, header);
    sleep::wake_if_asleep(&lane.block.sleep);
    Ok(true)
}

/// A record has left the window.
fn credit(lane: &mut Lane, header: RecordHeader, mail: &mut Mail) {
    if let Some(lines) = lane.window.injected(header.lines()) {
        let frame = Frame::Credit {
            lane: lane.name,
            lines,
        };
        mail.frames.push((lane.node, frame));
    }
}
