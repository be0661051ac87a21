//! Inter-communicator scatter: the root sends a block to every member of the other group.
//!
//! Empty blocks are not sent.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | r (root) | all blocks |

use super::{Role, remote_root};
use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::Concurrent;
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::gather::whole_blocks;

/// Gives each member of the other group its block of one length.
pub async fn scatter(
    remote: &impl Exchange,
    role: Role<&[u8], &mut [u8]>,
) -> Result<(), CollectiveError> {
    let blocks = match &role {
        Role::Root(all) => Blocks::Uniform {
            bytes: whole_blocks(all.len(), remote.size())?,
        },
        _ => Blocks::Uniform { bytes: 0 },
    };
    scatterv(remote, blocks, role).await
}

/// Gives each member of the other group its block, which lies in the root's buffer where `blocks`
/// says; members other than the root pass any `blocks`.
pub async fn scatterv(
    remote: &impl Exchange,
    blocks: Blocks<'_>,
    role: Role<&[u8], &mut [u8]>,
) -> Result<(), CollectiveError> {
    match role {
        Role::Idle => Ok(()),
        Role::Remote { root, data } => {
            let root = remote_root(remote, root)?;
            if data.is_empty() {
                return Ok(());
            }
            receive(remote, root, data).await
        }
        Role::Root(all) => {
            let size = remote.size();
            blocks.check(size, all.len())?;
            let mut sends = Concurrent::with_capacity(size)?;
            for to in (0..size).filter(|&to| blocks.bytes(to) != 0) {
                sends.push(send(remote, to, &all[blocks.range(to)]));
            }
            sends.finish().await
        }
    }
}
