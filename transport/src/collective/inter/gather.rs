//! Inter-communicator gather: every member of the other group sends its block to the root.
//!
//! Empty blocks are not sent.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | 1 | a member's block |

use super::{Role, remote_root};
use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::Concurrent;
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::gather::whole_blocks;

/// Gathers a block of one length from each member of the other group at the root.
pub async fn gather(
    remote: &impl Exchange,
    role: Role<&mut [u8], &[u8]>,
) -> Result<(), CollectiveError> {
    let blocks = match &role {
        Role::Root(all) => Blocks::Uniform {
            bytes: whole_blocks(all.len(), remote.size())?,
        },
        _ => Blocks::Uniform { bytes: 0 },
    };
    gatherv(remote, blocks, role).await
}

/// Gathers a block of any length from each member of the other group at the root, where `blocks`
/// says; members other than the root pass any `blocks`.
pub async fn gatherv(
    remote: &impl Exchange,
    blocks: Blocks<'_>,
    role: Role<&mut [u8], &[u8]>,
) -> Result<(), CollectiveError> {
    match role {
        Role::Idle => Ok(()),
        Role::Remote { root, data } => {
            let root = remote_root(remote, root)?;
            if data.is_empty() {
                return Ok(());
            }
            send(remote, root, data).await
        }
        Role::Root(all) => {
            let size = remote.size();
            blocks.check(size, all.len())?;
            let mut receives = Concurrent::with_capacity(size)?;
            for (from, block) in blocks.split(size, all)?.into_iter().enumerate() {
                if !block.is_empty() {
                    receives.push(receive(remote, from, block));
                }
            }
            receives.finish().await
        }
    }
}
