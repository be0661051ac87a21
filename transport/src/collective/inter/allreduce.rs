//! Inter-communicator allreduce: each group gets what the other one's contributions combine to.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 + those of a reduce and a broadcast | 1 + log l (leader) | m (1 + log l) |

use super::{LEADER, reduce_to_leader};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;
use crate::collective::reduction::Reduction;

/// Combines `input` of the remote group, in the order of ranks, into `output`.
pub async fn allreduce(
    local: &impl Exchange,
    remote: &impl Exchange,
    reduction: &impl Reduction,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    if let Some(result) = reduce_to_leader(local, reduction, input).await? {
        send_receive(remote, LEADER, &result, LEADER, output).await?;
    }
    crate::collective::moving::broadcast::broadcast(local, LEADER, output).await
}
