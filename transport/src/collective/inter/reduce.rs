//! Inter-communicator reduce: the other group reduces to its leader, which sends to the root.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 + those of a reduce among r | 1 (leader) | m |

use super::{LEADER, Role, reduce_to_leader, remote_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::Reduction;

/// Combines the contributions of the group that has not the root, in the order of ranks, into the
/// root's buffer.
pub async fn reduce(
    local: &impl Exchange,
    remote: &impl Exchange,
    reduction: &impl Reduction,
    role: Role<&mut [u8], &[u8]>,
) -> Result<(), CollectiveError> {
    match role {
        Role::Idle => Ok(()),
        Role::Root(result) => receive(remote, LEADER, result).await,
        Role::Remote { root, data } => {
            let root = remote_root(remote, root)?;
            if let Some(result) = reduce_to_leader(local, reduction, data).await? {
                send(remote, root, &result).await?;
            }
            Ok(())
        }
    }
}
