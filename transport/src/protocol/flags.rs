//! What a message's first packet, or its request to send, says beside its envelope: bits of the `auxiliary` number.
//!
//! Before: the origin has chosen a way ([`super::route`]). After: the target reads the bits when it matches the
//! message ([`crate::tagged::receive::arrival`]), and answers a timed one with a `PREFERENCE` ([`super::trials`]).
//!
//! ```text
//! first packet, request to send:
//!  15 .. 9  8            7 .. 6   5       4          3            2           1            0
//! ┌────────┬────────────┬────────┬───────┬──────────┬────────────┬───────────┬────────────┬──────────────┐
//! │ pace   │ BUFFERABLE │ run    │ TIMED │ TOGETHER │ IN_STRIPES │ BY_KERNEL │ IN_PACKETS │ IN_ONE_PIECE │
//! └────────┴────────────┴────────┴───────┴──────────┴────────────┴───────────┴────────────┴──────────────┘
//! preference:
//!  15      14 .. 8   7 .. 0
//! ┌───────┬─────────┬────────┐
//! │ AGAIN │ way     │ class  │
//! └───────┴─────────┴────────┘
//! ```
//!
//! Invariant: no two fields of a word share a bit.

/// In a `REQUEST_TO_SEND`: the data lies in one piece, at the address given.
pub(crate) const IN_ONE_PIECE: u16 = 1;

/// In a `REQUEST_TO_SEND`: the data shall come in packets.
pub(crate) const IN_PACKETS: u16 = 1 << 1;

/// In a `REQUEST_TO_SEND`: the target shall copy through the kernel, if it can.
pub(crate) const BY_KERNEL: u16 = 1 << 2;

/// In a `REQUEST_TO_SEND`: the data may come in stripes, as its fourth word says.
pub(crate) const IN_STRIPES: u16 = 1 << 3;

/// In a `REQUEST_TO_SEND`: both ends shall copy through the kernel, if they can.
pub(crate) const TOGETHER: u16 = 1 << 4;

/// In an `EAGER`, an `EAGER_LONG` or a `REQUEST_TO_SEND`: the target shall time the run that it is part of.
pub(crate) const TIMED: u16 = 1 << 5;

/// In the same: where the number of that run begins,
pub(crate) const RUN_SHIFT: u32 = 6;

/// and how many numbers there are; they begin again.
pub(crate) const RUN_NUMBERS: u8 = 4;

/// In a `REQUEST_TO_SEND`: the message could have come at once, so its target takes the data before a receive
/// asks for it: two tasks that send to each other before they receive go on.
pub(crate) const BUFFERABLE: u16 = 1 << 8;

/// In a timed one: where the number of its pace begins.
pub(crate) const PACE_SHIFT: u32 = 9;

/// In a `PREFERENCE`: where the number of the way begins, above the class.
pub(crate) const WAY_SHIFT: u32 = 8;

/// In a `PREFERENCE`: all ways are to be tried again.
pub(crate) const AGAIN: u16 = 1 << 15;

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails if two of the fields share a bit.
    fn apart(fields: &[u16]) {
        let both = fields.iter().fold(0_u16, |taken, field| {
            assert_eq!(taken & field, 0, "{field:#x} is taken: {taken:#x}");
            taken | field
        });
        assert_eq!(both, u16::MAX, "no bit is left unnamed");
    }

    #[test]
    fn no_two_fields_of_a_word_share_a_bit() {
        let run = u16::from(RUN_NUMBERS - 1) << RUN_SHIFT;
        let pace = u16::MAX << PACE_SHIFT;
        apart(&[
            IN_ONE_PIECE,
            IN_PACKETS,
            BY_KERNEL,
            IN_STRIPES,
            TOGETHER,
            TIMED,
            run,
            BUFFERABLE,
            pace,
        ]);
        let class = (1 << WAY_SHIFT) - 1;
        let way = (AGAIN - 1) & !class;
        apart(&[class, way, AGAIN]);
    }
}
