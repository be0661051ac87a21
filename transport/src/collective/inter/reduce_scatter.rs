//! Inter-communicator reduce-scatter: each group shares what the other one's contributions combine to.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 + those of a reduce | l (leader) | 2 m (leader) |

use super::{LEADER, reduce_to_leader};
use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::FromRoot;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;
use crate::collective::moving::scatterv::scatterv;
use crate::collective::reduction::Reduction;

/// Combines `input` of the remote group, in the order of ranks, and puts this member's block of
/// the result into `output`. `blocks` describes the local group's blocks, one after the other
/// without gaps; both groups' blocks have the same length in all.
pub async fn reduce_scatter(
    local: &impl Exchange,
    remote: &impl Exchange,
    reduction: &impl Reduction,
    blocks: Blocks<'_>,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (local.rank(), local.size());
    blocks.check(size, input.len())?;
    blocks.check_packed(size)?;
    let total = blocks.total_bytes(size);
    for (bytes, expected_bytes) in [(input.len(), total), (output.len(), blocks.bytes(rank))] {
        if bytes != expected_bytes {
            return Err(CollectiveError::WrongLength {
                bytes,
                expected_bytes,
            });
        }
    }
    let Some(result) = reduce_to_leader(local, reduction, input).await? else {
        return scatterv(local, LEADER, blocks, FromRoot::Member(output)).await;
    };
    let mut theirs = Scratch::new(total)?;
    send_receive(remote, LEADER, &result, LEADER, &mut theirs).await?;
    output.copy_from_slice(&theirs[blocks.range(LEADER)]);
    scatterv(local, LEADER, blocks, FromRoot::Root(&theirs)).await
}
