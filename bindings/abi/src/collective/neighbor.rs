//! Collective operations between the neighbours of a virtual topology (MPI-5.0 section 8.6).

use pamir_mpi::topology::{Neighbours, Topology};
use pamir_transport::collective::{
    Blocks, CollectiveError, Neighborhood, Pairing, neighbor_alltoallv,
};

use super::blocks::BlockList;
use super::place::Place;
use super::{Call, Collective};
use crate::error::{ErrorClass, Result};

/// A rank's neighbours, and how blocks find each other.
pub struct Neighbors {
    /// Whom blocks come from and go to.
    pub partners: Neighbours,
    pairing: Pairing,
}

impl Neighbors {
    /// Those of the communicator's topology.
    pub fn new(call: &Call) -> Result<Self> {
        let Some(topology) = call.communicator.topology() else {
            let text =
                "a neighbourhood collective needs a communicator that was made with a topology";
            return Err(ErrorClass::Topology.with(text));
        };
        let pairing = match &**topology {
            Topology::Cartesian(_) => Pairing::Cartesian,
            _ => Pairing::Listed,
        };
        Ok(Self {
            partners: topology.neighbours(call.rank())?,
            pairing,
        })
    }

    fn neighborhood(&self) -> Neighborhood<'_> {
        Neighborhood {
            sources: &self.partners.sources,
            destinations: &self.partners.destinations,
            pairing: self.pairing,
        }
    }
}

/// What goes to the neighbours.
pub enum Sent {
    /// The same block to all.
    Same(Place),
    /// A block of its own to each.
    Each(BlockList),
}

/// Sends blocks to the neighbours, and gets one from each.
pub struct NeighborExchange {
    neighbors: Neighbors,
    /// What goes to them.
    from: Sent,
    /// The room for what comes.
    to: BlockList,
}

impl NeighborExchange {
    /// The exchange of `from` for what comes into `to`. What would come from no neighbour stays
    /// as it is, whatever else its block shares bytes with.
    pub fn new(neighbors: Neighbors, from: Sent, to: BlockList) -> Self {
        let sources = &neighbors.partners.sources;
        let to = to.only(|index| sources[index].is_some()).apart();
        Self {
            neighbors,
            from,
            to,
        }
    }
}

impl Collective for NeighborExchange {
    async fn run(&self, call: &Call) -> std::result::Result<(), CollectiveError> {
        let local = call.local().await?;
        let neighborhood = self.neighbors.neighborhood();
        // SAFETY: the program gives its buffers to the operation until it is complete.
        let mut incoming = unsafe { self.to.open(false) };
        let (blocks, bytes) = (self.to.blocks(), incoming.bytes_mut());
        match &self.from {
            Sent::Same(block) => {
                // SAFETY: as above.
                let outgoing = unsafe { block.open(true) };
                let same = Blocks::Repeated {
                    bytes: outgoing.len(),
                };
                neighbor_alltoallv(&local, neighborhood, same, &outgoing, blocks, bytes).await?;
            }
            Sent::Each(list) => {
                // SAFETY: as above.
                let outgoing = unsafe { list.open(true) };
                let each = list.blocks();
                let outgoing = outgoing.bytes();
                neighbor_alltoallv(&local, neighborhood, each, outgoing, blocks, bytes).await?;
            }
        }
        incoming.store();
        Ok(())
    }
}
