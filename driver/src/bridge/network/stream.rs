//! A connection to another node, which the threads of a bridge share.
//!
//! Before: [`super::join`]. After: one thread reads, another writes, and the end of the bridge
//! shuts the connection down.
//! Invariant: a connection is one descriptor, however many hold it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// A connection to another node.
#[derive(Clone, Debug)]
pub enum Stream {
    /// On this machine.
    Unix(Arc<UnixStream>),
    /// Anywhere.
    Tcp(Arc<TcpStream>),
}

impl Stream {
    /// Ends it for everybody who reads or writes it, also now.
    pub(in crate::bridge) fn shut_down(&self) {
        // The only error is that it has ended already.
        let _ = match self {
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
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
            Self::Unix(stream) => (&**stream).read(bytes),
            Self::Tcp(stream) => (&**stream).read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => (&**stream).write(bytes),
            Self::Tcp(stream) => (&**stream).write(bytes),
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
