//! A machine whose bytes are asked for, or arrive, in any order.
//!
//! ```text
//!   arrived      ░░░░A░░░░ ████B████ ░░░░C░░░░ ████D████
//!   machine      dummy     real      dummy     real
//!   kept states  ▲ 0                 ▲ A+B
//! ```
//!
//! Where the machine jumps over a gap, the state before the gap is kept, so that it goes on
//! from there when the gap's bytes come after all; any other place is found by the
//! dummy machine. Bytes in order cost one comparison.
//!
//! Step before: the transport asks for message bytes at an offset ([`Noncontiguous`]). Step
//! after: [`crate::gather_scatter::machine`].
//!
//! Invariants: at most [`KEPT`] states are kept, the latest; all are of the machine's program.
//!
//! Source: striping, states cached at the gaps of a message that comes out of order.

use pamir_shm::lane::room::LaneRoom;

use crate::gather_scatter::machine::{Machine, State};
use crate::tagged::buffer::Noncontiguous;

/// States kept at gaps.
pub const KEPT: usize = 8;

/// How the machine got to an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It was there.
    Stayed,
    /// A kept state was there.
    Kept,
    /// The dummy machine ran.
    Dummy,
}

/// A machine with the states it left at gaps; see the module.
#[derive(Clone, Debug)]
pub struct RandomAccess {
    machine: Machine,
    gaps: Vec<State>,
}

impl RandomAccess {
    /// At the machine's place, without a gap.
    pub fn new(machine: Machine) -> Self {
        Self {
            machine,
            gaps: Vec::new(),
        }
    }

    /// Goes to a packed offset; beyond the end it stays at the end.
    #[inline]
    pub fn go_to(&mut self, offset: usize) -> Way {
        if offset == self.machine.offset() {
            return Way::Stayed;
        }
        self.jump(offset)
    }

    #[cold]
    fn jump(&mut self, offset: usize) -> Way {
        let place = self.machine.offset();
        if place < self.machine.total() && self.gaps.iter().all(|gap| gap.offset != place) {
            if self.gaps.len() == KEPT {
                self.gaps.remove(0);
            }
            self.gaps.push(self.machine.state.clone());
        }
        match self.gaps.iter().position(|gap| gap.offset == offset) {
            Some(index) => {
                self.machine.state = self.gaps.remove(index);
                Way::Kept
            }
            None => {
                self.machine.seek(offset);
                Way::Dummy
            }
        }
    }

    /// The packed offsets of the kept states.
    pub fn gaps(&self) -> impl Iterator<Item = usize> {
        self.gaps.iter().map(State::offset)
    }
}

impl Noncontiguous for RandomAccess {
    fn bytes(&self) -> usize {
        self.machine.total()
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        self.go_to(at);
        // SAFETY: the caller gives room for the bytes, outside of the described memory.
        unsafe { self.machine.pack_to(target, bytes) };
    }

    unsafe fn pack_into_lane(&mut self, at: usize, room: LaneRoom<'_>, bytes: usize) {
        self.go_to(at);
        // SAFETY: as above.
        unsafe { self.machine.pack_into_lane(room, bytes) };
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        self.go_to(at);
        // SAFETY: the caller vouches for the source, which is not the described memory.
        unsafe { self.machine.unpack_from(source, bytes) };
    }

    fn packet_exponent(&self) -> Option<u8> {
        self.machine.program.packet_exponent()
    }

    fn fork(&self) -> Option<Box<dyn Noncontiguous + Send>> {
        let machine = Machine {
            state: State::default(),
            ..self.machine.clone()
        };
        Some(Box::new(Self::new(machine)))
    }
}
