//! Dispatch ids: which function of the program's receives a message.
//!
//! Before: `PAMI_Dispatch_set`. After: when a message arrives, the transport's dispatch table
//! calls a [`Listener`], which calls the program's function and takes its `pami_recv_t`.
//!
//! ```text
//! no data, or header and data short ──▶ function(.., data, no pami_recv_t)     immediate
//! longer, or never immediate ──▶ function(.., no data, pami_recv_t)            asynchronous
//!                                     └─▶ its address ──▶ local_fn when all data is there
//! ```
//!
//! Short is what `PAMI_DISPATCH_RECV_IMMEDIATE_MAX` tells, though more may have come with the packet: programs expect
//! a `pami_recv_t` above it. A program that says that all its messages are immediate gets what the packet has.
//!
//! A header that is too long for a packet travels as data, under a second id of the transport:
//! see [`crate::message::long_header`].

use pamir_transport::active::Receive;
use pamir_transport::active::dispatch::Arrival;

use crate::context::Held;
use crate::context::endpoint::word_of;
use crate::context::receivers::Receiver;
use crate::edge::handle::Object;
use crate::message::place::Place;
use crate::structures::Hint;

/// What receives the messages of a dispatch id in a context.
#[derive(Clone, Copy)]
pub struct Listener {
    /// The context.
    pub context: Held,
    /// Whom it calls.
    pub receiver: Receiver,
}

impl Listener {
    /// Whether the function is given a message, all of which is there, with the call.
    pub fn takes_immediately(&self, header: &[u8], data: &[u8]) -> bool {
        let most = match self.receiver.hints.recv_immediate() {
            Hint::Disable => return false,
            Hint::Enable => self.context.packet_bytes(),
            _ => self.context.received_immediately(),
        };
        data.is_empty() || header.len() + data.len() <= most
    }

    /// Calls the function for a message all of which is there.
    pub fn give(&self, origin: u32, header: &[u8], data: &[u8]) {
        let call = self.receiver.call;
        call.give(self.context.handle().raw(), origin, header, data);
    }

    /// Calls the function for a message of `bytes` bytes of data; where they go.
    pub fn ask(&self, origin: u32, header: &[u8], bytes: usize) -> Place {
        let call = self.receiver.call;
        let receive = call.ask(self.context.handle().raw(), origin, header, bytes);
        Place::new(&self.context, self.receiver.hints, &receive, bytes)
    }

    /// Receives a message.
    pub fn receive(&self, arrival: Arrival<'_>) -> Receive {
        let origin = word_of(arrival.origin);
        match arrival.data {
            Some(data) if self.takes_immediately(arrival.header, data) => {
                self.give(origin, arrival.header, data);
                Receive::nowhere()
            }
            _ => self.ask(origin, arrival.header, arrival.bytes).receive(),
        }
    }
}
