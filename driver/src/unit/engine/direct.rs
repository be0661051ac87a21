//! Direct puts and remote gets: bytes that go straight from memory to memory.
//!
//! Before: the engine has come to a descriptor whose bytes are not to travel as packets. After:
//! the kernel has copied them between the two processes, and the target has a packet that says
//! so, if the descriptor asks for one; or the owner is told that the kernel refused.

use crate::injection::counter::CounterId;
use crate::injection::descriptor::{Descriptor, Operation};
use crate::memory::kernel_copy::{self, KernelCopyError};
use crate::unit::target::{Target, reserve};
use crate::unit::{MessagingUnit, Owner, UnitError};

impl<O: Owner> MessagingUnit<O> {
    pub(in crate::unit) fn copy_direct(
        &self,
        owner: &O,
        to: &Target,
        descriptor: &mut Descriptor,
    ) -> Result<bool, UnitError> {
        if !descriptor.is_done() {
            if let Err(error) = self.kernel_copy(descriptor) {
                if let Some(counter) = CounterId::from_field(descriptor.counter) {
                    self.counters.release(counter);
                }
                owner.refused(descriptor, error);
                (descriptor.cookie, descriptor.counter) = (0, 0);
                return Ok(true);
            }
            descriptor.injected = descriptor.bytes;
        }
        if descriptor.notify == 0 {
            return Ok(true);
        }
        let target = descriptor.target as usize;
        let Some(reserved) = reserve(to, target, 24)? else {
            return Ok(false);
        };
        to.lane.write_word(&reserved, 0, descriptor.metadata);
        to.lane.write_word(&reserved, 8, descriptor.remote);
        to.lane.write_word(&reserved, 16, descriptor.bytes);
        let (kind, auxiliary) = (descriptor.notify, descriptor.auxiliary);
        self.commit(target, reserved, kind, auxiliary, 24);
        Ok(true)
    }

    fn kernel_copy(&self, descriptor: &Descriptor) -> Result<(), KernelCopyError> {
        let process = self.job.process(descriptor.target as usize).unwrap_or(0);
        let (local, bytes) = (descriptor.buffer as *mut u8, descriptor.bytes as usize);
        // SAFETY: `submit`'s caller vouches for the buffer, in the operation's direction.
        unsafe {
            match descriptor.operation {
                Operation::RemoteGet => kernel_copy::read(process, local, descriptor.remote, bytes),
                _ => kernel_copy::write(process, local, descriptor.remote, bytes),
            }
        }
    }
}
