//! The buffers that buffered sends are counted against (MPI-5.0 section 3.6).
//!
//! Data is kept in memory of the library's own; the attached buffer says how much of it a program
//! may have under way. A communicator has a buffer of its own, or uses the process's.

use std::cell::RefCell;
use std::collections::HashMap;

use pamir_mpi::point_to_point::take;
use pamir_transport::context::Context;
use pamir_transport::tagged::state::request::RequestId;

use crate::error::{ErrorClass, Result};
use crate::types::MPI_Comm;

/// What the program attached.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Where; the library only gives it back.
    pub address: usize,
    /// Bytes, as the program said.
    pub size: i64,
    /// The library takes as much as there is memory (`MPI_BUFFER_AUTOMATIC`).
    pub is_automatic: bool,
}

/// An attached buffer, and the sends that are counted against it.
#[derive(Debug)]
struct Attached {
    given: Given,
    sends: Vec<(RequestId, usize)>,
    /// Bytes that the sends take, with their overhead.
    used: i64,
    /// How many sends there may be before those that have ended are looked for.
    patience: usize,
}

/// Sends that are kept before anybody looks which have ended.
const LEAST_PATIENCE: usize = 64;

/// What a message of `bytes` bytes takes of the attached buffer.
fn room_for(bytes: usize) -> i64 {
    bytes as i64 + i64::from(crate::face::overhead())
}

impl Attached {
    /// Forgets what has ended.
    fn sweep(&mut self, context: &Context) {
        let used = &mut self.used;
        self.sends.retain(|(id, bytes)| {
            let under_way = take(context, *id).is_none();
            if !under_way {
                *used -= room_for(*bytes);
            }
            under_way
        });
        // Twice what is left: each send is looked at a few times, however many there are.
        self.patience = (2 * self.sends.len()).max(LEAST_PATIENCE);
    }

    /// Whether a message that takes `needed` bytes fits.
    fn has_room(&self, needed: i64) -> bool {
        self.given.is_automatic || self.used + needed <= self.given.size
    }
}

/// Names a buffer: a communicator's, or the process's.
#[derive(Clone, Copy, Debug)]
pub struct Space(usize);

impl Space {
    /// The process's buffer.
    pub const PROCESS: Self = Self(0);

    /// The buffer of a communicator's own.
    pub fn own(comm: MPI_Comm) -> Self {
        Self(comm.0)
    }
}

/// The attached buffers.
#[derive(Debug, Default)]
pub struct Buffers(RefCell<HashMap<usize, Attached>>);

impl Buffers {
    /// The buffer that sends of a communicator use.
    pub fn used_by(&self, comm: MPI_Comm) -> Space {
        if self.0.borrow().contains_key(&comm.0) {
            Space::own(comm)
        } else {
            Space::PROCESS
        }
    }

    /// Attaches a buffer.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_ARG` for a negative size, `MPI_ERR_BUFFER` where one is attached already.
    pub fn attach(&self, space: Space, given: Given) -> Result {
        if given.size < 0 {
            let text = format!("a buffer's size is at least 0, not {}", given.size);
            return Err(ErrorClass::Arg.with(text));
        }
        if self.0.borrow().contains_key(&space.0) {
            let text = "a buffer is already attached: detach it first";
            return Err(ErrorClass::Buffer.with(text));
        }
        let attached = Attached {
            given,
            sends: Vec::new(),
            used: 0,
            patience: LEAST_PATIENCE,
        };
        self.0.borrow_mut().insert(space.0, attached);
        Ok(())
    }

    /// Waits until the sends have ended.
    ///
    /// # Errors
    ///
    /// Those of progress.
    pub fn flush(&self, context: &Context, space: Space) -> Result {
        Ok(context.advance_until(|| self.is_drained(context, space))?)
    }

    /// Whether nothing is under way any more; what has ended is forgotten.
    fn is_drained(&self, context: &Context, space: Space) -> bool {
        let mut buffers = self.0.borrow_mut();
        let Some(attached) = buffers.get_mut(&space.0) else {
            return true;
        };
        attached.sweep(context);
        attached.sends.is_empty()
    }

    /// Takes a buffer away when its sends have ended; none if there is none.
    ///
    /// # Errors
    ///
    /// Those of progress.
    pub fn detach(&self, context: &Context, space: Space) -> Result<Option<Given>> {
        self.flush(context, space)?;
        let attached = self.0.borrow_mut().remove(&space.0);
        Ok(attached.map(|attached| attached.given))
    }

    /// Makes sure that there is room for a message of `bytes` bytes.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_BUFFER` where no buffer is attached, or too little of it is free.
    pub fn take(&self, context: &Context, space: Space, bytes: usize) -> Result {
        context.advance()?;
        let needed = room_for(bytes);
        let mut buffers = self.0.borrow_mut();
        let Some(attached) = buffers.get_mut(&space.0) else {
            let text =
                "no buffer is attached for buffered sends: attach one with MPI_Buffer_attach";
            return Err(ErrorClass::Buffer.with(text));
        };
        if attached.sends.len() >= attached.patience || !attached.has_room(needed) {
            attached.sweep(context);
        }
        if attached.has_room(needed) {
            return Ok(());
        }
        let size = attached.given.size;
        Err(ErrorClass::Buffer.with(format!(
            "a buffered send needs {needed} bytes, and {} of the attached buffer's {size} are free: attach a larger one with MPI_Buffer_attach",
            size - attached.used
        )))
    }

    /// A send of `bytes` bytes is under way.
    pub fn hold(&self, context: &Context, space: Space, id: RequestId, bytes: usize) {
        let mut buffers = self.0.borrow_mut();
        match buffers.get_mut(&space.0) {
            Some(attached) => {
                attached.sends.push((id, bytes));
                attached.used += room_for(bytes);
            }
            None => let_go(context, id),
        }
    }

    /// The sends that a buffer holds.
    pub fn sends(&self, space: Space) -> Vec<RequestId> {
        let buffers = self.0.borrow();
        let held = buffers.get(&space.0).into_iter();
        held.flat_map(|attached| attached.sends.iter().map(|(id, _)| *id))
            .collect()
    }

    /// Forgets the sends that have ended, which keep their communicators.
    pub fn sweep(&self, context: &Context) {
        let mut buffers = self.0.borrow_mut();
        buffers
            .values_mut()
            .for_each(|attached| attached.sweep(context));
    }

    /// A communicator is freed, and its buffer with it. What is under way goes on: the data is in
    /// memory of the library's own.
    pub fn forget(&self, context: &Context, comm: MPI_Comm) {
        let Some(attached) = self.0.borrow_mut().remove(&comm.0) else {
            return;
        };
        for (id, _) in attached.sends {
            let_go(context, id);
        }
    }
}

/// Nobody will ask for the send any more; it goes on, and then frees itself.
fn let_go(context: &Context, id: RequestId) {
    if let Some(request) = context.requests().get(id) {
        context.requests().detach(id, request);
    }
}
