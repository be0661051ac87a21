//! Linear neighbourhood exchange: all sends and receives side by side.
//!
//! Sends are begun in the order of destinations. Receives are begun in the order of
//! sources (graphs), or with the two directions of each dimension swapped (Cartesian
//! topologies), so that messages between one pair meet as the standard says. An edge
//! from a member to itself is a copy, under the same rule.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | destinations | all blocks |

use super::Neighborhood;
use crate::collective::data::blocks::{Blocks, list_with_capacity};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::{Concurrent, join};
use crate::collective::exchange::step::{receive, send};

/// Swaps blocks with all neighbours.
pub async fn linear(
    exchange: &impl Exchange,
    neighborhood: Neighborhood<'_>,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let rank = exchange.rank();
    let Neighborhood {
        sources,
        destinations,
        ..
    } = neighborhood;

    let mut sends = Concurrent::with_capacity(destinations.len())?;
    let mut to_self: Vec<&[u8]> = list_with_capacity(destinations.len())?;
    for (index, &destination) in destinations.iter().enumerate() {
        let block = &outgoing[outgoing_blocks.range(index)];
        match destination {
            Some(to) if to == rank => to_self.push(block),
            Some(to) if !block.is_empty() => sends.push(send(exchange, to, block)),
            _ => {}
        }
    }

    let mut receives = Concurrent::with_capacity(sources.len())?;
    let mut slices = incoming_blocks.split(sources.len(), incoming)?;
    let mut from_self = 0;
    for turn in 0..sources.len() {
        let index = neighborhood.source_at(turn);
        let block = std::mem::take(&mut slices[index]);
        match sources[index] {
            Some(from) if from == rank => {
                let copied: &[u8] = to_self.get(from_self).copied().unwrap_or_default();
                from_self += 1;
                if copied.len() != block.len() {
                    return Err(CollectiveError::WrongLength {
                        bytes: copied.len(),
                        expected_bytes: block.len(),
                    });
                }
                block.copy_from_slice(copied);
            }
            Some(from) if !block.is_empty() => receives.push(receive(exchange, from, block)),
            _ => {}
        }
    }
    if from_self != to_self.len() {
        return Err(CollectiveError::UnmatchedSelfEdges {
            sources: from_self,
            destinations: to_self.len(),
        });
    }
    join(sends.finish(), receives.finish()).await?;
    Ok(())
}
