//! Messages that the chooser times: their ways at the origin, their ends at the target.
//!
//! Before: a send whose route is left to the chooser ([`crate::protocol::route`]). After: the message goes the way that
//! [`crate::protocol::trials`] says; its target times the run that it is part of, and tells the origin what is the fastest.
//!
//! Invariants: one message in packets is timed at once from each origin; a target whose buffer has gaps times nothing, since it
//! does not copy as the origin asked.

use std::time::Instant;

use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::Packet;

use crate::context::Context;
use crate::protocol::completion::Completion;
use crate::protocol::explain::{Decided, SendLog};
use crate::protocol::kind;
use crate::protocol::pace::{Pace, Way};
use crate::protocol::profile::PairProfile;
use crate::protocol::route::Route;
use crate::protocol::table::SendProtocol;
use crate::protocol::trials::Timed;
use crate::tagged::buffer::Buffer;
use crate::tagged::state::request::RequestId;
use crate::tagged::state::timed_state::{Origin, Target};

impl Context {
    /// What the measured protocols mean for a message, whose buffer has `bytes` bytes, and what the target is told of it.
    #[inline(always)]
    pub(in crate::tagged) fn measured(
        &self,
        protocol: SendProtocol,
        target: usize,
        (buffer, bytes): (&Buffer, usize),
        completion: Completion,
    ) -> (SendProtocol, u16) {
        let route = Route::of(
            protocol,
            (bytes, completion),
            || self.pair_profile(target, bytes),
            || self.unit.exclusive_buffer_bytes(target),
            || self.is_in_row(target),
        );
        let sent = match route {
            Route::Settled(protocol, _) => (protocol, 0),
            Route::Packets(_) => (SendProtocol::Eager, 0),
            Route::Chosen(pace) => self.chosen(target, pace, bytes),
        };
        if let Some(log) = self.tagged.send_log.get() {
            self.log_send(log, protocol, (target, buffer, completion), (route, sent.0));
        }
        sent
    }

    #[cold]
    #[inline(never)]
    fn log_send(
        &self,
        log: &SendLog,
        row: SendProtocol,
        (target, buffer, completion): (usize, &Buffer, Completion),
        (route, protocol): (Route, SendProtocol),
    ) {
        let bytes = buffer.bytes();
        log.note(Decided {
            target,
            bytes,
            completion,
            row,
            route,
            profile: self.pair_profile(target, bytes),
            exclusive_bytes: self.unit.exclusive_buffer_bytes(target),
            protocol,
            stripes: self.stripes_of(protocol, target, buffer),
            in_one_piece: matches!(buffer, Buffer::Contiguous { .. }),
            shares_core: self.is_oversubscribed(),
        });
    }

    /// Notes the routes of sends from now on, if `PAMIR_EXPLAIN_SENDS` is on.
    pub fn log_sends_if_asked(&self) {
        if pamir_settings::EXPLAIN_SENDS.value() {
            self.log_sends();
        }
    }

    /// Notes the routes of sends from now on.
    pub fn log_sends(&self) {
        // A second call changes nothing.
        let _ = self.tagged.send_log.set(Box::default());
    }

    /// Why sends of several packets went as they did since [`Self::log_sends`]; and what goes without a route.
    pub fn explain_sends(&self) -> Option<String> {
        let log = self.tagged.send_log.get()?;
        let text = log.text(|target, pace, bytes| {
            self.with_target(target, |target| target.trials.preferred(pace, bytes))
        });
        let longest = self.table.immediate_bytes();
        Some(format!(
            "up to {longest} bytes: one packet, without a route (immediate)\n{text}"
        ))
    }

    /// The profile of this task and `target` for a message of `bytes` bytes.
    #[inline(always)]
    pub(crate) fn pair_profile(&self, target: usize, bytes: usize) -> PairProfile {
        PairProfile {
            kernel_copies: target != self.task() && self.copies_with(target),
            string_stores: self.unit.stores_without_fetch(target),
            near: self.unit.is_near(target),
            stripes: self.stripes_by_workers(bytes),
            trusts_processor: self.tagged.trusts_processor.get(),
        }
    }

    /// How the next message of `bytes` bytes to `target` goes, as the chooser says.
    pub(crate) fn chosen(&self, target: usize, pace: Pace, bytes: usize) -> (SendProtocol, u16) {
        let (way, timed) = self.with_target(target, |target| target.trials.next(pace, bytes));
        let (protocol, bufferable) = way.protocol(pace);
        (protocol, timed | bufferable)
    }

    /// Whether another message to `target` that nobody waits for at once was under way when this one, or the one before it,
    /// began. If its sender has waited for each of those before, they come one at a time.
    pub(crate) fn is_in_row(&self, target: usize) -> bool {
        self.with_target(target, |known| {
            let under_way = known
                .last
                .is_some_and(|id| self.tagged.requests.get(id).is_some());
            std::mem::replace(&mut known.in_row, under_way) || under_way
        })
    }

    /// A message has begun for which nobody waits at once.
    pub(crate) fn begin_unawaited(&self, target: usize, id: RequestId) {
        if let Some(target) = self
            .tagged
            .timed_messages
            .targets
            .borrow_mut()
            .get_mut(target)
        {
            target.last = Some(id);
        }
    }

    fn with_target<R>(&self, target: usize, act: impl FnOnce(&mut Target) -> R) -> R {
        let mut targets = self.tagged.timed_messages.targets.borrow_mut();
        targets.resize_with(self.tasks(), Default::default);
        act(&mut targets[target])
    }

    /// At the target: the packets of a message of `bytes` bytes are coming, or have been asked for.
    #[inline(always)]
    pub(crate) fn time_packets(
        &self,
        (id, origin): (RequestId, u32),
        (bytes, way): (usize, Way),
        auxiliary: u16,
    ) {
        if let Some(timed) = Timed::new(origin, bytes, way, auxiliary) {
            let in_packets = Some((id, timed));
            self.with_origin(origin, |origin| origin.in_packets = in_packets);
        }
    }

    fn with_origin<R>(&self, origin: u32, act: impl FnOnce(&mut Origin) -> R) -> R {
        let mut origins = self.tagged.timed_messages.origins.borrow_mut();
        origins.resize_with(self.tasks(), Default::default);
        act(&mut origins[origin as usize])
    }

    /// At the target: all packets of a message have come.
    #[inline]
    pub(crate) fn end_packets(&self, id: RequestId, origin: u32) -> Result<(), UnitError> {
        if self.tagged.timed_messages.origins.borrow().is_empty() {
            return Ok(());
        }
        let is_it = |(timed_id, _): &mut (RequestId, Timed)| *timed_id == id;
        match self.with_origin(origin, |origin| origin.in_packets.take_if(is_it)) {
            Some((_, timed)) => self.end_timed(timed),
            None => Ok(()),
        }
    }

    /// At the target: a message that came at once, as one packet, has come.
    #[cold]
    pub(crate) fn end_one_packet(
        &self,
        origin: u32,
        bytes: usize,
        auxiliary: u16,
    ) -> Result<(), UnitError> {
        match Timed::new(origin, bytes, Way::AtOnce, auxiliary) {
            Some(timed) => self.end_timed(timed),
            None => Ok(()),
        }
    }

    /// At the target: all data of a message that is timed has come.
    pub(crate) fn end_timed(&self, timed: Timed) -> Result<(), UnitError> {
        let now = Instant::now();
        let told = self.with_origin(timed.origin, |origin| origin.trials.end(timed, now));
        match told {
            Some(word) => self.control(timed.origin as usize, kind::PREFERENCE, word, 0, &[]),
            None => Ok(()),
        }
    }

    /// At the origin: the target has found out which way is the fastest.
    pub(crate) fn preference(&self, target: u32, packet: Packet<'_>) -> Result<(), UnitError> {
        let word = packet.auxiliary();
        let follows = self.with_target(target as usize, |known| known.trials.follow(word));
        let reason = "it prefers a way that there is not";
        let rank = target;
        follows
            .then_some(())
            .ok_or(UnitError::Packet { rank, reason })
    }
}
