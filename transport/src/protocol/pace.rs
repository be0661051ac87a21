//! Paces and ways: what the chooser tries for a message, by how its like follow each other.
//!
//! Before: the route leaves a message to the chooser ([`super::route`]). After: [`super::trials`] picks a way, and the
//! message goes in packets or as a request to send whose flags name the way ([`super::flags`]).
//!
//! | way | copies | where it is the fastest |
//! |---|---|---|
//! | at once | two, through the ring | between near processors; data that was rewritten since it was sent last; receives that are posted late: the packets are there, and the sender has gone on |
//! | packets | the same, asked for | long data between near processors, and between far ones up to 256 KiB of rewritten data |
//! | alone | one, by the target | between far processors, of data that was not rewritten, and that is read when it has come |
//! | together | one, half of it by each end | the same of longer data that nobody reads; many messages under way whose data was rewritten |
//!
//! | pace | ways, the usual one first |
//! |---|---|
//! | awaited | at once, alone, together |
//! | windowed | alone, at once, together |
//! | long, windowed | together, alone |
//! | long, awaited | together, packets, and below 1 MiB alone |
//!
//! The fastest way of a caller that waits is not the fastest of many messages under way, so each pace is measured apart.
//!
//! Invariant: class numbers of all paces together are below [`CLASSES`], which fits a preference's word.

use super::chooser;
use super::chooser::{RUN, WINDOWED_RUN};

/// How a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// In packets, without asking.
    AtOnce,
    /// Asked for, and copied by the target.
    Alone,
    /// Asked for, and copied by both ends.
    Together,
    /// Asked for, and sent in packets.
    Packets,
}

impl Way {
    /// Its name, in words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AtOnce => "at once",
            Self::Alone => "alone",
            Self::Together => "together",
            Self::Packets => "packets",
        }
    }
}

/// How messages follow each other, and whether they could come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// One at a time: the sender waits for each, at once or before it sends the next one.
    Awaited,
    /// Many may be under way.
    Windowed,
    /// Many of longer data may be under way, which is asked for in any case.
    LongWindowed,
    /// Longer data, one at a time.
    LongAwaited,
}

pub(crate) const PACES: [Pace; 4] = [
    Pace::Awaited,
    Pace::Windowed,
    Pace::LongWindowed,
    Pace::LongAwaited,
];

/// The most ways of a pace.
pub(crate) const WAYS: usize = 3;

/// From so many bytes on, both ends together are always faster than the target alone.
pub(crate) const NEVER_ALONE_BYTES: usize = 1 << 20;

/// Classes of all paces.
pub(crate) const CLASSES: usize = {
    let last = PACES[PACES.len() - 1];
    last.first_class() + last.classes()
};

impl Pace {
    /// The ways of its messages of a class, the usual one first.
    pub(crate) fn ways(self, class: usize) -> &'static [Way] {
        match self {
            Self::Awaited => &[Way::AtOnce, Way::Alone, Way::Together],
            // Few programs have as many messages under way as it takes to find out.
            Self::Windowed => &[Way::Alone, Way::AtOnce, Way::Together],
            Self::LongWindowed => &[Way::Together, Way::Alone],
            Self::LongAwaited if class >= self.class(NEVER_ALONE_BYTES) => {
                &[Way::Together, Way::Packets]
            }
            Self::LongAwaited => &[Way::Together, Way::Packets, Way::Alone],
        }
    }

    /// Messages of a run.
    pub(crate) fn run_messages(self) -> u32 {
        match self {
            Self::Awaited | Self::LongAwaited => RUN,
            Self::Windowed | Self::LongWindowed => WINDOWED_RUN,
        }
    }

    /// The classes of its lengths: those of the same number of binary digits, between these.
    const fn lengths(self) -> [u32; 2] {
        match self {
            Self::Awaited | Self::Windowed => [14, 18],
            Self::LongWindowed => [17, 20],
            Self::LongAwaited => [17, 23],
        }
    }

    const fn classes(self) -> usize {
        let [first, last] = self.lengths();
        (last - first + 1) as usize
    }

    /// The number of its first class.
    pub(crate) const fn first_class(self) -> usize {
        let (mut first, mut before) = (0, 0);
        while before < self as usize {
            first += PACES[before].classes();
            before += 1;
        }
        first
    }

    /// The number of the class of messages of so many bytes.
    pub(crate) fn class(self, bytes: usize) -> usize {
        self.first_class() + chooser::class(bytes, self.lengths())
    }

    /// The numbers of all its classes.
    pub(crate) fn all_classes(self) -> std::ops::Range<usize> {
        self.first_class()..self.first_class() + self.classes()
    }

    /// The pace that a class belongs to.
    pub(crate) fn of_class(class: usize) -> Option<Self> {
        PACES
            .into_iter()
            .find(|pace| pace.all_classes().contains(&class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_classes() {
        let bytes = [1, 8193, 16383, 16384, 32768, 65535, 65536, 1 << 20];
        let classes = bytes.map(|bytes| Pace::Awaited.class(bytes));
        assert_eq!(classes, [0, 0, 0, 1, 2, 2, 3, 4]);
        let first = PACES.map(|pace| pace.class(1));
        assert_eq!(first.map(Pace::of_class), PACES.map(Some));
        assert_eq!(
            first[1..]
                .iter()
                .map(|class| Pace::of_class(class - 1))
                .collect::<Vec<_>>(),
            PACES[..3]
                .iter()
                .map(|pace| Some(*pace))
                .collect::<Vec<_>>()
        );
        assert_eq!(Pace::of_class(CLASSES), None);
        const { assert!(CLASSES < 1 << crate::protocol::flags::WAY_SHIFT) };
    }

    #[test]
    fn long_data_is_never_copied_by_the_target_alone() {
        let pace = Pace::LongAwaited;
        let ways = |bytes| pace.ways(pace.class(bytes));
        assert!(!ways(NEVER_ALONE_BYTES).contains(&Way::Alone));
        assert!(ways(NEVER_ALONE_BYTES - 1).contains(&Way::Alone));
    }
}
