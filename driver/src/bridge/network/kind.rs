//! What nodes are joined by.
//!
//! Before: a word of the command line. After: [`super::join`] makes connections of that kind.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

/// What nodes are joined by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// Pairs of Unix sockets: nodes on one machine.
    #[default]
    Unix,
    /// TCP; nodes listen at this address.
    Tcp(IpAddr),
}

impl FromStr for Network {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "unix" => Ok(Self::Unix),
            "tcp" => Ok(Self::Tcp(IpAddr::V4(Ipv4Addr::LOCALHOST))),
            address => address.parse().map(Self::Tcp).map_err(|_| {
                format!("`{address}` is no network: use unix, tcp, or the IP address to listen at")
            }),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix => formatter.write_str("unix"),
            Self::Tcp(address) => write!(formatter, "{address}"),
        }
    }
}

impl Network {
    /// Descriptors that joining so many nodes takes.
    pub fn descriptors(self, nodes: usize) -> usize {
        let links = nodes * (nodes - 1);
        match self {
            Self::Unix => links,
            Self::Tcp(_) => links + nodes,
        }
    }
}
