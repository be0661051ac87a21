//! The connections between the nodes of a job.
//!
//! Before: each node has a [`Listener`], and everybody knows all addresses. After: each node has a
//! connection to each other one, and both ends know that they are of one job and version.
//!
//! ```text
//! node 2 ── connects ─▶ node 0, node 1      node 1 ── connects ─▶ node 0
//!    greeting: magic, version, node, nodes, ranks, the job's key ─▶
//!                                                     ◀─ the same, of the other end
//! ```
//!
//! The key is a random number that only the launcher and its bridges know: whoever else finds the
//! port is turned away. Nothing here needs the nodes to be on one machine.
//!
//! Invariant: joining ends within `PATIENCE`, well or not.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixListener, UnixStream};
use std::str::FromStr;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use pamir_shm::header::LAYOUT_VERSION;

use super::BridgeError;

/// How long a node waits for the others.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long one that has connected may take to say who it is.
const GREETING_PATIENCE: Duration = Duration::from_secs(5);

/// Also tells the order of bytes.
const MAGIC: u64 = 0x5041_4d49_524e_4554;

const GREETING_BYTES: usize = 64;

/// What nodes are joined by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// Unix sockets without a name in the file system: nodes on one machine.
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

/// Where a node listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A name in the kernel's own space of them.
    Unix(String),
    /// Address and port.
    Tcp(SocketAddr),
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(name) => write!(formatter, "@{name}"),
            Self::Tcp(address) => write!(formatter, "{address}"),
        }
    }
}

/// What the nodes of one job have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Company {
    /// A number that nobody else knows.
    pub key: [u8; 16],
    /// Number of nodes.
    pub nodes: usize,
    /// Ranks of the job.
    pub ranks: usize,
}

impl Company {
    /// A job of `nodes` nodes with a key of its own.
    ///
    /// # Errors
    ///
    /// What the system says if it gives no random numbers.
    pub fn new(nodes: usize, ranks: usize) -> io::Result<Self> {
        let mut key = [0; 16];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut key)?;
        Ok(Self { key, nodes, ranks })
    }

    fn greeting(&self, node: usize) -> [u8; GREETING_BYTES] {
        let mut greeting = [0; GREETING_BYTES];
        let numbers = [
            MAGIC,
            LAYOUT_VERSION,
            node as u64,
            self.nodes as u64,
            self.ranks as u64,
        ];
        for (place, number) in greeting.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        greeting[40..56].copy_from_slice(&self.key);
        greeting
    }

    /// The node that has greeted so, if it is of this company.
    fn node_of(&self, greeting: &[u8; GREETING_BYTES]) -> Option<usize> {
        (0..self.nodes).find(|&node| self.greeting(node) == *greeting)
    }
}

#[derive(Debug)]
enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
}

/// A node's ear.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    address: Address,
}

impl Listener {
    /// Listens, at an address that the system chooses.
    ///
    /// # Errors
    ///
    /// [`BridgeError::Listen`].
    pub fn open(network: Network, company: &Company, node: usize) -> Result<Self, BridgeError> {
        let listen = || -> io::Result<Self> {
            let (socket, address) = match network {
                Network::Unix => {
                    let key = u128::from_ne_bytes(company.key);
                    // Not the key itself: names of sockets can be seen by everybody.
                    let name = format!("pamir-{}-{:08x}-{node}", std::process::id(), key as u32);
                    let at = UnixAddress::from_abstract_name(&name)?;
                    (
                        Socket::Unix(UnixListener::bind_addr(&at)?),
                        Address::Unix(name),
                    )
                }
                Network::Tcp(address) => {
                    let socket = TcpListener::bind((address, 0))?;
                    let address = Address::Tcp(socket.local_addr()?);
                    (Socket::Tcp(socket), address)
                }
            };
            match &socket {
                Socket::Unix(socket) => socket.set_nonblocking(true)?,
                Socket::Tcp(socket) => socket.set_nonblocking(true)?,
            }
            Ok(Self { socket, address })
        };
        listen().map_err(|source| BridgeError::Listen { network, source })
    }

    /// Where others find it.
    pub fn address(&self) -> &Address {
        &self.address
    }

    fn accept(&self, until: Instant) -> io::Result<Stream> {
        loop {
            let accepted = match &self.socket {
                Socket::Unix(socket) => socket.accept().map(|(stream, _)| Stream::Unix(stream)),
                Socket::Tcp(socket) => socket.accept().map(|(stream, _)| Stream::Tcp(stream)),
            };
            match accepted {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait(until)?,
                other => return other,
            }
        }
    }

    fn wait(&self, until: Instant) -> io::Result<()> {
        let left = until.saturating_duration_since(Instant::now());
        let limit = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let descriptor = match &self.socket {
            Socket::Unix(socket) => socket.as_fd(),
            Socket::Tcp(socket) => socket.as_fd(),
        };
        match poll(&mut [PollFd::new(descriptor, PollFlags::POLLIN)], limit) {
            Ok(0) => Err(io::ErrorKind::TimedOut.into()),
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// A connection to another node.
#[derive(Debug)]
pub enum Stream {
    /// On this machine.
    Unix(UnixStream),
    /// Anywhere.
    Tcp(TcpStream),
}

impl Stream {
    fn connect(address: &Address) -> io::Result<Self> {
        match address {
            Address::Unix(name) => {
                let address = UnixAddress::from_abstract_name(name)?;
                UnixStream::connect_addr(&address).map(Self::Unix)
            }
            Address::Tcp(address) => {
                TcpStream::connect_timeout(address, GREETING_PATIENCE).map(Self::Tcp)
            }
        }
    }

    /// Another handle on the same connection.
    pub(super) fn duplicate(&self) -> io::Result<Self> {
        match self {
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
        }
    }

    /// Ends it for everybody who reads or writes it, also now.
    pub(super) fn shut_down(&self) {
        // The only error is that it has ended already.
        let _ = match self {
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    /// Waits for each read and write at most so long.
    fn set_patience(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Unix(stream) => {
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(limit)?;
                stream.set_write_timeout(limit)
            }
            Self::Tcp(stream) => {
                stream.set_nonblocking(false)?;
                // A record is written whole, and waits for nothing that could go with it.
                stream.set_nodelay(true)?;
                stream.set_read_timeout(limit)?;
                stream.set_write_timeout(limit)
            }
        }
    }

    fn hear(&mut self, company: &Company) -> io::Result<Option<usize>> {
        let mut greeting = [0; GREETING_BYTES];
        self.read_exact(&mut greeting)?;
        Ok(company.node_of(&greeting))
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(bytes),
            Self::Tcp(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A connection, and the node at its other end.
#[derive(Debug)]
pub struct Link {
    /// The other node.
    pub node: usize,
    /// The connection.
    pub stream: Stream,
}

/// Joins node `node` to the others, whose listeners are at `addresses`, each of which does the same.
///
/// # Errors
///
/// [`BridgeError::Join`] if one of them does not answer, or is of another job or version.
pub fn join(
    listener: &Listener,
    company: &Company,
    node: usize,
    addresses: &[Address],
) -> Result<Vec<Link>, BridgeError> {
    let until = Instant::now() + PATIENCE;
    let mut links = Vec::new();
    for (peer, address) in addresses.iter().enumerate().take(node) {
        let stream = call(address, company, node, peer).map_err(|source| BridgeError::Join {
            node,
            peer: format!("node {peer} at {address}"),
            source,
        })?;
        links.push(Link { node: peer, stream });
    }
    while links.len() + 1 < company.nodes {
        let missing = |peer: &usize| *peer != node && links.iter().all(|link| link.node != *peer);
        let accepted = listener.accept(until).map_err(|source| BridgeError::Join {
            node,
            peer: format!("node {}", (0..company.nodes).find(missing).unwrap_or(node)),
            source,
        })?;
        // One who is not of the job, or twice there, is turned away.
        if let Ok(Some(link)) = welcome(accepted, company, node)
            && missing(&link.node)
        {
            links.push(link);
        }
    }
    Ok(links)
}

fn call(address: &Address, company: &Company, node: usize, peer: usize) -> io::Result<Stream> {
    let mut stream = Stream::connect(address)?;
    stream.set_patience(Some(GREETING_PATIENCE))?;
    stream.write_all(&company.greeting(node))?;
    if stream.hear(company)? != Some(peer) {
        let reason = "it is of another job, or another version of Pamir";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    stream.set_patience(None)?;
    Ok(stream)
}

fn welcome(mut stream: Stream, company: &Company, node: usize) -> io::Result<Option<Link>> {
    stream.set_patience(Some(GREETING_PATIENCE))?;
    let Some(peer) = stream.hear(company)? else {
        return Ok(None);
    };
    stream.write_all(&company.greeting(node))?;
    stream.set_patience(None)?;
    Ok(Some(Link { node: peer, stream }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The links of all nodes of a company.
    fn meet(network: Network, nodes: usize) -> Vec<Vec<Link>> {
        let company = Company::new(nodes, nodes).unwrap();
        let open = |node| Listener::open(network, &company, node).unwrap();
        let listeners: Vec<_> = (0..nodes).map(open).collect();
        let addresses: Vec<_> = listeners.iter().map(|it| it.address().clone()).collect();
        let addresses = &addresses;
        std::thread::scope(|scope| {
            let joins: Vec<_> = listeners
                .iter()
                .enumerate()
                .map(|(node, listener)| {
                    scope.spawn(move || join(listener, &company, node, addresses).unwrap())
                })
                .collect();
            joins.into_iter().map(|join| join.join().unwrap()).collect()
        })
    }

    #[test]
    fn every_node_is_joined_to_every_other() {
        for network in [Network::Unix, "tcp".parse().unwrap()] {
            let mut links = meet(network, 3);
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
    fn strangers_are_turned_away() {
        let company = Company::new(2, 2).unwrap();
        let network = "127.0.0.1".parse().unwrap();
        let open = |node| Listener::open(network, &company, node).unwrap();
        let listeners = [open(0), open(1)];
        let addresses = [0, 1].map(|node: usize| listeners[node].address().clone());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| join(&listeners[0], &company, 0, &addresses));
            // It knows the port, and not the key; then one that says nothing at all.
            let stranger = Company {
                key: [0; 16],
                ..company
            };
            assert!(call(&addresses[0], &stranger, 1, 0).is_err());
            drop(Stream::connect(&addresses[0]).unwrap());
            let second = join(&listeners[1], &company, 1, &addresses).unwrap();
            assert_eq!(first.join().unwrap().unwrap()[0].node, 1);
            assert_eq!(second[0].node, 0);
        });
    }

    #[test]
    fn networks_are_named() {
        assert_eq!("unix".parse(), Ok(Network::Unix));
        assert_eq!("tcp".parse::<Network>().unwrap().to_string(), "127.0.0.1");
        assert_eq!("::1".parse::<Network>().unwrap().to_string(), "::1");
        assert!("smoke".parse::<Network>().unwrap_err().contains("smoke"));
    }
}
