//! Inter-communicator barrier: nobody leaves before all of the other group have come.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 log l + 1 | 2 log l + 1 (leader) | 0 |

use super::LEADER;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;
use crate::collective::moving::broadcast::binomial::binomial;

/// Holds this member until all members of both groups have come.
pub async fn barrier(local: &impl Exchange, remote: &impl Exchange) -> Result<(), CollectiveError> {
    crate::collective::barrier::barrier(local).await?;
    if local.rank() == LEADER {
        send_receive(remote, LEADER, &[], LEADER, &mut []).await?;
    }
    binomial(local, LEADER, &mut []).await
}
