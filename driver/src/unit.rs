//! The messaging unit of one rank: injection, engine and reception together.
//!
//! Before: the transport hands over a descriptor, or the few bytes of an immediate
//! message. After: at the target, the handler that the packet names.
//!
//! The engine here is the inline one: whoever calls [`MessagingUnit::step`] or
//! [`MessagingUnit::poll`] drives it. When nothing waits in the FIFO of a target, a
//! descriptor is processed where it stands, without being stored; what does not fit
//! into the lane is stored with its progress and goes on later. So messages to one
//! target never overtake each other.
//!
//! ```text
//! inject_immediate ──(nothing waits, lane has room)──▶ lane        one line, no detour
//! submit ──process──▶ lane | kernel copy
//!           └─(lane full)─▶ injection FIFO ─▶ step ─▶ lane | kernel copy
//! ```
//!
//! Invariants: packet handlers never poll; a descriptor's packets follow each other in the lane.

use std::cell::{Cell, RefCell};

use pamir_shm::atomic::Ordering;
use pamir_shm::bells::Bells;
use pamir_shm::lane::{Arrived, Expected, HANDED_OVER_LINES, Reserved, longest_payload_bytes};
use pamir_shm::lane_room::LaneRoom;
use pamir_shm::mapped::Mapped;
use pamir_shm::mapped_cells::MappedCells;
use pamir_shm::mapped_lane::{LaneConsumer, LaneProducer};
use pamir_shm::record::RecordHeader;
use pamir_shm::shareable::LinePadded;
use pamir_shm::{membarrier, sleep};

use crate::counter::{CounterGroup, CounterId};
use crate::descriptor::{Descriptor, Operation, Source};
use crate::injection::{Configuration, InjectionFifo, InjectionStatistics};
use crate::job::Job;
use crate::kernel_copy::{self, KernelCopyError};
use crate::layout::RankBlock;
use crate::packet::{ALIGNED_AT, Packet, PacketHandlerTable, REPLENISH};
use crate::peer_heap;
use crate::touch::TouchMemory;

/// The longest message that is always one packet. Those of 16 KiB are longer, since targets may ask for them instead.
const PACKET_BYTES: usize = 15 * 1024;

/// Records taken from one lane before the next lane has its turn.
const BURST: u32 = 16;

/// Records taken from one lane without a pause after which there are surely more, so that their lines are asked for.
const BACKLOG: u32 = 3;

/// What the unit asks of the layer above it.
pub trait Owner: Sized {
    /// Writes bytes `at..at + bytes` of the message with `cookie` into `room`, for
    /// descriptors whose source is [`Source::Owner`].
    fn fill(&self, cookie: u64, at: u64, room: LaneRoom<'_>, bytes: usize);

    /// The unit that it owns: packet handlers come back through it.
    fn unit(&self) -> &MessagingUnit<Self>;

    /// The engine is done with a descriptor that has a cookie.
    fn injected(&self, descriptor: &Descriptor);

    /// The kernel refused a put or get; the descriptor is dropped.
    fn refused(&self, descriptor: &Descriptor, error: KernelCopyError);

    /// How many operations wait for packets. A poll that has found the last one's ends: what
    /// lies behind it is better left in its lane until somebody asks for it.
    fn under_way(&self) -> usize {
        0
    }

    /// How many receives wait for their messages.
    fn receives(&self) -> usize {
        0
    }
}

/// What [`MessagingUnit::take_packet`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// No packet.
    Nothing,
    /// Another packet than the one that is wanted; it is still there.
    Other,
    /// The one that is wanted.
    Taken(T),
}

/// What this rank keeps of each target.
#[derive(Debug)]
struct Target {
    lane: LaneProducer,
    /// Memory that this rank and the target write in turn, if they have any.
    cells: Option<MappedCells>,
    block: Mapped<RankBlock>,
    /// How far the lane from this target was read when the last record of several lines went to it.
    heard: Cell<u64>,
    /// Descriptors that wait for this target; 0 lets immediate messages pass.
    backlog: Cell<usize>,
    /// Nobody reads the lane any more: what finds no room in it vanishes.
    departed: Cell<bool>,
    fifo: RefCell<InjectionFifo>,
}

/// The messaging unit of one rank.
#[derive(Debug)]
pub struct MessagingUnit<O> {
    job: Job,
    rank: usize,
    targets: Vec<Target>,
    origins: Vec<LaneConsumer>,
    /// The bells of all lanes that lead here.
    bells: Mapped<LinePadded<Bells>>,
    rotation: Rotation,
    handlers: PacketHandlerTable<O>,
    counters: CounterGroup,
    /// The notification word that replenish descriptors touch.
    touched: Cell<bool>,
    /// The memory that they touch instead, if that is configured.
    touch_memory: Option<TouchMemory>,
    backlog: Cell<usize>,
    job_crowded: bool,
    barrier_reaches_all: bool,
    packet_bytes: usize,
    longest_packet_bytes: usize,
}

impl<O: Owner> MessagingUnit<O> {
    /// The unit of `rank`, which has attached to `job`.
    pub fn new(job: Job, rank: usize, handlers: PacketHandlerTable<O>) -> Result<Self, UnitError> {
        Self::with_injection(job, rank, handlers, Configuration::from_environment()?)
    }

    /// As [`Self::new`], with injection FIFOs that are set up as given.
    pub fn with_injection(
        job: Job,
        rank: usize,
        handlers: PacketHandlerTable<O>,
        injection: Configuration,
    ) -> Result<Self, UnitError> {
        kernel_copy::allow_peers();
        peer_heap::know(&job);
        handlers.set(REPLENISH, replenish::packet_arrived);
        let ranks = 0..job.ranks();
        let targets = ranks
            .clone()
            .map(|target| Target::new(&job, rank, target, injection));
        let origins = ranks.map(|origin| Ok(LaneConsumer::new(job.lane(origin, rank)?)));
        let room = longest_payload_bytes(job.layout().ring_lines) - ALIGNED_AT;
        let longest_power = 1 << room.ilog2();
        Ok(Self {
            rank,
            targets: targets.collect::<Result<_, UnitError>>()?,
            origins: origins.collect::<Result<_, UnitError>>()?,
            handlers,
            counters: CounterGroup::default(),
            touched: Cell::new(false),
            touch_memory: replenish::touch_memory(injection.criterion())?,
            backlog: Cell::new(0),
            bells: job.bells(rank)?,
            rotation: Rotation::new(job.ranks()),
            job_crowded: job.is_crowded()?,
            barrier_reaches_all: membarrier::register(),
            packet_bytes: PACKET_BYTES.min(longest_power),
            longest_packet_bytes: packet_length::LONGEST_BYTES.min(longest_power),
            job,
        })
    }

    /// This unit's rank.
    #[inline(always)]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks of the job.
    #[inline(always)]
    pub fn ranks(&self) -> usize {
        self.targets.len()
    }

    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Whether this rank and `other` are on one node, so that each can reach the other's memory.
    pub fn shares_memory(&self, other: usize) -> bool {
        self.job.shares_memory(self.rank, other)
    }

    /// The unit's DMA counters.
    pub fn counters(&self) -> &CounterGroup {
        &self.counters
    }

    /// Whether other ranks share this one's processing unit; that changes where the launcher
    /// moves ranks.
    #[inline(always)]
    pub fn is_crowded(&self) -> bool {
        let own = &self.targets[self.rank].block.status;
        own.sharers.load(Ordering::Relaxed) > 1
    }

    /// Whether any ranks of the job shared a processing unit when it began; the same for all of
    /// them, and always.
    #[inline(always)]
    pub fn is_job_crowded(&self) -> bool {
        self.job_crowded
    }

    /// The longest message that travels as one packet wherever it lies, metadata not counted.
    #[inline(always)]
    pub fn packet_bytes(&self) -> usize {
        self.packet_bytes
    }

    /// How its injection FIFOs are set up, all of them alike but while one is too full to shrink.
    pub fn injection(&self) -> Configuration {
        self.targets[self.rank].fifo.borrow().configuration()
    }

    /// What has happened in the injection FIFO towards `target`.
    pub fn injection_statistics(&self, target: usize) -> InjectionStatistics {
        self.targets[target].fifo.borrow().statistics()
    }

    /// Takes a descriptor: processed at once as far as it goes, queued otherwise.
    ///
    /// # Safety
    ///
    /// The descriptor's buffer is good for its bytes until the owner is told that it is
    /// done (or, without a cookie, as long as the unit lives).
    pub unsafe fn submit(&self, owner: &O, mut descriptor: Descriptor) -> Result<(), UnitError> {
        let to = &self.targets[descriptor.target as usize];
        if to.backlog.get() == 0 {
            // SAFETY: the caller vouches for the buffer.
            let is_done = unsafe { self.inject_whole(owner, &mut descriptor)? };
            if is_done || self.process(owner, to, &mut descriptor)? {
                self.finish(owner, &descriptor);
                return Ok(());
            }
        }
        to.fifo.borrow_mut().inject(descriptor);
        to.backlog.set(to.backlog.get() + 1);
        self.backlog.set(self.backlog.get() + 1);
        Ok(())
    }

    fn finish(&self, owner: &O, descriptor: &Descriptor) {
        if let Some(counter) = CounterId::from_field(descriptor.counter) {
            self.counters.count(counter, descriptor.bytes);
        }
        if descriptor.cookie != 0 {
            owner.injected(descriptor);
        }
    }

    /// Goes on with a descriptor; true when it is done.
    fn process(
        &self,
        owner: &O,
        to: &Target,
        descriptor: &mut Descriptor,
    ) -> Result<bool, UnitError> {
        match descriptor.operation {
            Operation::MemoryFifo => {
                if descriptor.injected == 0 && descriptor.cell == 0 {
                    self.begin_in_cell(to, descriptor);
                }
                if descriptor.cell != 0 {
                    self.send_in_cell(owner, to, descriptor)
                } else {
                    self.send_packets(owner, to, descriptor)
                }
            }
            Operation::DirectPut | Operation::RemoteGet => self.copy_direct(owner, to, descriptor),
        }
    }

    fn send_packets(
        &self,
        owner: &O,
        to: &Target,
        descriptor: &mut Descriptor,
    ) -> Result<bool, UnitError> {
        let packet_bytes = self.packet_bytes_of(descriptor);
        let several = descriptor.bytes > packet_bytes as u64;
        let as_strings = several && packet_length::moves_strings(&to.lane, descriptor);
        loop {
            let packet = NextPacket::of(descriptor, packet_bytes);
            let target = descriptor.target as usize;
            let Some(reserved) = reserve(to, target, packet.payload_bytes())? else {
                return Ok(to.departed.get());
            };
            let place = (packet.start, packet.bytes);
            copy_fragment(owner, to, &reserved, descriptor, place, as_strings);
            packet.write_header(|at, word| to.lane.write_word(&reserved, at, word));
            descriptor.injected += packet.bytes as u64;
            let expected = if as_strings {
                Expected::Lines(0)
            } else {
                packet_length::expected_behind(owner, &to.lane, descriptor, several)
            };
            let payload_bytes = packet.payload_bytes() as u32;
            let header = RecordHeader::new(packet.kind, descriptor.auxiliary, payload_bytes);
            let header = header.of_string(as_strings && to.lane.is_near());
            self.commit_to(target, reserved, header, HANDED_OVER_LINES, expected);
            if descriptor.is_done() {
                return Ok(true);
            }
        }
    }

    /// Gives the packets that have arrived to their handlers, from every lane that has carried any;
    /// how many there were.
    #[inline(always)]
    pub fn poll(&self, owner: &O) -> Result<u32, UnitError> {
        let mut handled = 0;
        let waiting = owner.under_way();
        self.rotation.open_rung(&self.bells);
        for origin in self.rotation.open() {
            let came = self.poll_lane(owner, origin)?;
            if came > 0 {
                self.rotation.found(origin);
                handled += came;
                if waiting != 0 && owner.under_way() == 0 {
                    return Ok(handled);
                }
            }
        }
        Ok(handled)
    }

    /// Gives the packets that have arrived from `origin` to their handlers, up to the one that the
    /// last operation has waited for.
    #[inline(always)]
    pub fn poll_lane(&self, owner: &O, origin: usize) -> Result<u32, UnitError> {
        let lane = &self.origins[origin];
        let mut handled = 0;
        let waiting = owner.under_way();
        while handled < BURST {
            let Some(arrived) = peek(lane, origin)? else {
                break;
            };
            if handled >= BACKLOG {
                lane.look_along(&arrived);
            }
            self.deliver(owner, lane, origin, arrived)?;
            handled += 1;
            if waiting != 0 && owner.under_way() == 0 {
                break;
            }
        }
        Ok(handled)
    }

    #[inline(always)]
    fn deliver(
        &self,
        owner: &O,
        lane: &LaneConsumer,
        origin: usize,
        arrived: Arrived,
    ) -> Result<(), UnitError> {
        let header = arrived.header;
        if header.is_in_cell() {
            return self.deliver_from_cell(owner, lane, origin, arrived);
        }
        let packet = packet(lane, &arrived);
        let handled = self.handlers.get(header.kind())(owner, origin as u32, packet);
        lane.release(arrived);
        handled
    }

    /// Looks at the next packet from `origin`: if it is of `kind` and its metadata is the one
    /// that is wanted, gives it to `take` instead of to its handler.
    ///
    /// For a receive that knows what it waits for: the message goes straight to its buffer.
    #[inline(always)]
    pub fn take_packet<T>(
        &self,
        origin: usize,
        kind: u8,
        metadata: u64,
        take: impl FnOnce(Packet<'_>) -> T,
    ) -> Result<Next<T>, UnitError> {
        let lane = &self.origins[origin];
        let Some(arrived) = peek(lane, origin)? else {
            return Ok(Next::Nothing);
        };
        if arrived.header.is_in_cell() {
            return self.take_from_cell(lane, origin, arrived, (kind, metadata), take);
        }
        let packet = packet(lane, &arrived);
        if arrived.header.kind() != kind || packet.word(0) != metadata {
            return Ok(Next::Other);
        }
        let taken = take(packet);
        lane.release(arrived);
        Ok(Next::Taken(taken))
    }
}

impl Target {
    fn new(
        job: &Job,
        origin: usize,
        target: usize,
        injection: Configuration,
    ) -> Result<Self, UnitError> {
        Ok(Self {
            lane: LaneProducer::new(job.lane(origin, target)?),
            cells: cell::cells_of(job, origin, target)?,
            block: Mapped::new(job.segment(), job.layout().rank_block(target))?,
            heard: Cell::new(0),
            backlog: Cell::new(0),
            departed: Cell::new(false),
            fifo: RefCell::new(InjectionFifo::new(injection, target as u32)),
        })
    }

    /// After a commit.
    #[inline(always)]
    fn wake_if_asleep(&self) {
        sleep::wake_if_asleep(&self.block.sleep);
    }
}

#[inline(always)]
fn reserve(to: &Target, rank: usize, payload_bytes: usize) -> Result<Option<Reserved>, UnitError> {
    let rank = rank as u32;
    to.lane
        .try_reserve(payload_bytes)
        .map_err(|source| UnitError::Lane { rank, source })
}

#[inline(always)]
fn peek(lane: &LaneConsumer, origin: usize) -> Result<Option<Arrived>, UnitError> {
    lane.peek().map_err(|source| UnitError::Lane {
        rank: origin as u32,
        source,
    })
}

/// The packet in a record that is not released yet.
#[inline(always)]
fn packet<'a>(lane: &'a LaneConsumer, arrived: &'a Arrived) -> Packet<'a> {
    // SAFETY: `peek` saw that the record lies inside the ring. The packet lives no longer than
    // the borrow of `arrived`, which `release` takes away.
    unsafe { Packet::new(lane.payload(arrived), arrived.header) }
}

fn copy_fragment<O: Owner>(
    owner: &O,
    to: &Target,
    reserved: &Reserved,
    descriptor: &Descriptor,
    (start, bytes): (usize, usize),
    as_string: bool,
) {
    match descriptor.source {
        Source::Memory => {
            let source = (descriptor.buffer + descriptor.injected) as *const u8;
            // SAFETY: `submit`'s caller vouches for the buffer; the record was reserved for
            // the header and these bytes.
            unsafe {
                if as_string {
                    to.lane.write_string(reserved, start, source, bytes);
                } else {
                    to.lane.write(reserved, start, source, bytes);
                }
            }
        }
        Source::Owner => {
            let room = to.lane.room(reserved).behind(start);
            owner.fill(descriptor.cookie, descriptor.injected, room, bytes);
        }
    }
}

mod arrived;
mod backlog;
mod cell;
mod commit;
mod direct;
mod error;
mod gather;
mod immediate;
mod line;
mod next_packet;
mod packet_length;
pub mod recent;
mod replace;
mod replenish;
mod rest;
mod rotation;
mod seat;
mod step;
mod transfer;
mod window;
pub use error::UnitError;
pub use line::LINE_DATA_BYTES;
use next_packet::NextPacket;
pub use rest::Doorbell;
use rotation::Rotation;
#[cfg(test)]
mod tests;
