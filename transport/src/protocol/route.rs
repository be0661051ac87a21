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
    /// Without a trial.
    Settled(SendProtocol, Reason),
    /// In packets: the pair's profile says that nothing is faster.
    Packets(Known),
    /// As the chooser says.
    Chosen(Pace),
}

/// Why no trial decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The row names one protocol.
    Row,
    /// The sender waits for the target's word, and asks it in any case.
    Synchronous,
    /// The kernel copies nothing between the two tasks.
    NoKernelCopies,
    /// Workers move the message in stripes.
    Stripes,
    /// One way is always the fastest.
    OneWay,
}

impl Reason {
    /// The reason, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Row => "the row names one protocol",
            Self::Synchronous => "the target says when it receives",
            Self::NoKernelCopies => "no trial: the kernel does not copy between the two",
            Self::Stripes => "no trial: workers move it in stripes",
            Self::OneWay => "no trial: one way is always the fastest here",
        }
    }
}

impl Route {
    /// The route of a message of `bytes` bytes whose size's protocol is `protocol`. Two things change with every
    /// message, and are asked last: how much this end's exclusive buffer holds, and whether another message that
    /// nobody waits for is under way.
    #[inline(always)]
    pub(crate) fn of(
        protocol: SendProtocol,
        (bytes, completion): (usize, Completion),
        profile: impl FnOnce() -> PairProfile,
        exclusive_bytes: impl FnOnce() -> usize,
        in_row: impl FnOnce() -> bool,
    ) -> Self {
        if completion == Completion::Matched {
            let protocol = protocol.without_trial().unwrap_or(protocol);
            return Self::Settled(protocol, Reason::Synchronous);
        }
        let Some(without_trial) = protocol.without_trial() else {
            return Self::Settled(protocol, Reason::Row);
        };
        let is_eager = protocol == SendProtocol::EagerMeasured;
        let profile = profile();
        if !profile.kernel_copies {
            return Self::Settled(without_trial, Reason::NoKernelCopies);
        }
        if profile.stripes > 1 && !is_eager {
            return Self::Settled(without_trial, Reason::Stripes);
        }
        let Some(pace) = pace(is_eager, bytes, completion, in_row) else {
            return Self::Settled(without_trial, Reason::OneWay);
        };
        let waits = completion == Completion::Awaited || pace == Pace::Windowed;
        let known = is_eager.then(|| profile.best_in_packets(bytes, waits, exclusive_bytes));
        known.flatten().map_or(Self::Chosen(pace), Self::Packets)
    }
}

/// How messages of a measured protocol follow each other; none whose way is always the same.
fn pace(
    is_eager: bool,
    bytes: usize,
    completion: Completion,
    in_row: impl FnOnce() -> bool,
) -> Option<Pace> {
    match (is_eager, completion) {
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
        SendProtocol::RendezvousTogether => TOGETHER,
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
        stripes: 1,
        trusts_processor: true,
    };

    fn route(protocol: SendProtocol, bytes: usize, completion: Completion) -> Route {
        Route::of(protocol, (bytes, completion), || PAIR, || 0, || true)
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
                || panic!("nobody asks for the exclusive buffer"),
                || panic!("nobody asks what is under way"),
            );
            assert_eq!(route, Route::Settled(protocol, Reason::Row));
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
                Route::Settled(SendProtocol::Eager, Reason::Synchronous),
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
                Route::Settled(SendProtocol::RendezvousTogether, Reason::OneWay),
            ),
            (
                long,
                1 << 19,
                Completion::Matched,
                Route::Settled(SendProtocol::RendezvousTogether, Reason::Synchronous),
            ),
        ] {
            assert_eq!(route(protocol, bytes, completion), expected);
        }
        let lone = Route::of(eager, (50_000, Completion::Local), || PAIR, || 0, || false);
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
        let striped = PairProfile { stripes: 2, ..PAIR };
        let (eager, long) = (
            SendProtocol::EagerMeasured,
            SendProtocol::RendezvousMeasured,
        );
        for (protocol, profile, expected) in [
            (
                eager,
                refused,
                Route::Settled(SendProtocol::Eager, Reason::NoKernelCopies),
            ),
            (
                long,
                refused,
                Route::Settled(SendProtocol::RendezvousTogether, Reason::NoKernelCopies),
            ),
            (eager, striped, Route::Chosen(Pace::Awaited)),
            (
                long,
                striped,
                Route::Settled(SendProtocol::RendezvousTogether, Reason::Stripes),
            ),
            (eager, stores, Route::Packets(Known::Near)),
            (long, stores, Route::Chosen(Pace::LongAwaited)),
        ] {
            let message = (1 << 17, Completion::Awaited);
            let route = Route::of(protocol, message, || profile, || 0, || false);
            assert_eq!(route, expected);
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
