//! The route of a message: the one place that decides how it goes.
//!
//! ```text
//! size, place ─▶ table (ranges) ─▶ protocol ─┬─ settled by its row ───────────────────────────▶ that protocol
//!                                            └─ measured ─┬─ known by the pair's profile ─────▶ packets
//!                                                         ├─ no copies by the kernel, stripes ▶ the row without trial
//!                                                         └─ pace ─▶ chooser ─▶ way ──────────▶ its protocol
//! ```
//!
//! Before: a send that is no single packet, with the protocol of its size ([`super::table`]). After: `crate::tagged::send`
//! starts that protocol, with the flags of its request.
//!
//! A single packet has no route: it is gone before anything here is asked.
//!
//! Invariant: [`Route::of`] is a function of its arguments alone.

use super::completion::Completion;
use super::flags::{BUFFERABLE, BY_KERNEL, IN_PACKETS, TOGETHER};
use super::pace::{NEVER_ALONE_BYTES, Pace, Way};
use super::profile::{Known, PairProfile};
use super::table::SendProtocol;

/// How a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// As its row says.
    Settled(SendProtocol),
    /// In packets: the pair's profile says that nothing is faster.
    Packets(Known),
    /// As the chooser says.
    Chosen(Pace),
}

impl Route {
    /// The route of a message of `bytes` bytes whose size's protocol is `protocol`; `in_row` says whether another one that
    /// nobody waits for is under way.
    #[inline(always)]
    pub(crate) fn of(
        protocol: SendProtocol,
        (bytes, completion): (usize, Completion),
        profile: impl FnOnce() -> PairProfile,
        in_row: impl FnOnce() -> bool,
    ) -> Self {
        let Some(without_trial) = protocol.without_trial() else {
            return Self::Settled(protocol);
        };
        let is_eager = protocol == SendProtocol::EagerMeasured;
        let profile = profile();
        if !profile.kernel_copies || profile.stripes > 1 && !is_eager {
            return Self::Settled(without_trial);
        }
        let Some(pace) = pace(is_eager, bytes, completion, in_row) else {
            return Self::Settled(without_trial);
        };
        let waits = completion == Completion::Awaited || pace == Pace::Windowed;
        let known = is_eager.then(|| profile.best_in_packets(bytes, waits));
        known.flatten().map_or(Self::Chosen(pace), Self::Packets)
    }
}

/// How messages of a measured protocol follow each other; none whose way only the target's word settles, or whose way is
/// always the same.
fn pace(
    is_eager: bool,
    bytes: usize,
    completion: Completion,
    in_row: impl FnOnce() -> bool,
) -> Option<Pace> {
    match (is_eager, completion) {
        (_, Completion::Matched) => None,
        (true, Completion::Local) if in_row() => Some(Pace::Windowed),
        (true, _) => Some(Pace::Awaited),
        (false, Completion::Awaited) => Some(Pace::LongAwaited),
        (false, _) => (bytes < NEVER_ALONE_BYTES).then_some(Pace::LongWindowed),
    }
}

impl Way {
    /// The protocol that a way is, and the flag of a message that its target may take early.
    #[inline(always)]
    pub(crate) fn protocol(self, pace: Pace) -> (SendProtocol, u16) {
        let is_eager = matches!(pace, Pace::Awaited | Pace::Windowed);
        let bufferable = if is_eager { BUFFERABLE } else { 0 };
        match self {
            Self::AtOnce => (SendProtocol::Eager, 0),
            Self::Alone => (SendProtocol::RendezvousCopy, bufferable),
            Self::Together => (SendProtocol::RendezvousTogether, bufferable),
            Self::Packets => (SendProtocol::RendezvousPackets, 0),
        }
    }
}

/// What a request to send says of the way of its data; 0 leaves it to the target.
pub(crate) fn asked_for(protocol: SendProtocol) -> u16 {
    match protocol {
        SendProtocol::RendezvousTogether | SendProtocol::RendezvousMeasured => TOGETHER,
        SendProtocol::RendezvousPackets => IN_PACKETS,
        SendProtocol::RendezvousCopy => BY_KERNEL,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: PairProfile = PairProfile {
        kernel_copies: true,
        string_stores: false,
        near: true,
        exclusive_bytes: 0,
        stripes: 1,
        trusts_processor: true,
    };

    fn route(protocol: SendProtocol, bytes: usize, completion: Completion) -> Route {
        Route::of(protocol, (bytes, completion), || PAIR, || true)
    }

    #[test]
    fn a_row_that_measures_nothing_settles_the_route() {
        for protocol in [
            SendProtocol::Eager,
            SendProtocol::Rendezvous,
            SendProtocol::Striped,
        ] {
            let route = Route::of(
                protocol,
                (1 << 20, Completion::Local),
                || panic!("nobody asks for the profile"),
                || panic!("nobody asks what is under way"),
            );
            assert_eq!(route, Route::Settled(protocol));
        }
    }

    #[test]
    fn messages_have_the_pace_of_their_callers() {
        let (eager, long) = (
            SendProtocol::EagerMeasured,
            SendProtocol::RendezvousMeasured,
        );
        for (protocol, bytes, completion, expected) in [
            (
                eager,
                50_000,
                Completion::Awaited,
                Route::Chosen(Pace::Awaited),
            ),
            (
                eager,
                50_000,
                Completion::Single,
                Route::Chosen(Pace::Awaited),
            ),
            (
                eager,
                50_000,
                Completion::Local,
                Route::Chosen(Pace::Windowed),
            ),
            (
                eager,
                50_000,
                Completion::Matched,
                Route::Settled(SendProtocol::Eager),
            ),
            (
                long,
                1 << 20,
                Completion::Awaited,
                Route::Chosen(Pace::LongAwaited),
            ),
            (
                long,
                1 << 19,
                Completion::Local,
                Route::Chosen(Pace::LongWindowed),
            ),
            (
                long,
                1 << 20,
                Completion::Local,
                Route::Settled(SendProtocol::RendezvousTogether),
            ),
            (
                long,
                1 << 19,
                Completion::Matched,
                Route::Settled(SendProtocol::RendezvousTogether),
            ),
        ] {
            assert_eq!(route(protocol, bytes, completion), expected);
        }
        let lone = Route::of(eager, (50_000, Completion::Local), || PAIR, || false);
        assert_eq!(lone, Route::Chosen(Pace::Awaited));
    }

    #[test]
    fn the_profile_settles_what_it_can() {
        let refused = PairProfile {
            kernel_copies: false,
            ..PAIR
        };
        let stores = PairProfile {
            string_stores: true,
            ..PAIR
        };
        let (eager, long) = (
            SendProtocol::EagerMeasured,
            SendProtocol::RendezvousMeasured,
        );
        for (protocol, profile, expected) in [
            (eager, refused, Route::Settled(SendProtocol::Eager)),
            (
                long,
                refused,
                Route::Settled(SendProtocol::RendezvousTogether),
            ),
            (eager, stores, Route::Packets(Known::Near)),
            (long, stores, Route::Chosen(Pace::LongAwaited)),
        ] {
            let message = (1 << 17, Completion::Awaited);
            assert_eq!(Route::of(protocol, message, || profile, || false), expected);
        }
    }

    #[test]
    fn each_way_asks_for_itself() {
        let asked = |way: Way| asked_for(way.protocol(Pace::LongAwaited).0);
        assert_eq!(
            [Way::Together, Way::Packets, Way::Alone].map(asked),
            [TOGETHER, IN_PACKETS, BY_KERNEL]
        );
        assert_eq!(Way::Alone.protocol(Pace::Awaited).1, BUFFERABLE);
        assert_eq!(Way::Alone.protocol(Pace::LongAwaited).1, 0);
    }
}
