//! Nodes that find each other by TCP.
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
//! The key is a random number that only the launcher and its bridges know: a stranger that finds the
//! port is turned away. Guests are listened to side by side, so that one who says nothing holds up
//! nobody.
//!
//! Invariants: joining ends within [`PATIENCE`], well or not; a node keeps no more than
//! [`MOST_STRANGERS`] connections that have not greeted beside one for each node; a node that had to
//! go for them comes again.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use pamir_shm::segment::header::LAYOUT_VERSION;

use super::{Link, Network, Stream};
use crate::bridge::error::BridgeError;

/// How long a node waits for the others.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long one that has connected may take to say who it is.
const GREETING_PATIENCE: Duration = Duration::from_secs(5);

/// How many more than there are nodes may take that long at once: then the one that has taken
/// longest goes for another.
const MOST_STRANGERS: usize = 64;

/// Before a node that was turned away comes again.
const AGAIN_AFTER: Duration = Duration::from_millis(1);

/// Also tells the order of bytes.
const MAGIC: u64 = 0x5041_4d49_524e_4554;

const GREETING_BYTES: usize = 64;

/// What the nodes of one job have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Company {
    /// A number that nobody else knows.
    key: [u8; 16],
    nodes: usize,
    ranks: usize,
}

impl Company {
    fn new(nodes: usize, ranks: usize) -> io::Result<Self> {
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

/// A node's ear.
#[derive(Debug)]
struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens, at a port that the system chooses.
    fn open(address: IpAddr) -> Result<Self, BridgeError> {
        let listen = || -> io::Result<Self> {
            let socket = TcpListener::bind((address, 0))?;
            socket.set_nonblocking(true)?;
            let address = socket.local_addr()?;
            Ok(Self { socket, address })
        };
        let network = Network::Tcp(address);
        listen().map_err(|source| BridgeError::Listen { network, source })
    }
}

/// One that has connected, and has not said yet who it is.
struct Guest {
    stream: TcpStream,
    greeting: [u8; GREETING_BYTES],
    heard: usize,
    until: Instant,
}

impl Guest {
    fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            greeting: [0; GREETING_BYTES],
            heard: 0,
            until: Instant::now() + GREETING_PATIENCE,
        })
    }

    /// Hears what it says now; whether that is the whole greeting.
    fn hear(&mut self) -> io::Result<bool> {
        while self.heard < GREETING_BYTES {
            match self.stream.read(&mut self.greeting[self.heard..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.heard += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

/// Joins the nodes of a job: for each its links to all others.
pub(super) fn join_all(
    address: IpAddr,
    nodes: usize,
    ranks: usize,
) -> Result<Vec<Vec<Link>>, BridgeError> {
    let company = Company::new(nodes, ranks).map_err(BridgeError::Key)?;
    let listeners: Result<Vec<_>, _> = (0..nodes).map(|_| Listener::open(address)).collect();
    let listeners = listeners?;
    let addresses: Vec<_> = listeners.iter().map(|listener| listener.address).collect();
    let addresses = &addresses;
    std::thread::scope(|scope| {
        let start =
            |(node, listener)| scope.spawn(move || join(listener, &company, node, addresses));
        let joins: Vec<_> = listeners.iter().enumerate().map(start).collect();
        let results = joins.into_iter().map(|join| join.join());
        results
            .map(|result| result.expect("joining does not panic"))
            .collect()
    })
}

/// Joins node `node` to the others, whose listeners are at `addresses`, each of which does the same.
fn join(
    listener: &Listener,
    company: &Company,
    node: usize,
    addresses: &[SocketAddr],
) -> Result<Vec<Link>, BridgeError> {
    let until = Instant::now() + PATIENCE;
    let mut links = Vec::new();
    for (peer, address) in addresses.iter().enumerate().take(node) {
        let stream = call(address, company, node, peer, until).map_err(|source| {
            let peer = format!("node {peer} at {address}");
            BridgeError::Join { node, peer, source }
        })?;
        links.push(Link { node: peer, stream });
    }
    let mut door = Door {
        listener,
        guests: VecDeque::new(),
        most: company.nodes + MOST_STRANGERS,
    };
    while links.len() + 1 < company.nodes {
        let missing = |peer: &usize| *peer != node && links.iter().all(|link| link.node != *peer);
        let greeted = door.greeted(until).map_err(|source| {
            let peer = (0..company.nodes).find(missing).unwrap_or(node);
            let peer = format!("node {peer}");
            BridgeError::Join { node, peer, source }
        })?;
        for guest in greeted {
            let missing =
                |peer: &usize| *peer != node && links.iter().all(|link| link.node != *peer);
            // One who is not of the job, or twice there, is turned away.
            if let Some(peer) = company.node_of(&guest.greeting).filter(missing)
                && let Ok(stream) = answer(guest.stream, company, node)
            {
                links.push(Link { node: peer, stream });
            }
        }
    }
    Ok(links)
}

/// Where those come in who connect to a node.
struct Door<'a> {
    listener: &'a Listener,
    guests: VecDeque<Guest>,
    /// How many there may be.
    most: usize,
}

impl Door<'_> {
    /// Waits until something happens, and takes those guests out who have greeted.
    fn greeted(&mut self, until: Instant) -> io::Result<Vec<Guest>> {
        let due = self.guests.iter().map(|guest| guest.until).min();
        self.wait(due.map_or(until, |due| due.min(until)))?;
        let now = Instant::now();
        if now >= until {
            return Err(ErrorKind::TimedOut.into());
        }
        self.accept()?;
        let mut greeted = Vec::new();
        for mut guest in std::mem::take(&mut self.guests) {
            match guest.hear() {
                Ok(true) => greeted.push(guest),
                Ok(false) if now < guest.until => self.guests.push_back(guest),
                _ => {}
            }
        }
        Ok(greeted)
    }

    /// Waits for the listener and the guests.
    fn wait(&self, due: Instant) -> io::Result<()> {
        let left = due.saturating_duration_since(Instant::now());
        // To the next millisecond, so that what is due is over.
        let limit = PollTimeout::try_from(left + Duration::from_millis(1));
        let streams = self.guests.iter().map(|guest| guest.stream.as_fd());
        let all = streams.chain([self.listener.socket.as_fd()]);
        let mut all: Vec<_> = all.map(|one| PollFd::new(one, PollFlags::POLLIN)).collect();
        match poll(&mut all, limit.unwrap_or(PollTimeout::MAX)) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets in everybody who waits outside, as far as there is room.
    fn accept(&mut self) -> io::Result<()> {
        // Those who come meanwhile are heard first.
        for _ in 0..self.most {
            match self.listener.socket.accept() {
                Ok((stream, _)) => self.guests.extend(Guest::new(stream).ok()),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return Ok(()),
                    // It left before it was let in.
                    ErrorKind::Interrupted | ErrorKind::ConnectionAborted => {}
                    // No descriptor is left: those who say nothing hold some.
                    _ if self.guests.pop_front().is_some() => {}
                    _ => return Err(error),
                },
            }
            if self.guests.len() > self.most {
                self.guests.pop_front();
            }
        }
        Ok(())
    }
}

/// Connects to a node, as often as it takes to be let in.
fn call(
    address: &SocketAddr,
    company: &Company,
    node: usize,
    peer: usize,
    until: Instant,
) -> io::Result<Stream> {
    loop {
        match call_once(address, company, node, peer, until) {
            Err(error) if was_turned_away(&error) && Instant::now() + AGAIN_AFTER < until => {
                std::thread::sleep(AGAIN_AFTER);
            }
            outcome => return outcome,
        }
    }
}

fn was_turned_away(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe
    )
}

fn call_once(
    address: &SocketAddr,
    company: &Company,
    node: usize,
    peer: usize,
    until: Instant,
) -> io::Result<Stream> {
    let left = || until.saturating_duration_since(Instant::now());
    let left = || left().max(Duration::from_millis(1));
    let mut stream = TcpStream::connect_timeout(address, left())?;
    stream.set_write_timeout(Some(left()))?;
    stream.write_all(&company.greeting(node))?;
    let mut greeting = [0; GREETING_BYTES];
    stream.set_read_timeout(Some(left()))?;
    stream.read_exact(&mut greeting)?;
    if company.node_of(&greeting) != Some(peer) {
        let reason = "it is of another job, or another version of Pamir";
        return Err(io::Error::new(ErrorKind::InvalidData, reason));
    }
    joined(stream)
}

fn answer(mut stream: TcpStream, company: &Company, node: usize) -> io::Result<Stream> {
    // A new connection has room for so little.
    stream.write_all(&company.greeting(node))?;
    joined(stream)
}

/// The connection as bridges use it: it waits as long as it takes.
fn joined(stream: TcpStream) -> io::Result<Stream> {
    stream.set_nonblocking(false)?;
    // A record is written whole, and waits for nothing that could go with it.
    stream.set_nodelay(true)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    Ok(Stream::Tcp(Arc::new(stream)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn two() -> (Company, [Listener; 2]) {
        let open = || Listener::open(Ipv4Addr::LOCALHOST.into()).unwrap();
        (Company::new(2, 2).unwrap(), [open(), open()])
    }

    #[test]
    fn strangers_are_turned_away() {
        let (company, listeners) = two();
        let addresses = listeners.each_ref().map(|listener| listener.address);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| join(&listeners[0], &company, 0, &addresses));
            // It knows the port, and not the key; then one that leaves without a word.
            let stranger = Company {
                key: [0; 16],
                ..company
            };
            let until = Instant::now() + GREETING_PATIENCE;
            assert!(call_once(&addresses[0], &stranger, 1, 0, until).is_err());
            drop(TcpStream::connect(addresses[0]).unwrap());
            let second = join(&listeners[1], &company, 1, &addresses).unwrap();
            assert_eq!(first.join().unwrap().unwrap()[0].node, 1);
            assert_eq!(second[0].node, 0);
        });
    }

    #[test]
    fn strangers_who_say_nothing_hold_up_nobody() {
        let (company, listeners) = two();
        let addresses = listeners.each_ref().map(|listener| listener.address);
        // More than are kept, all of whom are at the door before the other node is.
        let connect = |_| TcpStream::connect(addresses[0]).unwrap();
        let mut silent: Vec<_> = (0..2 * MOST_STRANGERS).map(connect).collect();
        silent[0].write_all(&[0; 3]).unwrap();
        let begin = Instant::now();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| join(&listeners[0], &company, 0, &addresses));
            let second = join(&listeners[1], &company, 1, &addresses).unwrap();
            assert_eq!(first.join().unwrap().unwrap()[0].node, 1);
            assert_eq!(second[0].node, 0);
        });
        // One of them alone would have taken that long.
        assert!(begin.elapsed() < GREETING_PATIENCE);
    }
}
