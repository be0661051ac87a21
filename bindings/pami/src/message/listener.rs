//! Dispatch ids: which function of the program's receives a message.
//!
//! Before: `PAMI_Dispatch_set`. After: when a message arrives, the transport's dispatch table
//! calls a [`Listener`], which calls the program's function and takes its `pami_recv_t`.
//!
//! ```text
//! message of one packet ──▶ function(.., data, no pami_recv_t)             immediate
//! longer, or never immediate ──▶ function(.., no data, pami_recv_t)        asynchronous
//!                                     └─▶ its address ──▶ local_fn when all data is there
//! ```
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

/// What receives the messages of a dispatch id in a context.
#[derive(Clone, Copy)]
pub struct Listener {
    /// The context.
    pub context: Held,
    /// Whom it calls.
    pub receiver: Receiver,
}

impl Listener {
    /// How many bytes of data the function may be given with the call.
    pub fn immediate_bytes(&self) -> usize {
        self.context.packet_bytes()
    }

    /// Whether the function may be given the data with the call.
    pub fn takes_immediately(&self) -> bool {
        self.receiver.takes_immediately()
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
            Some(data) if self.takes_immediately() => {
                self.give(origin, arrival.header, data);
                Receive::nowhere()
            }
            _ => self.ask(origin, arrival.header, arrival.bytes).receive(),
        }
    }
}
