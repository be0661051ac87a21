//! Neighbourhood collectives: each member swaps blocks with its neighbours (MPI-5.0, 8.6).
//!
//! All four operations are one: blocks of any lengths, to destinations from one
//! buffer, from sources into another. An allgather sends every destination the same
//! block.
//!
//! A pair of members may have several edges. Between them the order decides what
//! meets what. In a graph both ends list edges in one order. In a Cartesian topology
//! what goes to the negative neighbour comes from the positive one there, which only
//! shows where both are the same member (a periodic dimension of 1 or 2):
//!
//! ```text
//!   2 members, periodic      0: [negative 1][positive 1]     1: [negative 0][positive 0]
//!   sent by 0 to negative 1  arrives in the positive block of 1, and the reverse
//! ```

pub mod linear;

use super::error::CollectiveError;
use super::exchange::Exchange;
use super::select::{Row, algorithms, check, choose};
use crate::collective::data::blocks::Blocks;

/// Which block meets which between two members with several edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pairing {
    /// In the order in which sources and destinations are listed: graph topologies.
    Listed,
    /// What goes in one direction of a dimension comes from the other. Neighbours are listed
    /// by dimension, the negative one before the positive one: Cartesian topologies.
    Cartesian,
}

/// One member's neighbours. `None` is no neighbour (`MPI_PROC_NULL`): nothing is sent to it, and
/// what would come from it stays as it is.
#[derive(Debug, Clone, Copy)]
pub struct Neighborhood<'a> {
    /// Whom blocks come from.
    pub sources: &'a [Option<usize>],
    /// Whom blocks go to.
    pub destinations: &'a [Option<usize>],
    /// Which block meets which.
    pub pairing: Pairing,
}

impl Neighborhood<'_> {
    /// The index of the source whose block is expected `turn`-th.
    pub(in crate::collective) fn source_at(&self, turn: usize) -> usize {
        match self.pairing {
            Pairing::Listed => turn,
            Pairing::Cartesian => turn ^ 1,
        }
    }

    fn check(&self, size: usize) -> Result<(), CollectiveError> {
        let (sources, destinations) = (self.sources.len(), self.destinations.len());
        if self.pairing == Pairing::Cartesian && (sources != destinations || sources % 2 != 0) {
            return Err(CollectiveError::NotCartesian {
                sources,
                destinations,
            });
        }
        match self
            .sources
            .iter()
            .chain(self.destinations)
            .flatten()
            .find(|&&neighbor| neighbor >= size)
        {
            Some(&neighbor) => Err(CollectiveError::NeighborOutside { neighbor, size }),
            None => Ok(()),
        }
    }
}

algorithms! {
    /// Ways to swap blocks with neighbours.
    "neighbor", None;
    run(
        neighborhood: Neighborhood<'_>,
        outgoing_blocks: Blocks<'_>,
        outgoing: &[u8],
        incoming_blocks: Blocks<'_>,
        incoming: &mut [u8],
    );
    /// All neighbours side by side.
    Linear = linear, Nothing;
    => &[Row::new(Algorithm::Linear)];
}

/// Sends `block` to each destination; `incoming` is filled with as many blocks of one length as
/// there are sources, in their order (`MPI_Neighbor_allgather`).
pub async fn neighbor_allgather(
    exchange: &impl Exchange,
    neighborhood: Neighborhood<'_>,
    block: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let incoming_blocks = equal_blocks(incoming.len(), neighborhood.sources.len())?;
    neighbor_allgatherv(exchange, neighborhood, block, incoming_blocks, incoming).await
}

/// Sends `block` to each destination and receives a block of any length from each source
/// (`MPI_Neighbor_allgatherv`).
pub async fn neighbor_allgatherv(
    exchange: &impl Exchange,
    neighborhood: Neighborhood<'_>,
    block: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let outgoing_blocks = Blocks::Repeated { bytes: block.len() };
    neighbor_alltoallv(
        exchange,
        neighborhood,
        outgoing_blocks,
        block,
        incoming_blocks,
        incoming,
    )
    .await
}

/// Sends a block of one length to each destination and receives one from each source, in the
/// order of neighbours (`MPI_Neighbor_alltoall`).
pub async fn neighbor_alltoall(
    exchange: &impl Exchange,
    neighborhood: Neighborhood<'_>,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let outgoing_blocks = equal_blocks(outgoing.len(), neighborhood.destinations.len())?;
    let incoming_blocks = equal_blocks(incoming.len(), neighborhood.sources.len())?;
    neighbor_alltoallv(
        exchange,
        neighborhood,
        outgoing_blocks,
        outgoing,
        incoming_blocks,
        incoming,
    )
    .await
}

/// Sends a block of any length to each destination and receives one from each source
/// (`MPI_Neighbor_alltoallv`, `MPI_Neighbor_alltoallw`).
pub async fn neighbor_alltoallv(
    exchange: &impl Exchange,
    neighborhood: Neighborhood<'_>,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    neighbor_alltoallv_with(
        choose(exchange, 0, true)?,
        exchange,
        neighborhood,
        outgoing_blocks,
        outgoing,
        incoming_blocks,
        incoming,
    )
    .await
}

/// [`neighbor_alltoallv`] with a given algorithm.
pub async fn neighbor_alltoallv_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    neighborhood: Neighborhood<'_>,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    neighborhood.check(exchange.size())?;
    outgoing_blocks.check(neighborhood.destinations.len(), outgoing.len())?;
    incoming_blocks.check(neighborhood.sources.len(), incoming.len())?;
    algorithm
        .run(
            exchange,
            neighborhood,
            outgoing_blocks,
            outgoing,
            incoming_blocks,
            incoming,
        )
        .await
}

/// Equal blocks, one for each of `partners`, that fill `bytes`.
fn equal_blocks(bytes: usize, partners: usize) -> Result<Blocks<'static>, CollectiveError> {
    match bytes.checked_div(partners) {
        // A member without neighbours on this side has no blocks, whatever the buffer is.
        None => Ok(Blocks::Uniform { bytes: 0 }),
        Some(block_bytes) if block_bytes * partners == bytes => {
            Ok(Blocks::Uniform { bytes: block_bytes })
        }
        Some(block_bytes) => Err(CollectiveError::WrongLength {
            bytes,
            expected_bytes: block_bytes * partners,
        }),
    }
}
