//! A program in front of the data that it describes.
//!
//! Before: an origin sends both as one message. After: the target has deserialised the program,
//! compared its reach with the memory region, and unpacks what follows by it.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use pamir_driver::memory::kernel_copy::Access;
use pamir_shm::lane::room::LaneRoom;

use crate::active::dispatch::Status;
use crate::gather_scatter::{Machine, Program, Section};
use crate::one_sided::memory_region::{MemoryRegions, is_vouched_for};
use crate::one_sided::scattered::places::are_accessible;
use crate::tagged::buffer::Noncontiguous;

/// A program's code and the data that it describes, as one message.
///
/// | state | bytes come | next |
/// |---|---|---|
/// | code | not all of it | code |
/// | code | the last of it | complete, or refused: the code is none, or reaches out of the region |
/// | complete | data | complete: it is unpacked; refused, if nobody has registered the memory, and it is not there |
/// | refused | data | refused: it is dropped |
pub(super) struct Coded {
    code: Vec<u8>,
    code_bytes: usize,
    data_bytes: usize,
    memory: Option<Section>,
    landing: Option<Landing>,
    /// Where data may only land once the kernel has said that there is memory, and who is told if
    /// there is none.
    unvouched: Option<(Machine, Rc<Cell<Status>>)>,
}

/// What a target knows before it has the code.
pub(super) struct Landing {
    pub(super) regions: Arc<MemoryRegions>,
    pub(super) key: u64,
    pub(super) address: u64,
    pub(super) status: Rc<Cell<Status>>,
}

impl Coded {
    /// At the end that has both.
    pub(super) fn complete(code: Vec<u8>, machine: Machine, data_bytes: usize) -> Self {
        Self {
            code_bytes: code.len(),
            code,
            data_bytes,
            memory: Some(Section::new(machine, 0, data_bytes)),
            landing: None,
            unvouched: None,
        }
    }

    /// At the end that gets both.
    pub(super) fn expected(code_bytes: usize, data_bytes: usize, landing: Landing) -> Self {
        Self {
            code: Vec::new(),
            code_bytes,
            data_bytes,
            memory: None,
            landing: Some(landing),
            unvouched: None,
        }
    }

    /// All of the code is there.
    fn decode(&mut self) {
        let Some(landing) = self.landing.take() else {
            return;
        };
        let Landing {
            regions,
            key,
            address,
            status,
        } = landing;
        match machine_of(&regions, &self.code, key, address, self.data_bytes) {
            Some(machine) => {
                if !is_vouched_for(key) {
                    self.unvouched = Some((machine.clone(), status));
                }
                self.memory = Some(Section::new(machine, 0, self.data_bytes));
            }
            None => status.set(Status::OutsideRegion),
        }
    }

    /// Refuses the rest, if the next `bytes` bytes of data, from `at` on, would land where no memory
    /// is.
    fn look_before_landing(&mut self, at: usize, bytes: usize) {
        if let Some((machine, status)) = &self.unvouched
            && !are_accessible(machine, at, at + bytes, Access::Write)
        {
            status.set(Status::NotMapped);
            (self.memory, self.unvouched) = (None, None);
        }
    }
}

/// The machine for `bytes` bytes of the layout that `code` describes at `address`, if all of them
/// lie in the region.
pub(super) fn machine_of(
    regions: &MemoryRegions,
    code: &[u8],
    key: u64,
    address: u64,
    bytes: usize,
) -> Option<Machine> {
    let element = Program::deserialize(code).ok()?;
    let (low, high) = element.reach(bytes)?;
    let start = address.checked_add_signed(low)?;
    if !regions.allow(key, start, high.checked_sub(low)? as u64) {
        return None;
    }
    let program = element.covering(bytes)?;
    // SAFETY: what the program reaches lies in a region, which its owner vouched for until it is
    // deregistered, and no transfer may be under way then; or the callers look before they touch it.
    Some(unsafe { Machine::new(program, address as *mut u8) })
}

impl Coded {
    /// What `bytes` message bytes from `at` on are made of: the piece of the code, and where the rest,
    /// if there is any, begins in the memory.
    fn parts(&mut self, at: usize, bytes: usize) -> (&[u8], Option<(&mut Section, usize)>) {
        let code = self.code.get(at..).unwrap_or(&[]);
        let code = &code[..code.len().min(bytes)];
        let has_rest = code.len() < bytes;
        let memory = self.memory.as_mut().filter(|_| has_rest);
        let behind = (at + code.len()).saturating_sub(self.code_bytes);
        (code, memory.map(|memory| (memory, behind)))
    }
}

impl Noncontiguous for Coded {
    fn bytes(&self) -> usize {
        self.code_bytes + self.data_bytes
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        let (code, memory) = self.parts(at, bytes);
        // SAFETY: the caller gives room for the bytes, of which these are the first.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), target, code.len()) };
        if let Some((memory, at)) = memory {
            let target = target.wrapping_add(code.len());
            // SAFETY: as above, for the rest.
            unsafe { memory.pack(at, target, bytes - code.len()) };
        }
    }

    unsafe fn pack_into_lane(&mut self, at: usize, room: LaneRoom<'_>, bytes: usize) {
        let (code, memory) = self.parts(at, bytes);
        // SAFETY: the caller gives room for the bytes, of which these are the first.
        unsafe { room.write(code.as_ptr(), code.len()) };
        if let Some((memory, at)) = memory {
            // SAFETY: as above, for the rest.
            unsafe { memory.pack_into_lane(at, room.behind(code.len()), bytes - code.len()) };
        }
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        let missing = self.code_bytes - self.code.len();
        let to_code = missing.min(bytes);
        if to_code != 0 {
            self.code.reserve(to_code);
            let old = self.code.len();
            // SAFETY: the vector has the room, and the caller vouches for the source.
            unsafe {
                std::ptr::copy_nonoverlapping(source, self.code.as_mut_ptr().add(old), to_code);
                self.code.set_len(old + to_code);
            }
            if missing == to_code {
                self.decode();
            }
        }
        if to_code == bytes {
            return;
        }
        let at = at + to_code - self.code_bytes;
        self.look_before_landing(at, bytes - to_code);
        if let Some(memory) = &mut self.memory {
            // SAFETY: as the caller vouches; decoding has seen where the data goes.
            unsafe { memory.unpack(at, source.wrapping_add(to_code), bytes - to_code) };
        }
    }
}
