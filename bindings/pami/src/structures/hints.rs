//! Hints of a dispatch id, two bits each.
//!
//! Before: `PAMI_Dispatch_set`. After: the receiver and the sends of that dispatch id follow them.

/// `pami_hint_t`, as two bits of a word of hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The library chooses.
    Default,
    /// It must be so.
    Enable,
    /// It must not be so.
    Disable,
    /// No hint.
    Invalid,
}

/// `pami_dispatch_hint_t`: two bits a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct DispatchHints(pub u32);

impl DispatchHints {
    const ALL: [Hint; 4] = [Hint::Default, Hint::Enable, Hint::Disable, Hint::Invalid];

    fn at(self, index: u32) -> Hint {
        Self::ALL[(self.0 >> (2 * index) & 3) as usize]
    }

    /// Whether one of the eleven hints is none.
    pub fn has_invalid(self) -> bool {
        (0..11).any(|index| self.at(index) == Hint::Invalid)
    }

    /// Headers that do not fit one packet.
    pub fn long_header(self) -> Hint {
        self.at(1)
    }

    /// Receives without a type.
    pub fn recv_contiguous(self) -> Hint {
        self.at(2)
    }

    /// Receives without a data function.
    pub fn recv_copy(self) -> Hint {
        self.at(3)
    }

    /// The dispatch function gets header and data whole.
    pub fn recv_immediate(self) -> Hint {
        self.at(4)
    }

    /// Messages are dispatched in the order in which they were sent.
    pub fn consistency(self) -> Hint {
        self.at(5)
    }

    /// An immediate message that finds no room waits.
    pub fn queue_immediate(self) -> Hint {
        self.at(10)
    }
}
