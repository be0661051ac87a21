//! Barrier and broadcast.

use pamir_transport::balance::announcement::Synchronization;
use pamir_transport::collective::{self, CollectiveError, inter, inter::Role};

use super::place::Place;
use super::{Call, Collective, Root};

/// Waits until all ranks have called it.
pub struct Barrier;

impl Collective for Barrier {
    const SYNCHRONIZATION: Option<Synchronization> = Some(Synchronization::Barrier);

    async fn run(&self, call: &Call) -> Result<(), CollectiveError> {
        if !call.is_inter() {
            return collective::barrier(&call.local().await?).await;
        }
        let (local, remote) = call.channels();
        inter::barrier(&local, &remote).await
    }
}

/// Gives the root's data to all.
pub struct Broadcast {
    /// The data, or the room for it.
    pub data: Place,
    /// Who has it.
    pub root: Root,
}

impl Collective for Broadcast {
    async fn run(&self, call: &Call) -> Result<(), CollectiveError> {
        // SAFETY: the program gives its buffers to the operation until it is complete.
        let mut data = unsafe { self.data.open(self.root == Root::Here) };
        if call.is_inter() {
            let (local, remote) = call.channels();
            let role = match self.root {
                Root::Here => Role::Root(&*data),
                Root::Beside => Role::Idle,
                Root::At(root) => Role::Remote {
                    root,
                    data: &mut *data,
                },
            };
            inter::broadcast(&local, &remote, role).await?;
        } else {
            let root = match self.root {
                Root::At(root) => root,
                _ => call.rank(),
            };
            collective::broadcast(&call.local().await?, root, &mut data).await?;
        }
        if matches!(self.root, Root::At(_)) {
            data.store();
        }
        Ok(())
    }
}
