//! Messages that go through the exclusive buffers of a pair, which its ranks write in turn.
//!
//! Before: a message of one packet, or a descriptor, whose target has left an exclusive buffer to this rank. After: the
//! packets lie in that exclusive buffer, and the lane has a line for each; at the target they are given to their
//! handlers as any other.
//!
//! ```text
//! inject_immediate ─(a buffer is this end's, from EXCLUSIVE_FROM_BYTES on)─▶ part in the buffer, line in the lane
//! process ─────────(the same, and the whole message fits)──────────▶ parts in the buffer, a line for each
//! poll ◀── line: in a buffer ── the packet is the part ── behind the last part the buffer is this end's
//! ```
//!
//! A message that answers another one is so written where the other one was read: its lines are this core's own. In a
//! lane they come from the other core first. An end that sends without an answer has no exclusive buffer after the
//! first message, and goes on through the lane; the order of the lane's records is that of the messages in either case.
//!
//! Invariant: a part is read only if the exclusive buffer's turn and its length say that the origin may have written
//! it.

use pamir_shm::exclusive_buffer::mapped::{BufferPart, ExclusiveBuffers};
use pamir_shm::lane::mapped::LaneConsumer;
use pamir_shm::lane::record::{RecordHeader, lines_for};
use pamir_shm::lane::room::LaneRoom;
use pamir_shm::lane::{Arrived, Reserved};

use super::commit::handed_over_lines;
use super::next_packet::NextPacket;
use crate::injection::descriptor::{Descriptor, Source};
use crate::unit::packet::{ALIGNED_AT, Packet};
use crate::unit::receive::next_record::unless_held;
use crate::unit::target::{Target, reserve};
use crate::unit::{MessagingUnit, Next, Owner, UnitError};

/// Lines that stay free behind a part of several: the reader's processor fetches ahead, and would take away the lines
/// that the origin is writing.
const APART_LINES: u64 = 16;

/// What a line in the lane says of a part: where it lies, and once more its metadata, which lie in the part as in any
/// packet, so that who waits for just this message need not read them there.
const ANNOUNCED_BYTES: usize = RecordHeader::ANNOUNCED_BYTES;

/// Shorter messages are as fast through the lane, which announces them with their first line. Of this length it depends
/// on whether both ends send at once (`docs/decisions/001-lanes.md`).
const EXCLUSIVE_FROM_BYTES: usize = 1024;

/// Two to this power of bytes are the most data in one part of a message: the target reads one while the origin writes
/// the next, but each costs something, and one that is alone is received at once.
const PART_EXPONENT: u8 = 14;

/// The most data in one part, in bytes.
pub const PART_BYTES: usize = 1 << PART_EXPONENT;

/// From so many bytes on, data is read by string moves, too, where those store lines without fetching them: it does not
/// fit the first cache then.
const STRINGS_FROM_BYTES: u64 = 16 * 1024;

/// Lines of a part that are asked for before its header words are read, which would have to come first otherwise.
const ASKED_LINES: u32 = 16;

/// Lines that each part of `bytes` bytes of data takes, of several.
const fn lines_of_part(bytes: usize) -> u64 {
    lines_for(ALIGNED_AT + bytes) + APART_LINES
}

/// Lines that a message of `bytes` bytes takes, in parts of `part_bytes`.
fn lines_of(bytes: u64, part_bytes: usize) -> u64 {
    let parts = bytes.div_ceil(part_bytes as u64);
    parts.saturating_mul(lines_of_part(part_bytes))
}

impl Target {
    /// The exclusive buffers, if one of them is best for a message of `bytes` bytes in one packet now.
    #[inline(always)]
    pub(in crate::unit) fn exclusive_buffers_for(&self, bytes: usize) -> Option<&ExclusiveBuffers> {
        if bytes < EXCLUSIVE_FROM_BYTES {
            return None;
        }
        let buffers = self.exclusive_buffers.as_ref()?;
        buffers
            .has_room(lines_for(ALIGNED_AT + bytes))
            .then_some(buffers)
    }

    /// Whether a descriptor's data, in packets of `packet_bytes` bytes, fits an exclusive buffer that is this end's.
    fn has_exclusive_buffer_for(&self, descriptor: &Descriptor, packet_bytes: usize) -> bool {
        descriptor.bytes >= EXCLUSIVE_FROM_BYTES as u64
            && self.has_exclusive_buffer_of(lines_of(descriptor.bytes, packet_bytes))
    }

    /// Whether an exclusive buffer of so many lines is this end's.
    fn has_exclusive_buffer_of(&self, lines: u64) -> bool {
        let buffers = self.exclusive_buffers.as_ref();
        buffers.is_some_and(|buffers| buffers.has_room(lines))
    }

    /// Announces a part of an exclusive buffer in the lane.
    #[inline(always)]
    fn announce(&self, reserved: Reserved, header: RecordHeader, part: BufferPart, metadata: u64) {
        self.lane.write_word(&reserved, 0, part.word());
        self.lane.write_word(&reserved, 8, metadata);
        self.lane.commit(reserved, header.in_exclusive_buffer());
    }
}

impl<O: Owner> MessagingUnit<O> {
    /// How long the parts of a descriptor's data in one piece are, as a power of two, if it would go through an
    /// exclusive buffer now.
    pub fn part_exponent(&self, descriptor: &Descriptor) -> Option<u8> {
        let to = &self.targets[descriptor.target as usize];
        let has_exclusive_buffer = to.has_exclusive_buffer_for(descriptor, PART_BYTES);
        has_exclusive_buffer.then_some(PART_EXPONENT)
    }

    /// The longest message to `target` that fits an exclusive buffer in parts of [`PART_BYTES`] now, in bytes; 0 while
    /// no exclusive buffer is this end's.
    pub fn exclusive_buffer_bytes(&self, target: usize) -> usize {
        let buffers = self.targets[target].exclusive_buffers.as_ref();
        let lines = buffers.map_or(0, ExclusiveBuffers::free_lines);
        (lines / lines_of_part(PART_BYTES)) as usize * PART_BYTES
    }

    /// Whether string moves to `target` are known to store lines without fetching them.
    pub fn stores_without_fetch(&self, target: usize) -> bool {
        self.targets[target].lane.stores_without_fetch()
    }

    /// Whether `target` runs on a near processor, as its lane has measured.
    pub fn is_near(&self, target: usize) -> bool {
        self.targets[target].lane.is_near()
    }

    /// Begins a descriptor's data in an exclusive buffer, if one is there for it.
    pub(in crate::unit) fn begin_in_exclusive_buffer(
        &self,
        to: &Target,
        descriptor: &mut Descriptor,
    ) {
        if !to.has_exclusive_buffer_for(descriptor, self.packet_bytes_of(descriptor)) {
            return;
        }
        let buffer = to
            .exclusive_buffers
            .as_ref()
            .and_then(ExclusiveBuffers::begin);
        descriptor.exclusive_buffer = buffer.map_or(0, |buffer| buffer as u8 + 1);
    }

    /// Sends all of a descriptor's data through an exclusive buffer, at once, or nothing of it: false while there is no
    /// exclusive buffer for it, the lane is full, or something waits before it. Nobody is told when it is done.
    ///
    /// # Safety
    ///
    /// The descriptor's buffer is good for its bytes.
    pub unsafe fn inject_row(
        &self,
        owner: &O,
        mut descriptor: Descriptor,
    ) -> Result<bool, UnitError> {
        let to = &self.targets[descriptor.target as usize];
        if to.backlog.get() != 0 {
            return Ok(false);
        }
        let parts = descriptor
            .bytes
            .div_ceil(self.packet_bytes_of(&descriptor) as u64);
        let has_lines = to.lane.has_lines(parts).map_err(|source| UnitError::Lane {
            rank: descriptor.target,
            source,
        })?;
        if has_lines {
            self.begin_in_exclusive_buffer(to, &mut descriptor);
        }
        if descriptor.exclusive_buffer == 0 {
            return Ok(false);
        }
        self.send_in_exclusive_buffer(owner, to, &mut descriptor)
    }

    /// Goes on with a descriptor in its exclusive buffer; true when it is done.
    pub(in crate::unit) fn send_in_exclusive_buffer(
        &self,
        owner: &O,
        to: &Target,
        descriptor: &mut Descriptor,
    ) -> Result<bool, UnitError> {
        let buffers = to.exclusive_buffers.as_ref();
        let buffers =
            buffers.expect("a descriptor has an exclusive buffer of those that its target shares");
        let packet_bytes = self.packet_bytes_of(descriptor);
        let lines_each = lines_of_part(packet_bytes);
        let as_string = descriptor.bytes >= STRINGS_FROM_BYTES && to.lane.stores_without_fetch();
        loop {
            let packet = NextPacket::of(descriptor, packet_bytes);
            let target = descriptor.target as usize;
            let Some(reserved) = reserve(to, target, ANNOUNCED_BYTES)? else {
                return Ok(to.departed.get());
            };
            let part = BufferPart {
                buffer: usize::from(descriptor.exclusive_buffer - 1),
                is_last: descriptor.injected + packet.bytes as u64 == descriptor.bytes,
                line: (descriptor.injected / packet_bytes as u64 * lines_each) as u32,
                payload_bytes: packet.payload_bytes() as u32,
            };
            match descriptor.source {
                Source::Memory => {
                    let source = (descriptor.buffer + descriptor.injected) as *const u8;
                    let data = (source, packet.bytes);
                    // SAFETY: `submit`'s caller vouches for the buffer; the part has these bytes behind its start.
                    unsafe { buffers.write(part, packet.start, data) };
                }
                Source::Owner => {
                    let room = buffers.room(part).behind(packet.start);
                    owner.fill(descriptor.cookie, descriptor.injected, room, packet.bytes);
                }
            }
            packet.write_header(|at, word| buffers.write_word(part, at, word));
            descriptor.injected += packet.bytes as u64;
            let header = RecordHeader::new(packet.kind, descriptor.auxiliary, 0);
            let header = header.of_string(as_string);
            to.announce(reserved, header, part, descriptor.metadata);
            to.wake_if_asleep();
            if part.is_last {
                return Ok(true);
            }
        }
    }

    /// Sends a packet of `bytes` bytes of data that `fill` writes through an exclusive buffer, at once, or not at all:
    /// false while the lane is full. Its lines are handed over to a target that reads them at once if there are no more
    /// than `most`.
    #[inline]
    pub(in crate::unit) fn inject_in_exclusive_buffer(
        &self,
        target: usize,
        buffers: &ExclusiveBuffers,
        header: RecordHeader,
        (metadata, bytes): (u64, usize),
        most: u64,
        fill: impl FnOnce(LaneRoom<'_>),
    ) -> Result<bool, UnitError> {
        let to = &self.targets[target];
        let Some(reserved) = reserve(to, target, ANNOUNCED_BYTES)? else {
            return Ok(false);
        };
        let buffer = buffers.begin();
        let buffer = buffer.expect("who sends through an exclusive buffer has asked for one");
        let part = BufferPart {
            buffer,
            is_last: true,
            line: 0,
            payload_bytes: (ALIGNED_AT + bytes) as u32,
        };
        fill(buffers.room(part).behind(ALIGNED_AT));
        buffers.write_word(part, 0, metadata);
        to.announce(reserved, header, part, metadata);
        if self.is_awaited(target) && u64::from(part.end()) <= most {
            buffers.hand_over(part);
        }
        to.wake_if_asleep();
        Ok(true)
    }

    /// The same with data that lies in one piece.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes.
    #[inline(never)]
    pub(in crate::unit) unsafe fn inject_piece_in_exclusive_buffer(
        &self,
        owner: &O,
        target: usize,
        buffers: &ExclusiveBuffers,
        header: RecordHeader,
        metadata: u64,
        (source, bytes): (*const u8, usize),
    ) -> Result<bool, UnitError> {
        let most = handed_over_lines(owner);
        self.inject_in_exclusive_buffer(target, buffers, header, (metadata, bytes), most, |room| {
            // SAFETY: the caller vouches for the source; the room has so many bytes.
            unsafe { room.write(source, bytes) };
        })
    }

    /// The packet that a record announces in an exclusive buffer, and where it is.
    #[inline]
    fn packet_in_exclusive_buffer<'a>(
        &'a self,
        lane: &LaneConsumer,
        origin: usize,
        arrived: &'a Arrived,
    ) -> Result<(Packet<'a>, &'a ExclusiveBuffers, BufferPart), UnitError> {
        let part = BufferPart::from_word(lane.first_word(arrived));
        let buffers = self.targets[origin].exclusive_buffers.as_ref();
        let is_line = arrived.header.payload_bytes() == ANNOUNCED_BYTES;
        let found = buffers
            .filter(|_| is_line)
            .and_then(|buffers| Some((buffers, buffers.part(part)?)));
        let Some((buffers, payload)) = found else {
            return Err(UnitError::Packet {
                rank: origin as u32,
                reason: "its data lies in no exclusive buffer that it may write",
            });
        };
        let header = arrived.header.announced(part.payload_bytes);
        // SAFETY: the payload lies inside the exclusive buffer, which stays mapped as long as the unit; the origin does
        // not write it until this end gives the exclusive buffer back, which only happens after the packet was read.
        let packet = unsafe { Packet::new(payload, header) };
        Ok((packet, buffers, part))
    }

    /// Asks for the line of the part behind one that is about to be read: a far origin has written that by the time
    /// that the line takes.
    #[inline]
    fn look_behind(&self, lane: &LaneConsumer, origin: usize, part: BufferPart, arrived: &Arrived) {
        if !part.is_last && !self.targets[origin].lane.is_near() {
            lane.look_behind(arrived);
        }
    }

    /// Gives a packet in an exclusive buffer to its handler.
    #[inline(never)]
    pub(in crate::unit) fn deliver_from_exclusive_buffer(
        &self,
        owner: &O,
        lane: &LaneConsumer,
        origin: usize,
        arrived: Arrived,
    ) -> Result<(), UnitError> {
        let (packet, buffers, part) = self.packet_in_exclusive_buffer(lane, origin, &arrived)?;
        buffers.look_ahead(part, ASKED_LINES);
        self.look_behind(lane, origin, part, &arrived);
        let handler = self.handlers.get(arrived.header.kind());
        let release = || {
            buffers.read(part);
            lane.release(arrived);
        };
        match handler(owner, origin as u32, packet) {
            Ok(()) => {
                release();
                Ok(())
            }
            Err(error) => Err(unless_held(error, release)),
        }
    }

    /// As [`Self::take_packet`], of a packet in an exclusive buffer that has arrived.
    #[inline(never)]
    pub(in crate::unit) fn take_from_exclusive_buffer<T>(
        &self,
        lane: &LaneConsumer,
        origin: usize,
        arrived: Arrived,
        (kind, metadata): (u8, u64),
        take: impl FnOnce(Packet<'_>) -> T,
    ) -> Result<Next<T>, UnitError> {
        let (packet, buffers, part) = self.packet_in_exclusive_buffer(lane, origin, &arrived)?;
        if arrived.header.kind() != kind || lane.second_word(&arrived) != metadata {
            return Ok(Next::Other);
        }
        self.look_behind(lane, origin, part, &arrived);
        let taken = take(packet);
        buffers.read(part);
        lane.release(arrived);
        Ok(Next::Taken(taken))
    }
}

#[cfg(test)]
mod tests;
