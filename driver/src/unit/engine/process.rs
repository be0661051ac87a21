//! One descriptor, processed as far as it goes.
//!
//! Before: the transport submits it, or the engine's step comes to it. After: its packets are in the lane or in an
//! exclusive buffer, or its bytes are copied, and the owner knows; or it waits in the injection FIFO with its progress.
//!
//! Invariant: a descriptor's packets follow each other in the lane.

use pamir_shm::lane::record::RecordHeader;
use pamir_shm::lane::{Expected, HANDED_OVER_LINES, Reserved};

use crate::injection::counter::CounterId;
use crate::injection::descriptor::{Descriptor, Operation, Source};
use crate::unit::send::next_packet::NextPacket;
use crate::unit::send::packet_length;
use crate::unit::target::{Target, reserve};
use crate::unit::{MessagingUnit, Owner, UnitError};

impl<O: Owner> MessagingUnit<O> {
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
        if descriptor.cookie != 0 {
            self.give_counter(&mut descriptor);
        }
        to.fifo.borrow_mut().inject(descriptor);
        to.backlog.set(to.backlog.get() + 1);
        self.backlog.set(self.backlog.get() + 1);
        if self.backlog.get() == 1 {
            owner.pends();
        }
        Ok(())
    }

    /// A descriptor that waits counts the bytes that it has still to move. One without any would
    /// be complete before it is sent: it shares.
    fn give_counter(&self, descriptor: &mut Descriptor) {
        let counter = match descriptor.bytes - descriptor.injected {
            0 => CounterId::Shared,
            bytes => self.counters.dedicate(bytes, descriptor.cookie),
        };
        descriptor.counter = counter.to_field();
    }

    /// The descriptor is done: the counter status register says so, or the owner hears it now.
    pub(in crate::unit) fn finish(&self, owner: &O, descriptor: &Descriptor) {
        let counter = CounterId::from_field(descriptor.counter);
        let counted = counter.is_some_and(|counter| self.counters.complete(counter));
        if !counted && descriptor.cookie != 0 {
            owner.injected(descriptor.cookie);
        }
    }

    /// Counts what a descriptor that is not done has moved since it had moved `before` bytes.
    pub(in crate::unit) fn count_moved(&self, descriptor: &Descriptor, before: u64) {
        if let Some(counter) = CounterId::from_field(descriptor.counter) {
            // The last byte counts when the descriptor is done: a put may have to tell of it yet.
            let rest = self.counters.value(counter).saturating_sub(1);
            let moved = descriptor.injected - before;
            self.counters.count(counter, moved.min(rest));
        }
    }

    /// Goes on with a descriptor; true when it is done.
    pub(in crate::unit) fn process(
        &self,
        owner: &O,
        to: &Target,
        descriptor: &mut Descriptor,
    ) -> Result<bool, UnitError> {
        match descriptor.operation {
            Operation::MemoryFifo => {
                if descriptor.injected == 0 && descriptor.exclusive_buffer == 0 {
                    self.begin_in_exclusive_buffer(to, descriptor);
                }
                if descriptor.exclusive_buffer != 0 {
                    self.send_in_exclusive_buffer(owner, to, descriptor)
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
