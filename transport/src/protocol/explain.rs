//! Why a message went the way it went: the routes of one task's sends, counted, in words.
//!
//! Before: [`super::route`] has decided, and `PAMIR_EXPLAIN_SENDS` is on or `pamir explain-send` asks. After: a reader.
//!
//! ```text
//! to rank 1, 65536 bytes, the sender waits: 1000 messages
//!   row      eager_measured
//!   profile  the kernel copies; near; has its core; string stores fetch lines; exclusive buffer of 131072 bytes; no stripes
//!   why      trial of at once, alone, together: at once is the fastest so far
//!   went     eager 990, rendezvous_copy 10
//! ```
//!
//! Invariant: the words come from the same [`Route`] that sent the message; nothing is worked out again here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::completion::Completion;
use super::pace::{Pace, Way};
use super::profile::PairProfile;
use super::route::Route;
use super::table::SendProtocol;
use crate::selection::Choice;

/// Messages of about one length to one target, whose callers wait in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Like {
    target: usize,
    digits: u32,
    completion: Completion,
}

/// Such messages: the last one, and how many went by each protocol.
#[derive(Debug)]
struct Sends {
    last: Decided,
    went: BTreeMap<&'static str, u64>,
}

/// A message, as its route was decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided {
    pub(crate) target: usize,
    pub(crate) bytes: usize,
    pub(crate) completion: Completion,
    pub(crate) row: SendProtocol,
    pub(crate) route: Route,
    pub(crate) profile: PairProfile,
    /// What the exclusive buffer holds that is this end's; 0 if none is.
    pub(crate) exclusive_bytes: usize,
    pub(crate) protocol: SendProtocol,
    /// In how many stripes its target is asked to take it; 1 for the whole.
    pub(crate) stripes: usize,
    /// It lies in one piece at its origin.
    pub(crate) in_one_piece: bool,
    /// Other ranks share this one's processor.
    pub(crate) shares_core: bool,
}

impl Decided {
    /// The protocol that moved it: stripes come before what the row says, and what the kernel cannot copy goes in packets.
    fn went(&self) -> SendProtocol {
        use SendProtocol::{Rendezvous, RendezvousPackets, Striped};
        match self.protocol {
            protocol if !protocol.asks() => protocol,
            _ if self.stripes > 1 => Striped,
            _ if !self.profile.kernel_copies || !self.in_one_piece => RendezvousPackets,
            Striped => Rendezvous,
            protocol => protocol,
        }
    }
}

/// The routes of one task's sends of several packets.
#[derive(Debug, Default)]
pub(crate) struct SendLog(RefCell<BTreeMap<Like, Sends>>);

impl SendLog {
    /// A message goes so.
    pub(crate) fn note(&self, message: Decided) {
        let like = Like {
            target: message.target,
            digits: usize::BITS - message.bytes.leading_zeros(),
            completion: message.completion,
        };
        let mut log = self.0.borrow_mut();
        let sends = log.entry(like).or_insert_with(|| Sends {
            last: message,
            went: BTreeMap::new(),
        });
        sends.last = message;
        *sends.went.entry(message.went().name()).or_default() += 1;
    }

    /// The explanation; `learned` is the fastest way of a pace so far, and whether others have been tried.
    pub(crate) fn text(&self, learned: impl Fn(usize, Pace, usize) -> (Way, bool)) -> String {
        let mut text = String::new();
        for Sends { last, went } in self.0.borrow().values() {
            let why = match last.route {
                Route::Chosen(pace) => {
                    chosen(pace, last.bytes, learned(last.target, pace, last.bytes))
                }
                Route::Packets(known) => format!("packets: {}", known.reason()),
                Route::Settled(_, reason) => reason.words().to_owned(),
            };
            let counts: Vec<_> = went
                .iter()
                .map(|(name, count)| format!("{name} {count}"))
                .collect();
            let _ = write!(
                text,
                "to rank {}, {} bytes, {}: {} messages\n  row      {}\n  profile  {}\n  why      {why}\n  went     {}\n",
                last.target,
                last.bytes,
                waiting(last.completion),
                went.values().sum::<u64>(),
                last.row.name(),
                facts(last),
                counts.join(", "),
            );
        }
        text
    }
}

fn waiting(completion: Completion) -> &'static str {
    match completion {
        Completion::Local => "the sender goes on",
        Completion::Single => "a part of an operation in the background",
        Completion::Awaited => "the sender waits",
        Completion::Matched => "synchronous mode",
    }
}

fn facts(
    Decided {
        profile,
        exclusive_bytes,
        stripes,
        shares_core,
        ..
    }: &Decided,
) -> String {
    let word = |is: bool, yes: &'static str, no: &'static str| if is { yes } else { no };
    let buffer = match exclusive_bytes {
        0 => "no exclusive buffer is this end's".to_owned(),
        bytes => format!("exclusive buffer of {bytes} bytes"),
    };
    let stripes = match stripes {
        1 => "no stripes".to_owned(),
        stripes => format!("{stripes} stripes"),
    };
    format!(
        "{}; {}; {}; string stores {}; {buffer}; {stripes}",
        word(
            profile.kernel_copies,
            "the kernel copies",
            "no copies by the kernel"
        ),
        word(profile.near, "near", "far"),
        word(*shares_core, "shares its core", "has its core"),
        word(profile.string_stores, "fetch no lines", "fetch lines"),
    )
}

fn chosen(pace: Pace, bytes: usize, (way, has_tried): (Way, bool)) -> String {
    let ways: Vec<_> = pace
        .ways(pace.class(bytes))
        .iter()
        .map(|way| way.name())
        .collect();
    let tried = if has_tried {
        "is the fastest so far"
    } else {
        "comes first; trials have not begun"
    };
    format!("trial of {}: {} {tried}", ways.join(", "), way.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::route::Reason;

    fn decided(row: SendProtocol, bytes: usize, route: Route, protocol: SendProtocol) -> Decided {
        let profile = PairProfile {
            kernel_copies: true,
            string_stores: false,
            near: true,
            stripes: 1,
            trusts_processor: true,
        };
        Decided {
            target: 1,
            bytes,
            completion: Completion::Awaited,
            row,
            route,
            profile,
            exclusive_bytes: 131_072,
            protocol,
            stripes: 1,
            in_one_piece: true,
            shares_core: false,
        }
    }

    #[test]
    fn sends_of_about_one_length_are_one_entry() {
        let log = SendLog::default();
        let row = SendProtocol::EagerMeasured;
        let route = Route::Chosen(Pace::Awaited);
        log.note(decided(row, 65_000, route, SendProtocol::Eager));
        log.note(decided(row, 65_001, route, SendProtocol::RendezvousCopy));
        let row = SendProtocol::Rendezvous;
        log.note(decided(row, 1 << 20, Route::Settled(row, Reason::Row), row));
        let text = log.text(|_, _, _| (Way::Alone, true));
        let expected = "\
to rank 1, 65001 bytes, the sender waits: 2 messages
  row      eager_measured
  profile  the kernel copies; near; has its core; string stores fetch lines; exclusive buffer of 131072 bytes; no stripes
  why      trial of at once, alone, together: alone is the fastest so far
  went     eager 1, rendezvous_copy 1
to rank 1, 1048576 bytes, the sender waits: 1 messages
  row      rendezvous
  profile  the kernel copies; near; has its core; string stores fetch lines; exclusive buffer of 131072 bytes; no stripes
  why      the row names one protocol
  went     rendezvous 1
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_protocol_that_cannot_be_is_told_by_what_went() {
        let went = |protocol, kernel_copies, stripes, in_one_piece| {
            let route = Route::Settled(protocol, Reason::Row);
            let mut message = decided(protocol, 1 << 20, route, protocol);
            message.profile.kernel_copies = kernel_copies;
            (message.stripes, message.in_one_piece) = (stripes, in_one_piece);
            message.went().name()
        };
        let (together, striped) = (SendProtocol::RendezvousTogether, SendProtocol::Striped);
        assert_eq!(went(together, true, 1, true), together.name());
        assert_eq!(went(together, false, 1, true), "rendezvous_packets");
        assert_eq!(went(together, true, 2, true), "striped");
        let copy = SendProtocol::RendezvousCopy;
        assert_eq!(went(copy, true, 1, false), "rendezvous_packets");
        assert_eq!(went(striped, true, 2, true), "striped");
        assert_eq!(went(striped, false, 2, false), "striped");
        assert_eq!(went(striped, true, 1, true), "rendezvous");
        for at_once in [SendProtocol::Immediate, SendProtocol::Eager] {
            assert_eq!(went(at_once, false, 1, true), at_once.name());
        }
    }
}
