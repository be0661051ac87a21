//! In how many stripes a message goes, and who moves each.
//!
//! Before: [`crate::tagged::send`] has a message that asks its target. After: the offer goes with
//! the question, and [`super::message`] divides the message at both ends as it says.
//!
//! ```text
//! bit 0..32 series     32..48 workers     48..64 stripes
//! ```
//!
//! Invariant: a message has at least as many bytes as stripes, and at least two of those.

use super::Offered;
use super::part::Part;
use super::reason::Whole;
use super::state::Workers;
use crate::context::Context;
use crate::gather_scatter::stripes::Submessage;
use crate::protocol::table::{ScatteredStripes, SendProtocol, Stripes};
use crate::selection::{Choice, Situation};
use crate::tagged::buffer::Buffer;

/// How many stripes a table says for a message; `counted` if it is going to be sent.
fn said_by<A: Choice>(
    bytes: usize,
    situation: Situation,
    counted: bool,
    number: fn(A) -> usize,
) -> usize {
    let ranges = A::table().ranges(situation);
    ranges.map_or(1, |ranges| {
        let choice = ranges.select(bytes);
        if counted {
            A::table().count(choice);
        }
        number(choice)
    })
}

impl Context {
    /// In how many stripes a message goes, by the tables and the number of workers; `counted`
    /// if it is going to be sent.
    fn stripes_for(
        &self,
        protocol: SendProtocol,
        contiguous: bool,
        bytes: usize,
        counted: bool,
    ) -> usize {
        let configured = self.striping.configuration.get();
        let workers = configured.map_or(0, |configuration| configuration.workers);
        let said = || self.stripes_by_table(contiguous, bytes, counted);
        let stripes = match protocol {
            SendProtocol::Striped => said().max(2),
            SendProtocol::Rendezvous
            | SendProtocol::RendezvousTogether
            | SendProtocol::RendezvousMeasured
                if workers != 0 =>
            {
                said().min(workers + 1)
            }
            _ => 1,
        };
        stripes.min(bytes).max(1)
    }

    /// How many stripes the table of the message's layout says.
    fn stripes_by_table(&self, contiguous: bool, bytes: usize, counted: bool) -> usize {
        let oversubscribed = self.unit.is_job_oversubscribed();
        let situation = Situation::new(self.tasks(), true).oversubscribed(oversubscribed);
        if contiguous {
            said_by(bytes, situation, counted, Stripes::count)
        } else {
            said_by(bytes, situation, counted, ScatteredStripes::count)
        }
    }

    /// In how many stripes workers move a message of `bytes` bytes that lies in one piece; 1 if there are none.
    #[inline]
    pub(crate) fn stripes_by_workers(&self, bytes: usize) -> usize {
        let configured = self.striping.configuration.get();
        match configured.map_or(0, |configuration| configuration.workers) {
            0 => 1,
            _ => self.stripes_for(SendProtocol::RendezvousMeasured, true, bytes, false),
        }
    }

    /// How a message of `bytes` bytes would be sent, in words, for users who wonder why it is
    /// slow: by which protocol, and in how many stripes.
    pub fn explain_send(&self, contiguous: bool, bytes: usize) -> String {
        let protocol = if contiguous {
            self.table.protocol_of_one_piece(bytes)
        } else {
            self.table.protocol(bytes)
        };
        let name = protocol.name();
        let stripes = self.stripes_for(protocol, contiguous, bytes, false);
        let configured = self.striping.configuration.get();
        let workers = configured.map_or(0, |configuration| configuration.workers);
        match (stripes, workers) {
            (1, _) => format!("{name}, in one piece"),
            (_, 0) => format!("{name}, in {stripes} stripes, all by the sender's own thread"),
            (_, 1) => format!("{name}, in {stripes} stripes, by a worker and the sender's thread"),
            _ => format!(
                "{name}, in {stripes} stripes, by {workers} workers and the sender's thread"
            ),
        }
    }

    /// In how many stripes a message goes to `target`, if that can take it so.
    pub(crate) fn stripes_of(
        &self,
        protocol: SendProtocol,
        target: usize,
        buffer: &Buffer,
    ) -> usize {
        (self.may_divide(protocol, target, buffer, false)).unwrap_or(1)
    }

    /// In how many stripes a message goes, or why in one piece; `counted` if it is going to be sent.
    fn may_divide(
        &self,
        protocol: SendProtocol,
        target: usize,
        buffer: &Buffer,
        counted: bool,
    ) -> Result<usize, Whole> {
        if !self.unit.shares_memory(target) {
            // One connection carries what goes to another node, however many threads fill it.
            return Err(Whole::OtherNode);
        }
        let contiguous = matches!(buffer, Buffer::Contiguous { .. });
        let bytes = buffer.bytes();
        let stripes = self.stripes_for(protocol, contiguous, bytes, counted);
        if stripes < 2 {
            let short = self.stripes_by_table(contiguous, bytes, false) < 2;
            return Err(if short {
                Whole::Short
            } else {
                Whole::NoWorkers
            });
        }
        // Whether any thread may move it.
        let part = Part::of(buffer, Submessage { offset: 0, bytes });
        part.map(|_| stripes).ok_or(Whole::OwnThread)
    }

    /// What the target of a send is offered, if the message goes in stripes.
    pub(crate) fn offer_stripes(
        &self,
        protocol: SendProtocol,
        target: usize,
        buffer: &Buffer,
    ) -> Option<Offered> {
        let stripes = match self.may_divide(protocol, target, buffer, true) {
            Ok(stripes) => stripes,
            Err(reason) => {
                self.striping.whole.count(reason);
                return None;
            }
        };
        let series = self.striping.series.get();
        self.striping.series.set(series.wrapping_add(1));
        Some(Offered {
            series,
            workers: self.workers().map_or(0, Workers::count),
            stripes,
        })
    }
}
