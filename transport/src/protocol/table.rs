//! Choosing how a message or a transfer travels, by its size.
//!
//! Before: an instruction with its size. After: the protocol that the kind's table names
//! ([`crate::selection`]).
//!
//! | kind | algorithm | what happens |
//! |------|-----------|--------------|
//! | send | `immediate` | one packet |
//! | send | `eager` | packets, sent without asking; what fits one packet goes immediately |
//! | send | `eager_measured` | as the fastest of `eager`, `rendezvous_copy` and `rendezvous_together` as measured between the two ([`crate::tagged`]), apart for origins that wait; for data in one piece |
//! | send | `rendezvous` | the target is asked; packets, or a copy through the kernel where ranks share a processor, or stripes where there are workers |
//! | send | `rendezvous_together` | the target is asked; both ends copy through the kernel, each what it claims ([`crate::tagged`]); for data in one piece |
//! | send | `rendezvous_measured` | as the fastest of `rendezvous_together`, `rendezvous_packets` and, below 1 MiB, `rendezvous_copy` as measured between the two; without packets where the origin does not wait |
//! | send | `rendezvous_packets` | the target is asked; packets |
//! | send | `rendezvous_copy` | the target is asked; it copies through the kernel, or in packets what is not in one piece or the kernel refuses |
//! | send | `striped` | the target is asked; at least two stripes ([`crate::striping`]) |
//! | stripes, scattered_stripes | `one` to `sixteen` | how many stripes a message has |
//! | put, get | `direct_put`, `remote_get` | a copy through the kernel, or messages where it refuses |
//! | put, get | `memory_fifo` | messages |
//!
//! What cannot be immediate because it does not fit one packet goes as the next row says. What
//! fits one line is immediate whatever the table says: its path has no table to look at. What does
//! not lie in one piece at its origin cannot be copied together, nor can active messages: they go
//! as the next row says.
//! Messages of MPI's synchronous mode always ask the target.
//!
//! Stripes are for messages that ask the target: `stripes` for data in one piece, which a
//! processor copies as fast as memory allows, `scattered_stripes` for data that a machine
//! packs. Under `rendezvous` there are no more stripes than workers and master together, so one
//! where no processor is idle.

use pamir_driver::memory::own_heap;
use pamir_driver::unit::LINE_DATA_BYTES;

use crate::selection::table::ranges;
use crate::selection::{Choice, MOST_RANGES, Ranges, Row, Situation, choices};
use crate::tagged::buffer::Buffer;

/// The longest message that is sent without asking the target, unless configured.
pub const EAGER_BYTES: usize = 64 * 1024;

/// The same for data in one piece, between few ranks, where string moves store lines without fetching them: packets are
/// as fast as copies by the kernel up to there between near processors of a Zen 5, and with a request before them
/// slower; and between far ones where the data is rewritten (`docs/decisions/005-protocols.md`).
pub const TAKEN_OVER_EAGER_BYTES: usize = 128 * 1024;

/// From this many bytes on, asking may be faster than sending at once.
pub const MEASURED_BYTES: usize = 12 * 1024;

choices! {
    /// Ways to send a message.
    SendProtocol, "send", Some("bytes of the message");
    /// One packet.
    Immediate = immediate, Nothing;
    /// Several packets, sent without asking.
    Eager = eager, Nothing;
    /// The same, or the target is asked where that has been the faster way.
    EagerMeasured = eager_measured, Nothing;
    /// The target is asked, and fetches the data when it has somewhere to put it.
    Rendezvous = rendezvous, Nothing;
    /// The same, and both ends copy the data through the kernel.
    RendezvousTogether = rendezvous_together, Nothing;
    /// The same where that has been the faster way, or in packets.
    RendezvousMeasured = rendezvous_measured, Nothing;
    /// The same, and the data always comes in packets.
    RendezvousPackets = rendezvous_packets, Nothing;
    /// The same, and the target copies the data through the kernel.
    RendezvousCopy = rendezvous_copy, Nothing;
    /// The same, and the data comes in stripes.
    Striped = striped, Nothing;
    => &[
        Row::new(SendProtocol::Eager).up_to(EAGER_BYTES).oversubscribed(),
        Row::new(SendProtocol::Rendezvous).oversubscribed(),
        Row::new(SendProtocol::EagerMeasured)
            .from(MEASURED_BYTES)
            .up_to(TAKEN_OVER_EAGER_BYTES)
            .ranks(0, 4)
            .taking_over(),
        Row::new(SendProtocol::EagerMeasured).from(MEASURED_BYTES).up_to(EAGER_BYTES),
        Row::new(SendProtocol::Eager).up_to(EAGER_BYTES),
        Row::new(SendProtocol::RendezvousMeasured),
        Row::new(SendProtocol::Rendezvous),
    ];
}

choices! {
    /// Ways to put.
    PutProtocol, "put", Some("bytes put");
    /// The kernel copies.
    DirectPut = direct_put, Nothing;
    /// Packets to the target's reception FIFO.
    MemoryFifo = memory_fifo, Nothing;
    => &[Row::new(PutProtocol::DirectPut)];
}

choices! {
    /// Ways to get.
    GetProtocol, "get", Some("bytes got");
    /// The kernel copies.
    RemoteGet = remote_get, Nothing;
    /// The target sends packets.
    MemoryFifo = memory_fifo, Nothing;
    => &[Row::new(GetProtocol::RemoteGet)];
}

/// Two kinds that say a number of stripes: that of data in one piece, and of all other data.
macro_rules! numbers_of_stripes {
    ($( $(#[$about:meta])* $enum:ident, $kind:literal, $two:expr, $four:expr; )+) => { $(
        choices! {
            $(#[$about])*
            $enum, $kind, Some("bytes of the message");
            /// It is not divided.
            One = one, Nothing;
            /// Two stripes.
            Two = two, Nothing;
            /// Three stripes.
            Three = three, Nothing;
            /// Four stripes.
            Four = four, Nothing;
            /// Six stripes.
            Six = six, Nothing;
            /// Eight stripes.
            Eight = eight, Nothing;
            /// Sixteen stripes.
            Sixteen = sixteen, Nothing;
            => &[
                Row::new($enum::One).up_to($two - 1),
                Row::new($enum::Two).up_to($four - 1),
                Row::new($enum::Four),
            ];
        }

        impl $enum {
            /// How many stripes it stands for.
            pub fn count(self) -> usize {
                match self {
                    Self::One => 1,
                    Self::Two => 2,
                    Self::Three => 3,
                    Self::Four => 4,
                    Self::Six => 6,
                    Self::Eight => 8,
                    Self::Sixteen => 16,
                }
            }
        }
    )+ };
}

numbers_of_stripes! {
    /// Stripes of a message whose data lies in one piece.
    Stripes, "stripes", 2 << 20, 8 << 20;
    /// Stripes of a message whose data does not lie together at the origin.
    ScatteredStripes, "scattered_stripes", 1 << 20, 4 << 20;
}

impl SendProtocol {
    /// Whether it is for data that lies in one piece at its origin only.
    fn needs_one_piece(self) -> bool {
        matches!(
            self,
            Self::EagerMeasured | Self::RendezvousTogether | Self::RendezvousMeasured
        )
    }

    /// What a measured protocol is where nothing can be measured; none if it measures nothing.
    #[inline(always)]
    pub(crate) fn without_trial(self) -> Option<Self> {
        match self {
            Self::EagerMeasured => Some(Self::Eager),
            Self::RendezvousMeasured => Some(Self::RendezvousTogether),
            _ => None,
        }
    }

    /// Whether data in several packets may come without being asked for.
    fn may_be_eager(self) -> bool {
        matches!(self, Self::Eager | Self::EagerMeasured)
    }

    /// Whether the target is asked first.
    pub fn asks(self) -> bool {
        matches!(
            self,
            Self::Rendezvous
                | Self::RendezvousTogether
                | Self::RendezvousMeasured
                | Self::RendezvousPackets
                | Self::RendezvousCopy
                | Self::Striped
        )
    }
}

/// The table for sends of one context.
#[derive(Clone, Debug)]
pub struct SendTable {
    /// Messages shorter than this are immediate, wherever they lie: the first range ends there.
    immediate_end: usize,
    eager_bytes: usize,
    ranges: Ranges<SendProtocol, MOST_RANGES>,
    /// For messages that lie in one piece.
    one_piece: Ranges<SendProtocol, MOST_RANGES>,
    /// For messages that lie in one piece in this process's shared heap.
    in_heap: Ranges<SendProtocol, MOST_RANGES>,
    heap: Option<own_heap::Bounds>,
}

impl SendTable {
    /// The table in force in a situation, where packets hold `packet_bytes`.
    pub fn new(packet_bytes: usize, situation: Situation) -> Self {
        let table = Self::of(SendProtocol::table().rows(), packet_bytes, situation);
        Self {
            heap: own_heap::own().map(|own| own.bounds),
            ..table
        }
    }

    /// The table of `rows`, of which the last ones serve every message.
    pub(crate) fn of(
        rows: impl Iterator<Item = Row<SendProtocol>>,
        packet_bytes: usize,
        situation: Situation,
    ) -> Self {
        let line = Row::new(SendProtocol::Immediate).up_to(LINE_DATA_BYTES.min(packet_bytes));
        let mut rows: Vec<_> = std::iter::once(line).chain(rows).collect();
        let in_force = |rows: &[Row<SendProtocol>]| -> Vec<Row<SendProtocol>> {
            let covering = rows.iter().filter(|row| row.covers_members(situation));
            let in_packets = covering.flat_map(|row| in_packets(*row, packet_bytes));
            in_packets.flatten().collect()
        };
        let in_ranges = |rows: &mut dyn Iterator<Item = Row<SendProtocol>>| {
            ranges(rows).expect("the default rows serve every message, in few ranges")
        };
        let plain = in_force(&rows);
        let one_piece = in_ranges(&mut plain.iter().copied());
        let anything = |row: &Row<SendProtocol>| !row.algorithm.needs_one_piece();
        let ranges = in_ranges(&mut plain.iter().copied().filter(anything));
        // What peers can map is copied by both ends as soon as it needs more than one packet,
        // unless rows say something else or the ranks share processors.
        let stated = rows.strip_suffix(SendProtocol::DEFAULT);
        let default = stated.map_or(rows.len(), <[_]>::len);
        let mapped = Row::new(SendProtocol::RendezvousTogether).from(packet_bytes + 1);
        rows.splice(
            default..default,
            (!situation.oversubscribed).then_some(mapped),
        );
        let in_heap = in_ranges(&mut in_force(&rows).into_iter());
        let immediate_ends = [&ranges, &one_piece].map(|ranges| match ranges.iter().next() {
            Some((bound, SendProtocol::Immediate)) => bound.saturating_add(1),
            _ => 0,
        });
        let all = ranges.iter().chain(one_piece.iter());
        let eager = all.filter(|range| range.1.may_be_eager());
        Self {
            immediate_end: immediate_ends[0].min(immediate_ends[1]),
            eager_bytes: eager.map(|range| range.0).max().unwrap_or(0),
            ranges,
            one_piece,
            in_heap,
            heap: None,
        }
    }

    /// The longest message that is sent in several packets without asking, in bytes; 0 if none
    /// is.
    pub fn eager_bytes(&self) -> usize {
        self.eager_bytes
    }

    /// Whether a message of `bytes` bytes is in the first range and immediate: what the path of
    /// a short message asks instead of the whole table.
    #[inline(always)]
    pub fn is_immediate(&self, bytes: usize) -> bool {
        bytes < self.immediate_end
    }

    /// The longest message of the first range, if that is immediate; in bytes.
    pub fn immediate_bytes(&self) -> usize {
        self.immediate_end.saturating_sub(1)
    }

    /// The protocol for a message of `bytes` bytes, wherever they lie.
    #[inline(always)]
    pub fn protocol(&self, bytes: usize) -> SendProtocol {
        self.ranges.select(bytes)
    }

    /// The protocol for a tagged message of `bytes` bytes that lie in one piece at its origin.
    #[inline(always)]
    pub fn protocol_of_one_piece(&self, bytes: usize) -> SendProtocol {
        self.one_piece.select(bytes)
    }

    /// The protocol for a tagged message.
    #[inline(always)]
    pub fn protocol_for(&self, buffer: &Buffer) -> SendProtocol {
        match buffer {
            Buffer::Contiguous { address, bytes } => match self.heap {
                Some(heap) if heap.has(address.addr()) => self.in_heap.select(*bytes),
                _ => self.protocol_of_one_piece(*bytes),
            },
            Buffer::Noncontiguous(memory) => self.protocol(memory.bytes()),
        }
    }
}

/// A row where packets have a length: what fits one is immediate, and nothing else is. Where ways are measured that
/// goes for what asking is never faster for.
fn in_packets(row: Row<SendProtocol>, packet_bytes: usize) -> [Option<Row<SendProtocol>>; 2] {
    let most = match row.algorithm {
        SendProtocol::EagerMeasured => packet_bytes.min(MEASURED_BYTES - 1),
        _ => packet_bytes,
    };
    let short = row
        .with(SendProtocol::Immediate)
        .up_to(row.up_to_bytes.min(most));
    let short = (short.from_bytes <= short.up_to_bytes).then_some(short);
    match row.algorithm {
        SendProtocol::Immediate => [short, None],
        SendProtocol::Eager | SendProtocol::EagerMeasured => [short, Some(row)],
        _ => [Some(row), None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation(ranks: usize, stores_without_fetch: bool) -> Situation {
        Situation {
            stores_without_fetch,
            ..Situation::new(ranks, true)
        }
    }

    fn protocols(rows: &[Row<SendProtocol>]) -> SendTable {
        let all = rows.iter().chain(SendProtocol::DEFAULT).copied();
        SendTable::of(all, 4080, situation(4, false))
    }

    fn listed(table: &SendTable) -> Vec<(usize, SendProtocol)> {
        table.ranges.iter().collect()
    }

    #[test]
    fn protocols_by_size() {
        let table = protocols(&[]);
        assert_eq!(table.protocol(0), SendProtocol::Immediate);
        assert_eq!(table.protocol(4080), SendProtocol::Immediate);
        assert_eq!(table.protocol(4081), SendProtocol::Eager);
        assert_eq!(table.protocol(EAGER_BYTES), SendProtocol::Eager);
        assert_eq!(table.protocol(EAGER_BYTES + 1), SendProtocol::Rendezvous);
        assert_eq!(table.eager_bytes(), EAGER_BYTES);
        assert!(table.is_immediate(0) && table.is_immediate(4080));
        assert!(!table.is_immediate(4081));
    }

    #[test]
    fn few_ranks_send_more_at_once_where_string_moves_take_lines_over() {
        for (ranks, stores_without_fetch, eager_bytes) in [
            (4, true, TAKEN_OVER_EAGER_BYTES),
            (5, true, EAGER_BYTES),
            (4, false, EAGER_BYTES),
        ] {
            let rows = SendProtocol::DEFAULT.iter().copied();
            let table = SendTable::of(rows, 4080, situation(ranks, stores_without_fetch));
            assert_eq!(table.eager_bytes(), eager_bytes);
            let measured = SendProtocol::EagerMeasured;
            assert_eq!(table.protocol_of_one_piece(eager_bytes), measured);
            assert_ne!(table.protocol_of_one_piece(eager_bytes + 1), measured);
            assert_eq!(table.protocol(EAGER_BYTES + 1), SendProtocol::Rendezvous);
        }
    }

    #[test]
    fn the_eager_limit_is_configured() {
        let longer = protocols(&[Row::new(SendProtocol::Eager).up_to(1 << 20)]);
        let expected = [
            (4080, SendProtocol::Immediate),
            (1 << 20, SendProtocol::Eager),
            (usize::MAX, SendProtocol::Rendezvous),
        ];
        assert_eq!(listed(&longer), expected);
        let shorter = protocols(&[Row::new(SendProtocol::RendezvousCopy).from(1000)]);
        let expected = [
            (999, SendProtocol::Immediate),
            (usize::MAX, SendProtocol::RendezvousCopy),
        ];
        assert_eq!(listed(&shorter), expected);
        assert!(shorter.is_immediate(999) && !shorter.is_immediate(1000));
        assert_eq!(shorter.eager_bytes(), 0);
    }

    #[test]
    fn what_does_not_fit_a_packet_is_never_immediate() {
        let table = protocols(&[Row::new(SendProtocol::Immediate)]);
        assert_eq!(table.protocol(4080), SendProtocol::Immediate);
        assert_eq!(table.protocol(4081), SendProtocol::Eager);
        let asking = protocols(&[Row::new(SendProtocol::RendezvousPackets)]);
        let line = LINE_DATA_BYTES;
        assert_eq!(asking.protocol(line), SendProtocol::Immediate);
        assert_eq!(asking.protocol(line + 1), SendProtocol::RendezvousPackets);
        assert!(asking.is_immediate(line) && !asking.is_immediate(line + 1));
    }

    #[test]
    fn what_lies_in_one_piece_is_copied_by_both_ends() {
        let table = protocols(&[]);
        let one_piece: Vec<_> = table.one_piece.iter().collect();
        let expected = [
            (4080, SendProtocol::Immediate),
            (MEASURED_BYTES - 1, SendProtocol::Eager),
            (EAGER_BYTES, SendProtocol::EagerMeasured),
            (usize::MAX, SendProtocol::RendezvousMeasured),
        ];
        assert_eq!(one_piece, expected);
        assert_eq!(table.eager_bytes(), EAGER_BYTES);
        let in_heap: Vec<_> = table.in_heap.iter().collect();
        let expected = [
            (4080, SendProtocol::Immediate),
            (usize::MAX, SendProtocol::RendezvousTogether),
        ];
        assert_eq!(in_heap, expected);
        let oversubscribed = Situation::new(4, true).oversubscribed(true);
        let oversubscribed =
            SendTable::of(SendProtocol::DEFAULT.iter().copied(), 4080, oversubscribed);
        let listed = |ranges: &Ranges<SendProtocol, MOST_RANGES>| ranges.iter().collect::<Vec<_>>();
        assert_eq!(
            listed(&oversubscribed.one_piece),
            listed(&oversubscribed.ranges)
        );
        assert_eq!(
            listed(&oversubscribed.in_heap),
            listed(&oversubscribed.ranges)
        );
        let together = protocols(&[Row::new(SendProtocol::RendezvousTogether)]);
        let line = LINE_DATA_BYTES;
        assert!(together.is_immediate(line) && !together.is_immediate(line + 1));
        assert_eq!(
            together.protocol_of_one_piece(line + 1),
            SendProtocol::RendezvousTogether
        );
        assert_eq!(together.protocol(line + 1), SendProtocol::Immediate);
    }

    #[test]
    fn rows_for_other_numbers_of_ranks_do_not_count() {
        let row = Row::new(SendProtocol::Rendezvous).ranks(5, 9);
        assert_eq!(listed(&protocols(&[row])), listed(&protocols(&[])));
    }
}
