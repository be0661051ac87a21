//! How long the packets of a message are that needs several, and what is likely to follow them.
//!
//! Before: a descriptor of the injection FIFO, or one that goes at once. After: its data is cut into packets of so
//! many bytes ([`super`]), and with each of them the lane is told which lines to have fetched.
//!
//! | lane | one packet | then |
//! |---|---|---|
//! | strings, from 16 KiB on | 8 KiB; 16 between far cores from 32 KiB on | nothing |
//! | else near, or its copies stream | 8 KiB, 16 from 64 KiB on | another packet, behind each |
//! | far | 32 KiB, 16 from 64 KiB on | another message, behind the last packet |
//! | far, and this end receives meanwhile | 32 KiB | nothing |

use pamir_shm::lane::Expected;
use pamir_shm::lane::mapped::LaneProducer;
use pamir_shm::lane::record::LINE_BYTES;

use crate::injection::descriptor::{Descriptor, Source};
use crate::unit::{MessagingUnit, Owner};

/// The most data in one packet of a message that lies in one piece, in bytes. Two processors that write and read
/// one lane at the same time take its lines from each other, and each packet of several costs both ends a request
/// (`docs/decisions/005-protocols.md`). Where both send at once that goes for longer messages too.
pub(in crate::unit) const LONGEST_BYTES: usize = 32 * 1024;

/// The same of one that its owner gathers, which needs several: the target scatters one packet while the origin
/// gathers the next,
const GATHERED_PACKET_BYTES: usize = 16 * 1024;

/// and if it is shorter than two of these.
const SHORTER_PACKET_BYTES: usize = 8 * 1024;

/// Between near cores lines come back soon, and where copies stream they need not: then it pays that the target copies
/// one packet of data in one piece while the origin copies the next. Two to this power bytes are best in one,
const SHORT_PACKET_EXPONENT: u8 = 13;

/// or to this one from so many bytes on, since each packet costs something, between all cores.
const LONGER_PACKET: (u64, u8) = (64 * 1024, 14);

/// Strings between far cores go in packets of the latter from so many bytes on;
/// shorter messages are faster in short ones (`docs/decisions/005-protocols.md`).
const TWO_LONGER_PACKETS_BYTES: u64 = 32 * 1024;

/// Most bytes of another message like the last one, of several packets between far cores, whose lines are asked for
/// while its target reads that one.
const EXPECTED_BYTES: u64 = 64 * 1024;

impl<O: Owner> MessagingUnit<O> {
    /// What suits a descriptor whose data lies in one piece, for its packets, as its target's lane is at present
    /// ([`Descriptor::packet_exponent`]).
    pub fn packet_exponent(&self, descriptor: &Descriptor) -> u8 {
        let lane = &self.targets[descriptor.target as usize].lane;
        match descriptor.bytes {
            bytes if moves_strings(lane, descriptor) => {
                let is_short = lane.is_near() || bytes < TWO_LONGER_PACKETS_BYTES;
                if is_short {
                    SHORT_PACKET_EXPONENT
                } else {
                    LONGER_PACKET.1
                }
            }
            bytes if bytes >= LONGER_PACKET.0 => LONGER_PACKET.1,
            _ if waits_for_lines(lane) => 0,
            _ => SHORT_PACKET_EXPONENT,
        }
    }

    /// Whether a descriptor's data travels as one packet.
    pub fn is_one_packet(&self, descriptor: &Descriptor) -> bool {
        descriptor.bytes <= self.packet_bytes_of(descriptor) as u64
    }

    /// Data in each packet of a descriptor, but the last.
    pub(in crate::unit) fn packet_bytes_of(&self, descriptor: &Descriptor) -> usize {
        let most = match descriptor.source {
            Source::Memory => self.longest_packet_bytes,
            Source::Owner if descriptor.bytes <= self.packet_bytes as u64 => self.packet_bytes,
            Source::Owner if descriptor.bytes < 2 * GATHERED_PACKET_BYTES as u64 => {
                SHORTER_PACKET_BYTES.min(self.longest_packet_bytes)
            }
            Source::Owner => GATHERED_PACKET_BYTES.min(self.longest_packet_bytes),
        };
        match descriptor.packet_exponent {
            0 => most,
            exponent => most.min(1 << exponent),
        }
    }
}

/// From so many bytes on, packets of a message are moved as strings where those store lines without fetching them: no
/// lines but those of the data are then fetched. Shorter packets are faster by vectors
/// (`docs/decisions/005-protocols.md`).
const STRINGS_FROM_BYTES: u64 = 16 * 1024;

/// Whether a descriptor's data, which needs several packets, is moved as strings.
pub(in crate::unit) fn moves_strings(lane: &LaneProducer, descriptor: &Descriptor) -> bool {
    descriptor.bytes >= STRINGS_FROM_BYTES
        && descriptor.source == Source::Memory
        && lane.stores_without_fetch()
}

/// Whether what is written into a lane waits for lines that its target has read.
fn waits_for_lines(lane: &LaneProducer) -> bool {
    !lane.is_near() && !lane.streams()
}

/// What is likely to come behind the packet of a descriptor that is about to be committed, which may be one of several.
pub(in crate::unit) fn expected_behind<O: Owner>(
    owner: &O,
    lane: &LaneProducer,
    descriptor: &Descriptor,
    several: bool,
) -> Expected {
    if !several || !waits_for_lines(lane) {
        Expected::Another
    } else if descriptor.is_done() && owner.receives() == 0 {
        Expected::Lines(descriptor.bytes.min(EXPECTED_BYTES) / LINE_BYTES as u64)
    } else {
        Expected::Lines(0)
    }
}
