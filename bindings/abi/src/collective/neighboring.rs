//! Collective operations between the neighbours of a topology (MPI-5.0 section 8.6).

use std::rc::Rc;

use pamir_mpi::topology::{Neighbours, Topology};
use pamir_transport::collective::{Blocks, Neighborhood, Pairing, neighbor_alltoallv};
use pamir_transport::tagged::buffer::Buffer;

use crate::collective::Call;
use crate::collective::blocks::BlockBuffer;
use crate::collective::gathering::Elements;
use crate::data::{buffer, input};
use crate::error::{ErrorClass, Result};

/// This rank's neighbours, and how blocks pair up.
pub struct Around {
    neighbours: Neighbours,
    pairing: Pairing,
}

impl Around {
    /// The neighbours in the communicator's topology.
    pub fn new(call: &Call) -> Result<Self> {
        let topology: Option<&Rc<Topology>> = call.communicator.topology();
        let Some(topology) = topology else {
            let text = "the communicator has no topology, so its ranks have no neighbours";
            return Err(ErrorClass::Topology.with(text));
        };
        let neighbours = topology.neighbours(call.rank());
        let neighbours =
            neighbours.map_err(|error| ErrorClass::Topology.with(error.to_string()))?;
        let pairing = match **topology {
            Topology::Cartesian(_) => Pairing::Cartesian,
            _ => Pairing::Listed,
        };
        Ok(Self {
            neighbours,
            pairing,
        })
    }

    /// Number of neighbours that blocks come from.
    pub fn sources(&self) -> usize {
        self.neighbours.sources.len()
    }

    /// Number of neighbours that blocks go to.
    pub fn destinations(&self) -> usize {
        self.neighbours.destinations.len()
    }

    fn neighborhood(&self) -> Neighborhood<'_> {
        Neighborhood {
            sources: &self.neighbours.sources,
            destinations: &self.neighbours.destinations,
            pairing: self.pairing,
        }
    }
}

/// A block of equal length for each of `partners`.
pub fn equal(call: &Call, elements: Elements, partners: usize) -> Result<Vec<Buffer>> {
    let Elements {
        address,
        count,
        datatype,
    } = elements;
    let extent = call.state.datatypes.committed(datatype)?.extent();
    let place = |index: usize| {
        let at = (index as i64).wrapping_mul(count).wrapping_mul(extent);
        buffer(
            call.state,
            address.wrapping_offset(at as isize),
            count,
            datatype,
        )
    };
    (0..partners).map(place).collect()
}

/// Sends one block to all neighbours and gets one from each.
pub async fn gather_around(call: Call, own: Elements, all: Vec<Buffer>, around: Around) -> Result {
    let Elements {
        address,
        count,
        datatype,
    } = own;
    // SAFETY: the program gives its buffers to the operation until it is complete.
    let (data, mut incoming) = unsafe {
        (
            input(call.state, address, count, datatype)?,
            BlockBuffer::new(all, true),
        )
    };
    let (blocks, bytes) = incoming.parts();
    let outgoing = Blocks::Repeated { bytes: data.len() };
    let (local, _) = call.channels();
    let around = around.neighborhood();
    let done = neighbor_alltoallv(&local, around, outgoing, &data, blocks, bytes).await;
    done.map_err(|error| call.failed(error))?;
    incoming.store();
    Ok(())
}

/// Sends each neighbour a block of its own and gets one from each.
pub async fn exchange_around(
    call: Call,
    from: Vec<Buffer>,
    to: Vec<Buffer>,
    around: Around,
) -> Result {
    // SAFETY: as in `gather_around`. Blocks of neighbours that are not there stay as they are.
    let (outgoing, mut incoming) =
        unsafe { (BlockBuffer::new(from, true), BlockBuffer::new(to, true)) };
    let (blocks, bytes) = incoming.parts();
    let (places, data) = (outgoing.blocks(), outgoing.bytes());
    let (local, _) = call.channels();
    let done = neighbor_alltoallv(&local, around.neighborhood(), places, data, blocks, bytes).await;
    done.map_err(|error| call.failed(error))?;
    incoming.store();
    Ok(())
}
