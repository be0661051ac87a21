//! A message in stripes, at either end: entries for all submessages, and one completion.
//!
//! | step | origin | target |
//! |------|--------|--------|
//! | 1 | `REQUEST_TO_SEND` offers stripes | |
//! | 2 | | the receive is matched: an entry for each submessage, then `STRIPES_CLEAR` |
//! | 3 | an entry for each submessage | |
//! | 4 | each submessage is sent | each submessage is received, in any order |
//! | 5 | the countdown ends: the send is complete | the countdown ends: the receive is complete |
//!
//! Words of a `STRIPES_CLEAR`: the origin's request; series, workers and stripes; the length of each stripe; then the
//! target's request for each stripe that the masters move themselves. Stripe i is the master's
//! where i is a multiple of one more than the number of workers, else worker's
//! i modulo that, less one.
//!
//! Invariant: a message is in the list of those under way until its countdown has ended, and is
//! completed when it is taken out.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;

use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::Packet;
use pamir_shm::countdown::Countdown;

use super::Offered;
use super::configuration::Configuration;
use super::movers::from_lengths;
use super::part::Part;
use super::state::{Completion, End, Entry, Master, Moving, UnderWay, Workers};
use crate::context::Context;
use crate::gather_scatter::stripes::Submessage;
use crate::protocol::kind;
use crate::tagged::envelope::Pattern;
use crate::tagged::send::Address;
use crate::tagged::state::request::{Outcome, RequestId};

impl Context {
    /// At the target: the message has been matched; false if it cannot go in stripes.
    pub(crate) fn fetch_in_stripes(
        &self,
        id: RequestId,
        origin: u32,
        bytes: usize,
        origins_request: u64,
        offered: Offered,
    ) -> Result<bool, UnitError> {
        let own = self.workers().map_or(0, Workers::count);
        let workers = if own == offered.workers { own } else { 0 };
        let agreed = Offered { workers, ..offered };
        let whole = (End::Target, id, bytes);
        let parts = self.striping.movers.divide(bytes, agreed);
        let Some(own_stripes) = self.start_stripes(whole, origin as usize, (agreed, &parts))?
        else {
            return Ok(false);
        };
        let mut words = vec![agreed.word()];
        words.extend(parts.iter().map(|part| part.bytes as u64));
        words.extend(own_stripes.iter().map(|id| id.word()));
        let payload: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let origin = origin as usize;
        self.control(origin, kind::STRIPES_CLEAR, 0, origins_request, &payload)?;
        Ok(true)
    }

    /// At the origin: the target is ready for the stripes.
    pub(crate) fn send_stripes(&self, target: u32, packet: Packet<'_>) -> Result<(), UnitError> {
        let id = RequestId::from_word(packet.word(0));
        let Some((id, request)) = self.offered(id)? else {
            return Ok(());
        };
        let bytes = request.buffer.borrow().bytes();
        let own = self.striping.workers.get().map_or(0, Workers::count);
        let at = packet.data_at(8);
        let offered = Offered::from_word(packet.word(at));
        let offered = offered.filter(|offered| offered.workers == 0 || offered.workers == own);
        let Some(offered) = offered.filter(|offered| offered.stripes <= bytes) else {
            return Err(nonsense(target));
        };
        let lengths = (1..=offered.stripes).map(|number| packet.word(at + 8 * number) as usize);
        let lengths: Vec<usize> = lengths.collect();
        let parts = from_lengths(bytes, &lengths).ok_or_else(|| nonsense(target))?;
        let whole = (End::Origin, id, bytes);
        let own_stripes = self.start_stripes(whole, target as usize, (offered, &parts))?;
        let own_stripes = own_stripes.ok_or_else(|| nonsense(target))?;
        for (number, own_stripe) in own_stripes.into_iter().enumerate() {
            let targets_request = packet.word(at + 8 * (offered.stripes + number + 1));
            self.send_data(own_stripe, target, targets_request)?;
        }
        Ok(())
    }

    /// Enqueues an entry for each submessage; the requests of those that are this context's own.
    /// Nothing if only the buffer's owner can move it.
    fn start_stripes(
        &self,
        whole: (End, RequestId, usize),
        peer: usize,
        (division, submessages): (Offered, &[Submessage]),
    ) -> Result<Option<Vec<RequestId>>, UnitError> {
        let (end, id, _) = whole;
        let Some(parts) = self.parts_of(id, submessages) else {
            return Ok(None);
        };
        let completion = Arc::new(Completion {
            left: Countdown::new(division.stripes as u32),
            master: Arc::clone(self.master()?),
            movers: Arc::clone(&self.striping.movers),
        });
        let workers = self
            .striping
            .workers
            .get()
            .filter(|_| division.workers != 0);
        let (mut own, mut moving) = (Vec::new(), Vec::new());
        for (stripe, part) in parts.into_iter().enumerate() {
            let Some((workers, worker)) = workers.zip(division.worker(stripe)) else {
                let (request, bytes) = (self.start_own(end, peer, part), submessages[stripe].bytes);
                own.push(request);
                moving.push(Moving::begin(&completion, request, (0, bytes)));
                continue;
            };
            let entry = Entry {
                end,
                peer: peer * workers.count() + worker,
                series: division.series,
                stripe,
                mover: worker + 1,
                part,
                completion: Arc::clone(&completion),
            };
            workers.enqueue(worker, entry);
        }
        self.add_under_way(UnderWay {
            submessages: moving,
            completion,
            whole: Some(whole),
        });
        Ok(Some(own))
    }

    /// The memory of each of a message's submessages.
    fn parts_of(&self, id: RequestId, submessages: &[Submessage]) -> Option<Vec<Part>> {
        let buffer = self.tagged.requests.get(id)?.buffer.borrow();
        let parts = submessages.iter().map(|part| Part::of(&buffer, *part));
        parts.collect()
    }

    /// A request for a submessage of this context's own.
    fn start_own(&self, end: End, peer: usize, part: Part) -> RequestId {
        let (id, request) = self.tagged.requests.start(part.into_buffer());
        let bytes = match end {
            End::Origin => request.buffer.borrow().bytes(),
            End::Target => 0,
        };
        let outcome = Outcome {
            task: peer as u32,
            bytes,
            ..Outcome::default()
        };
        request.outcome.set(outcome);
        id
    }

    fn add_under_way(&self, message: UnderWay) {
        self.striping.under_way.borrow_mut().push(message);
        self.add_to_background();
    }

    /// Messages in stripes that have not ended.
    pub(crate) fn stripes_under_way(&self) -> usize {
        self.striping.under_way.borrow().len()
    }

    /// Whether a send goes in stripes, and its target has asked for them.
    pub(crate) fn is_in_stripes(&self, id: RequestId) -> bool {
        let is_it = |message: &UnderWay| matches!(message.whole, Some((End::Origin, whole, _)) if whole == id);
        self.striping.under_way.borrow().iter().any(is_it)
    }

    /// Whether a look at what is under way would end something.
    pub(crate) fn stripes_have_ended(&self) -> bool {
        let ended =
            |message: &UnderWay| message.whole.is_some() && message.completion.left.has_ended();
        let master = self.striping.master.get();
        master.is_some_and(|master| master.has_failed())
            || self.striping.under_way.borrow().iter().any(ended)
    }

    /// Goes on with the messages in stripes; how many ended.
    pub(crate) fn poll_stripes(&self) -> Result<usize, UnitError> {
        let failure = self.striping.master.get();
        if let Some(error) = failure.and_then(|master| master.failure.lock().take()) {
            return Err(error);
        }
        let mut messages = self.striping.under_way.take();
        let before = messages.len();
        messages.retain_mut(|message| {
            message
                .submessages
                .retain(|moving| !self.end_submessage(moving, &message.completion));
            !self.end_message(message)
        });
        let ended = before - messages.len();
        let mut under_way = self.striping.under_way.borrow_mut();
        // What was added meanwhile comes behind what was there before.
        messages.append(&mut under_way);
        *under_way = messages;
        Ok(ended)
    }

    /// Counts a submessage that is complete, once.
    fn end_submessage(&self, moving: &Moving, completion: &Completion) -> bool {
        let id = moving.request;
        let Some(request) = self.tagged.requests.get(id) else {
            return true;
        };
        let complete = request.is_complete();
        if complete {
            self.tagged.requests.free(id, request);
            completion.count(moving);
        }
        complete
    }

    /// Completes the whole message once everything has been counted; a worker, whose message it
    /// is not, has nothing more to do with it when its own submessages are.
    fn end_message(&self, message: &UnderWay) -> bool {
        let Some((end, id, bytes)) = message.whole else {
            return message.submessages.is_empty();
        };
        if !message.completion.left.has_ended() {
            return false;
        }
        match (end, self.tagged.requests.get(id)) {
            (End::Origin, _) => self.sent(id),
            (End::Target, Some(request)) => self.received(id, request, bytes),
            (End::Target, None) => {}
        }
        true
    }

    /// In a worker: starts a submessage as a message of its own.
    pub(super) fn start_entry(&self, entry: Entry) -> Result<(), UnitError> {
        let Entry {
            end,
            peer,
            series,
            stripe,
            mover,
            part,
            completion,
        } = entry;
        let bytes = part.bytes();
        let tag = stripe as i32;
        let id = match end {
            End::Origin => {
                let id = self.start_own(end, peer, part);
                let to = Address {
                    task: peer,
                    context: series,
                    tag,
                };
                // SAFETY: the part's memory is the whole message's, whose request keeps it
                // until this submessage has been counted.
                unsafe { self.ask(id, to, None)? };
                id
            }
            End::Target => {
                let pattern = Pattern::new(series, Some(peer as u32), Some(tag));
                // SAFETY: as above.
                unsafe { self.receive(pattern, part.into_buffer())?.id() }
            }
        };
        self.add_under_way(UnderWay {
            submessages: vec![Moving::begin(&completion, id, (mover, bytes))],
            completion,
            whole: None,
        });
        Ok(())
    }

    /// What workers know of this context.
    pub(super) fn master(&self) -> Result<&Arc<Master>, UnitError> {
        if self.striping.master.get().is_none() {
            let master = Master {
                doorbell: self.doorbell()?,
                failure: Mutex::default(),
                failed: AtomicBool::new(false),
            };
            // A value that is there already is as good.
            let _ = self.striping.master.set(Arc::new(master));
        }
        Ok(self.striping.master.get().expect("it was just made"))
    }

    /// How many workers run.
    #[cfg(test)]
    pub(super) fn started_workers(&self) -> usize {
        self.workers().map_or(0, Workers::count)
    }

    /// Divides large messages with so many workers; only the first call counts. For contexts of
    /// [`crate::client::MPI`], or of a job of their own.
    pub fn set_striping(&self, configuration: Configuration) {
        let _ = self.striping.configuration.set(configuration);
    }

    /// What was said by [`Self::set_striping`].
    pub(super) fn striping_configuration(&self) -> Configuration {
        self.striping
            .configuration
            .get()
            .cloned()
            .unwrap_or_default()
    }

    /// What stripes have moved at this end, and why messages went in one piece, on standard error, if
    /// `PAMIR_SELECTION_REPORT` asks for it.
    pub fn print_striping_report(&self) {
        if !pamir_settings::SELECTION_REPORT.value() {
            return;
        }
        let task = self.task();
        if let Some(line) = self.striping.movers.line() {
            eprintln!("pamir: rank {task}: stripes of messages: {line}");
        }
        if let Some(line) = self.striping.whole.line() {
            eprintln!("pamir: rank {task}: large messages in one piece: {line}");
        }
    }

    /// Ends the workers, when no message is under way any more.
    pub fn end_workers(&self) {
        if let Some(workers) = self.striping.workers.get() {
            workers.end();
        }
    }
}

fn nonsense(rank: u32) -> UnitError {
    UnitError::Packet {
        rank,
        reason: "it asks for stripes that were not offered",
    }
}
