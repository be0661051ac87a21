//! Fences: everything that was sent before is where it should be.
//!
//! Before: [`Context::fence`], for one endpoint or all that were used. After: the completion is
//! called when every message has been received, and every transfer has ended.
//!
//! | from     | to       | when |
//! |----------|----------|------|
//! | draining | asked    | no transfer that was under way towards the target is left |
//! | asked    | answered | the target acknowledges a message that came behind all others in its lane |
//! | draining, asked | failed | the target has left |
//!
//! A message whose data the target was asked to fetch is in the lane when its transfer ends
//! here, so the question comes behind the data.

use std::cell::Cell;
use std::rc::Rc;

use pamir_driver::unit::UnitError;

use crate::active::send::ActiveMessage;
use crate::active::state::waits::{Fence, Part, Stage};
use crate::active::{ActiveError, Completion, TransferError};
use crate::context::Context;
use crate::context::endpoint::Endpoint;

/// Dispatch id of a fence's question; it is answered by being acknowledged.
pub(crate) const FENCE: u16 = u16::MAX - 3;

impl Part {
    fn poll(&mut self, context: &Context) -> Result<(), UnitError> {
        if matches!(self.stage.get(), Stage::Ended(_)) {
            return Ok(());
        }
        if context.has_left(self.target)? {
            self.stage.set(Stage::Ended(Err(TransferError::Left)));
            return Ok(());
        }
        if self.stage.get() == Stage::Asked {
            return Ok(());
        }
        let operations = &context.active.operations;
        self.words.retain(|word| operations.is_under_way(*word));
        if self.words.is_empty() {
            self.ask(context)?;
        }
        Ok(())
    }

    fn ask(&self, context: &Context) -> Result<(), UnitError> {
        self.stage.set(Stage::Asked);
        let stage = Rc::clone(&self.stage);
        let message = ActiveMessage {
            to: context.place.endpoint(self.target),
            dispatch: FENCE,
            header: &[],
            local: None,
            remote: Some(Box::new(move |_, how| stage.set(Stage::Ended(how)))),
        };
        context.start_header(self.target, message)
    }
}

impl Context {
    /// Calls `done` when everything that this context has sent, put, got or modified before has
    /// ended at `target`, or at all endpoints if none is named; at the next advance or later.
    pub fn fence(&self, target: Option<Endpoint>, done: Completion) -> Result<(), ActiveError> {
        let targets = match target {
            Some(endpoint) => {
                let unit = self.unit_of(endpoint)?;
                unit..unit + 1
            }
            None => 0..self.unit.ranks(),
        };
        let mut fences = self.active.fences.borrow_mut();
        // What an earlier fence still waits for is not marked any more.
        let parts = targets.filter(|unit| {
            self.active.peers.take_used(*unit) || fences.iter().any(|fence| fence.concerns(*unit))
        });
        let parts = parts.map(|target| Part {
            target,
            words: self.active.operations.towards(target),
            stage: Rc::new(Cell::new(Stage::Draining)),
        });
        let parts = parts.collect();
        let done = Some(done);
        fences.push(Fence { parts, done });
        drop(fences);
        self.add_to_background();
        Ok(())
    }

    /// Goes on with every fence; how many have ended.
    pub(crate) fn poll_fences(&self) -> Result<usize, UnitError> {
        let mut fences = self.active.fences.take();
        let mut ended = Vec::new();
        let mut outcome = Ok(());
        fences.retain_mut(|fence| {
            for part in &mut fence.parts {
                outcome = std::mem::replace(&mut outcome, Ok(())).and(part.poll(self));
            }
            let how = fence.outcome();
            ended.extend(how.map(|how| (fence.done.take(), how)));
            how.is_none()
        });
        let mut new = self.active.fences.borrow_mut();
        fences.append(&mut new);
        *new = fences;
        drop(new);
        let count = ended.len();
        for (done, how) in ended {
            self.complete(done, how);
        }
        outcome.map(|()| count)
    }
}
