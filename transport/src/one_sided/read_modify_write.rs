//! Read-modify-write: one integer in another task's memory, changed at one stroke.
//!
//! Before: [`Context::read_modify_write`] with a memory region of the target. After: the target
//! has done it, with its processor's atomic instructions, when it advanced; the completion gets
//! the integer as it was before.
//!
//! ```text
//! REQUEST │ key │ address │ what │ value │ compared │ operation │      ANSWER │ operation │ before │
//! what: bits 0..8 modification, 8..16 bytes of the integer, 16 whether it is compared first
//! ```

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use pamir_driver::memory::kernel_copy::Access;

use crate::active::dispatch::{Arrival, Status};
use crate::active::send::ActiveMessage;
use crate::active::state::transfer;
use crate::active::state::transfer::Asked;
use crate::active::{ActiveError, Operation, Receive, TransferError};
use crate::context::Context;
use crate::context::endpoint::Endpoint;
use crate::one_sided::memory_region::{MemoryRegion, words};

/// Dispatch id of a request.
pub(crate) const REQUEST: u16 = u16::MAX - 4;

/// Dispatch id of an answer.
pub(crate) const ANSWER: u16 = u16::MAX - 5;

const COMPARED: u64 = 1 << 16;

/// What becomes of the integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modification {
    /// It stays: it is only read.
    Nothing,
    /// The value replaces it.
    Set,
    /// The value is added, without regard to overflow.
    Add,
    /// The value's bits are set.
    Or,
    /// Bits that the value has not are cleared.
    And,
    /// The value's bits are inverted.
    Xor,
}

impl Modification {
    const ALL: [Self; 6] = [
        Self::Nothing,
        Self::Set,
        Self::Add,
        Self::Or,
        Self::And,
        Self::Xor,
    ];

    fn field(self) -> u64 {
        self as u64
    }

    fn from_field(field: u64) -> Option<Self> {
        Self::ALL.get(field as usize).copied()
    }

    /// What it needs of the memory.
    fn access(self) -> Access {
        match self {
            Self::Nothing => Access::Read,
            _ => Access::Write,
        }
    }

    fn applied(self, before: u64, value: u64) -> u64 {
        match self {
            Self::Nothing => before,
            Self::Set => value,
            Self::Add => before.wrapping_add(value),
            Self::Or => before | value,
            Self::And => before & value,
            Self::Xor => before ^ value,
        }
    }
}

/// How long the integer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits.
    Four,
    /// 64 bits.
    Eight,
}

impl Width {
    fn bytes(self) -> u64 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    fn from_bytes(bytes: u64) -> Option<Self> {
        match bytes {
            4 => Some(Self::Four),
            8 => Some(Self::Eight),
            _ => None,
        }
    }
}

/// Is given the integer as it was before.
pub type Answer = transfer::Answer<Context>;

/// An instruction to read, modify and write.
pub struct ReadModifyWrite {
    /// Whose memory it is.
    pub to: Endpoint,
    /// A region that it has registered.
    pub region: MemoryRegion,
    /// Where in the region the integer is, in bytes.
    pub offset: usize,
    /// How long it is.
    pub width: Width,
    /// The integer must be this, or nothing is done.
    pub compared: Option<u64>,
    /// What becomes of it.
    pub modification: Modification,
    /// With what.
    pub value: u64,
    /// Called when it is done.
    pub done: Option<Answer>,
}

impl std::fmt::Debug for ReadModifyWrite {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("ReadModifyWrite");
        text.field("to", &self.to)
            .field("offset", &self.offset)
            .field("modification", &self.modification)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// Reads an integer of another task and modifies it, as one atomic step among all those of
    /// that task's contexts and threads.
    pub fn read_modify_write(&self, instruction: ReadModifyWrite) -> Result<(), ActiveError> {
        let target = self.target_of(instruction.to)?;
        let bytes = instruction.width.bytes();
        let place = instruction
            .region
            .place(instruction.offset, bytes as usize)
            .filter(|address| address % bytes == 0);
        let Some(address) = place else {
            if let Some(done) = instruction.done {
                done(self, Err(TransferError::OutsideRegion));
            }
            return Ok(());
        };
        let done = instruction.done;
        let word = self
            .active
            .operations
            .start(Operation::ReadModifyWrite(Asked { target, done }));
        let compared = instruction.compared.map_or(0, |_| COMPARED);
        let what = instruction.modification.field() | bytes << 8 | compared;
        let test = instruction.compared.unwrap_or(0);
        let value = instruction.value;
        let header = [instruction.region.key, address, what, value, test, word];
        let header = header.map(u64::to_ne_bytes);
        let message = ActiveMessage {
            to: instruction.to,
            dispatch: REQUEST,
            header: header.as_flattened(),
            local: None,
            remote: Some(Box::new(move |context, how| {
                if let Err(error) = how {
                    context.end_read_modify_write(word, Err(error));
                }
            })),
        };
        self.count_message(target, bytes as usize);
        self.start_header(target, message)?;
        Ok(())
    }

    fn end_read_modify_write(&self, word: u64, outcome: Result<u64, TransferError>) {
        if let Some(Operation::ReadModifyWrite(asked)) = self.active.operations.take(word)
            && let Some(done) = asked.done
        {
            done(self, outcome);
        }
    }
}

/// Does what another task asks for.
pub(crate) fn answer(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [key, address, what, value, test, word] = words(arrival.header);
    let (width, modification) = (
        Width::from_bytes(what >> 8 & 0xFF),
        Modification::from_field(what & 0xFF),
    );
    let (Some(width), Some(modification)) = (width, modification) else {
        return Receive::refused(Status::OutsideRegion);
    };
    if address % width.bytes() != 0 {
        return Receive::refused(Status::OutsideRegion);
    }
    let access = modification.access();
    if let Err(status) = (context.one_sided.regions).check(key, address, width.bytes(), access) {
        return Receive::refused(status);
    }
    let compared = (what & COMPARED != 0).then_some(test);
    // SAFETY: the integer lies in a region, which its owner vouched for, or where the kernel has
    // just found memory, and is aligned.
    let before = unsafe { apply(address as *mut u8, width, modification, value, compared) };
    let header = [word, before].map(u64::to_ne_bytes);
    let message = ActiveMessage {
        to: arrival.origin,
        dispatch: ANSWER,
        header: header.as_flattened(),
        local: None,
        remote: None,
    };
    let target = context.place.unit(arrival.origin, context.unit.ranks());
    let target = target.expect("an arrival's origin is an endpoint of the client");
    match context.start_header(target, message) {
        Ok(()) => Receive::nowhere(),
        // The next advance meets the error again, and tells.
        Err(_) => Receive::refused(Status::NoHandler),
    }
}

/// Takes the answer.
pub(crate) fn answered(context: &Context, arrival: Arrival<'_>) -> Receive {
    let [word, before] = words(arrival.header);
    let origin = context.place.unit(arrival.origin, context.unit.ranks());
    let own = context.active.operations.with(
        word,
        |operation| matches!(operation, Operation::ReadModifyWrite(asked) if Some(asked.target) == origin),
    );
    if own == Some(true) {
        context.end_read_modify_write(word, Ok(before));
    }
    Receive::nowhere()
}

/// Modifies an integer; what it was before.
///
/// # Safety
///
/// `address` is aligned for the width, readable, and writable unless it is only read; other threads
/// that use it use atomic instructions.
unsafe fn apply(
    address: *mut u8,
    width: Width,
    modification: Modification,
    value: u64,
    compared: Option<u64>,
) -> u64 {
    let matches = |before: u64, test: u64| before == test;
    match width {
        Width::Four => {
            // SAFETY: the caller vouches for the address.
            let integer = unsafe { AtomicU32::from_ptr(address.cast()) };
            // What is only read need not be writable.
            if modification == Modification::Nothing {
                return integer.load(Ordering::SeqCst).into();
            }
            let change = |before: u32| {
                let hit = compared.is_none_or(|test| matches(before.into(), test as u32 as u64));
                hit.then(|| modification.applied(before.into(), value) as u32)
            };
            let outcome = integer.fetch_update(Ordering::SeqCst, Ordering::SeqCst, change);
            outcome.unwrap_or_else(|before| before).into()
        }
        Width::Eight => {
            // SAFETY: the caller vouches for the address.
            let integer = unsafe { AtomicU64::from_ptr(address.cast()) };
            if modification == Modification::Nothing {
                return integer.load(Ordering::SeqCst);
            }
            let change = |before: u64| {
                let hit = compared.is_none_or(|test| matches(before, test));
                hit.then(|| modification.applied(before, value))
            };
            let outcome = integer.fetch_update(Ordering::SeqCst, Ordering::SeqCst, change);
            outcome.unwrap_or_else(|before| before)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_modification_of_both_widths() {
        use Modification::{Add, And, Nothing, Or, Set, Xor};
        for (modification, after) in [
            (Nothing, 0b1100),
            (Set, 0b1010),
            (Add, 0b1_0110),
            (Or, 0b1110),
            (And, 0b1000),
            (Xor, 0b0110),
        ] {
            assert_eq!(
                Modification::from_field(modification.field()),
                Some(modification)
            );
            for (compared, expected) in [(None, after), (Some(0b1100), after), (Some(1), 0b1100)] {
                let (mut short, mut long) = (0b1100_u32, 0b1100_u64);
                let (four, eight) = ((&raw mut short).cast(), (&raw mut long).cast());
                // SAFETY: both integers are aligned and nobody else's.
                let before = unsafe {
                    [
                        apply(four, Width::Four, modification, 0b1010, compared),
                        apply(eight, Width::Eight, modification, 0b1010, compared),
                    ]
                };
                assert_eq!(
                    (before, short, long),
                    ([0b1100; 2], expected as u32, expected)
                );
            }
        }
        assert_eq!(Modification::from_field(6), None);
    }

    #[test]
    fn a_short_integer_wraps_at_its_end() {
        let mut short = u32::MAX;
        let address = (&raw mut short).cast();
        // SAFETY: the integer is aligned and nobody else's.
        let before = unsafe { apply(address, Width::Four, Modification::Add, 2, None) };
        assert_eq!((before, short), (u32::MAX.into(), 1));
        let sign_extended = Some(u64::MAX - u64::from(u32::MAX) + 1);
        // SAFETY: as above. What is compared is as long as the integer.
        unsafe { apply(address, Width::Four, Modification::Set, 9, sign_extended) };
        assert_eq!(short, 9);
    }
}
