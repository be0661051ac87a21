//! Inter-communicator broadcast: the root sends to the other group's leader, which spreads.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 + those of a broadcast among r | 1 (root) | m |

use super::{LEADER, Role, remote_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};

/// Copies the root's bytes to every member of the other group.
pub async fn broadcast(
    local: &impl Exchange,
    remote: &impl Exchange,
    role: Role<&[u8], &mut [u8]>,
) -> Result<(), CollectiveError> {
    match role {
        Role::Idle => Ok(()),
        Role::Root(buffer) => send(remote, LEADER, buffer).await,
        Role::Remote { root, data } => {
            let root = remote_root(remote, root)?;
            if local.rank() == LEADER {
                receive(remote, root, data).await?;
            }
            crate::collective::moving::broadcast::broadcast(local, LEADER, data).await
        }
    }
}
