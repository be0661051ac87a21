//! Puts and gets between layouts.
//!
//! Before: `PAMI_Put_typed`, `PAMI_Get_typed`, `PAMI_Rput_typed`, `PAMI_Rget_typed`. After: the
//! transport moves the data from one layout to the other; where neither has gaps, as without types.

use std::sync::Arc;

use pamir_transport::active::Completion;
use pamir_transport::gather_scatter::Machine;
use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::scattered::Scattered;

use crate::context::endpoint::endpoint_of;
use crate::context::memory::registered_base;
use crate::layout::{Layout, layout_of};
use crate::one_sided::check_bytes;
use crate::one_sided::region::region_of;
use crate::refusal::Refusal;
use crate::structures::Types;
use crate::structures::pointer::Address;
use crate::structures::{RegionPlace, Transfer};

/// The layouts of both ends, each of which has data for the transfer.
pub struct Layouts {
    local: Arc<Layout>,
    remote: Arc<Layout>,
    bytes: usize,
}

impl Layouts {
    /// Those of a transfer.
    ///
    /// # Errors
    ///
    /// A type that is none, or has no data for it.
    pub fn of(types: &Types, transfer: &Transfer) -> Result<Self, Refusal> {
        check_bytes(transfer)?;
        let (local, remote) = (
            layout_of(types.local, "type.local")?,
            layout_of(types.remote, "type.remote")?,
        );
        let bytes = transfer.bytes;
        for layout in [&local, &remote] {
            layout
                .program
                .reach(bytes)
                .ok_or(Refusal::NoData { bytes })?;
        }
        Ok(Self {
            local,
            remote,
            bytes,
        })
    }

    /// The machine over the memory here.
    ///
    /// # Errors
    ///
    /// [`Refusal::NoData`].
    pub fn machine(&self, address: Address) -> Result<Machine, Refusal> {
        self.local.machine(address, 0, self.bytes)
    }

    /// The address here of a place in a region, in which all of the local layout lies.
    ///
    /// # Errors
    ///
    /// A handle that describes no region, and [`Refusal::OutsideRegion`].
    pub fn address_in(&self, place: &RegionPlace) -> Result<Address, Refusal> {
        let region = region_of(place.mr.get(), "rdma.local.mr")?;
        let (which, offset, bytes) = ("local", place.offset, self.bytes);
        let reach = self.local.program.reach(bytes);
        let base = reach.and_then(|reach| registered_base(&region, offset, reach));
        base.ok_or(Refusal::OutsideRegion {
            which,
            offset,
            bytes,
        })
    }

    /// What the transport is told, besides the memory here.
    pub fn transfer(
        &self,
        rma: &Transfer,
        (region, offset): (MemoryRegion, usize),
        [local, done]: [Option<Completion>; 2],
    ) -> Scattered {
        Scattered {
            to: endpoint_of(rma.dest),
            region,
            offset,
            element: self.remote.program.clone(),
            bytes: self.bytes,
            local,
            done,
        }
    }
}

/// The parameters are missing.
pub fn null_parameters() -> Refusal {
    let argument = "parameters";
    Refusal::Null { argument }
}

/// All memory of the other task, at an address.
pub fn anywhere(address: Address) -> (MemoryRegion, usize) {
    (MemoryRegion::everything(), address.raw().addr())
}
