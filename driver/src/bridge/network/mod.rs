//! The connections between the nodes of a job.
//!
//! Before: a job has several nodes. After: each node has a connection to each other one.
//!
//! ```text
//! unix  pairs of sockets, made here: nobody else can reach them
//! tcp   listeners, greetings (tcp.rs): nothing there needs the nodes to be on one machine
//! ```
//!
//! Invariant: joining ends within `tcp::PATIENCE`, well or not, also when strangers connect meanwhile.

pub(super) mod kind;
mod stream;
mod tcp;

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::error::BridgeError;
pub use kind::Network;
pub use stream::{Link, Stream};

/// Joins the nodes of a job of `ranks` ranks: for each its links to all others.
///
/// # Errors
///
/// [`BridgeError`] if there are no sockets for it, or a node does not answer in time.
pub fn join(network: Network, nodes: usize, ranks: usize) -> Result<Vec<Vec<Link>>, BridgeError> {
    match network {
        Network::Unix => pairs(nodes).map_err(|source| BridgeError::Pair { source }),
        Network::Tcp(address) => tcp::join_all(address, nodes, ranks),
    }
}

fn pairs(nodes: usize) -> io::Result<Vec<Vec<Link>>> {
    let mut links: Vec<Vec<Link>> = (0..nodes).map(|_| Vec::new()).collect();
    for one in 0..nodes {
        for other in 0..one {
            let ends = UnixStream::pair()?;
            for (at, node, end) in [(one, other, ends.0), (other, one, ends.1)] {
                let stream = Stream::Unix(Arc::new(end));
                links[at].push(Link { node, stream });
            }
        }
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn every_node_is_joined_to_every_other() {
        for network in [Network::Unix, "tcp".parse().unwrap()] {
            let mut links = join(network, 3, 3).unwrap();
            for (node, links) in links.iter_mut().enumerate() {
                for link in links {
                    link.stream
                        .write_all(&[node as u8, link.node as u8])
                        .unwrap();
                }
            }
            for (node, links) in links.iter_mut().enumerate() {
                let mut peers: Vec<_> = links.iter().map(|link| link.node).collect();
                peers.sort_unstable();
                assert_eq!(
                    peers,
                    (0..3).filter(|&peer| peer != node).collect::<Vec<_>>()
                );
                for link in links {
                    let mut heard = [0; 2];
                    link.stream.read_exact(&mut heard).unwrap();
                    assert_eq!(heard, [link.node as u8, node as u8]);
                }
            }
        }
    }

    #[test]
    fn networks_are_named() {
        assert_eq!("unix".parse(), Ok(Network::Unix));
        assert_eq!("tcp".parse::<Network>().unwrap().to_string(), "127.0.0.1");
        assert_eq!("::1".parse::<Network>().unwrap().to_string(), "::1");
        assert!("smoke".parse::<Network>().unwrap_err().contains("smoke"));
    }
}
