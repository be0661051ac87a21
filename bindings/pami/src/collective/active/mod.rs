//! Active-message collectives: one member starts, the others need not have called anything.
//!
//! Before: `PAMI_AMCollective_dispatch_set` at all members, and `PAMI_Collective` at one. After: the
//! program's functions run at all members, the one who starts among them; what they answer goes
//! back.
//!
//! ```text
//! origin                                        each member
//! START  │ head │ program's header │  data │ ──▶ function: where the data goes    (AMBROADCAST, AMSCATTER)
//! START  │ head │ program's header │       ──▶ function: what is answered         (AMGATHER, AMREDUCE)
//!                             ◀── ANSWER │ head │ data │
//! ```
//!
//! Messages go straight from the origin to each member, under two dispatch ids of the transport that
//! programs have not. Every START is acknowledged, so that the origin learns of members that have set
//! no function.

pub mod answers;
pub mod send;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{ActiveError, Completion, Receive, TransferError};

use crate::collective::Call;
use crate::collective::active::answers::Awaited;
use crate::collective::kind::TransferKind;
use crate::context::{ContextObject, context_of};
use crate::dispatch::HIGHEST_DISPATCH;
use crate::geometry::algorithms::Algorithm;
use crate::geometry::{WORLD, world};
use crate::refusal::{Code, Refusal, answer};

/// The transport's dispatch id of what the origin sends, behind those of [`crate::long_header`].
const START: u16 = 2 * (HIGHEST_DISPATCH as u16 + 1);
/// And of what comes back.
pub const ANSWER: u16 = START + 1;

/// What a member's function is, with what it gets.
#[derive(Clone, Copy)]
struct Registration {
    /// Of the type that its kind has.
    function: *mut c_void,
    cookie: *mut c_void,
}

/// What a context knows of active-message collectives.
#[derive(Default)]
pub struct ActiveCollectives {
    functions: RefCell<HashMap<(TransferKind, usize), Registration>>,
    /// Operations that were started here and whose answers are awaited.
    awaited: RefCell<HashMap<u64, Rc<Awaited>>>,
    /// How many there have been.
    started: Cell<u64>,
}

/// What comes before the program's header in a START.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    kind: TransferKind,
    geometry: u32,
    dispatch: u32,
    /// The operation, as the origin calls it.
    key: u64,
    /// Bytes of an answer.
    answer_bytes: u64,
}

impl Head {
    const BYTES: usize = 28;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&(self.kind as u32).to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.geometry.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.dispatch.to_ne_bytes());
        bytes[12..20].copy_from_slice(&self.key.to_ne_bytes());
        bytes[20..].copy_from_slice(&self.answer_bytes.to_ne_bytes());
        bytes
    }

    /// The head and the program's header, unless a peer has sent something else.
    fn split(header: &[u8]) -> Option<(Self, &[u8])> {
        let (head, rest) = header.split_first_chunk::<{ Self::BYTES }>()?;
        let half = |at: usize| {
            head[at..]
                .first_chunk()
                .map(|bytes| u32::from_ne_bytes(*bytes))
        };
        let word = |at: usize| {
            head[at..]
                .first_chunk()
                .map(|bytes| u64::from_ne_bytes(*bytes))
        };
        let head = Self {
            kind: TransferKind::of(half(0)?).filter(|kind| kind.is_active())?,
            geometry: half(4)?,
            dispatch: half(8)?,
            key: word(12)?,
            answer_bytes: word(20)?,
        };
        Some((head, rest))
    }
}

/// A START has come: calls the member's function.
fn started(object: &'static ContextObject, arrival: Arrival<'_>) -> Receive {
    let Some((head, header)) = Head::split(arrival.header) else {
        return Receive::unhandled();
    };
    let key = (head.kind, head.dispatch as usize);
    let registration = object.active().functions.borrow().get(&key).copied();
    let client = object.client();
    let geometry = if head.geometry == WORLD {
        world(client).ok()
    } else {
        client.geometries().get(head.geometry)
    };
    let (Some(registration), Some(geometry)) = (registration, geometry) else {
        return Receive::unhandled();
    };
    match head.kind {
        TransferKind::ActiveBroadcast | TransferKind::ActiveScatter => {
            send::receive(object, registration, geometry, header, arrival)
        }
        _ => answers::respond(
            object,
            registration,
            geometry,
            head,
            (header, arrival.origin),
        ),
    }
}

/// Lets a context receive the messages of active-message collectives.
///
/// # Safety
///
/// The calling thread has the context for itself.
unsafe fn listen(object: &'static ContextObject) -> Result<(), ActiveError> {
    // SAFETY: as the caller vouches.
    let context = unsafe { object.context() };
    context.set_dispatch(START, move |_, arrival| started(object, arrival))?;
    context.set_dispatch(ANSWER, move |_, arrival| answers::answered(object, arrival))
}

/// A message of an operation to one member.
struct Start<'a> {
    head: Head,
    /// The program's header.
    header: &'a [u8],
    data: &'a [u8],
}

impl Call {
    /// The header of the program's for one member, of one for each or of one for all.
    ///
    /// # Safety
    ///
    /// `headers` is readable for as many headers.
    unsafe fn header<'a>(
        &self,
        headers: *const u8,
        bytes: usize,
        index: usize,
    ) -> Result<&'a [u8], Refusal> {
        // SAFETY: the caller has the context.
        let context = unsafe { self.object.context() };
        let most = context.longest_header_bytes() - Head::BYTES;
        if bytes > most {
            return Err(Refusal::LongHeader { bytes, most });
        }
        if bytes == 0 {
            return Ok(&[]);
        }
        if headers.is_null() {
            let argument = "header";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: as the caller vouches.
        Ok(unsafe { std::slice::from_raw_parts(headers.add(index * bytes), bytes) })
    }

    /// The head of this operation's messages.
    fn head(
        &self,
        kind: TransferKind,
        dispatch: usize,
        answer_bytes: usize,
    ) -> Result<Head, Refusal> {
        let registered = self
            .object
            .active()
            .functions
            .borrow()
            .contains_key(&(kind, dispatch));
        if !registered {
            return Err(Refusal::CollectiveDispatchNotSet { dispatch });
        }
        let started = &self.object.active().started;
        started.set(started.get() + 1);
        Ok(Head {
            kind,
            geometry: self.geometry.id,
            // It was found, so it is in range.
            dispatch: dispatch as u32,
            key: started.get(),
            answer_bytes: answer_bytes as u64,
        })
    }

    /// Sends to a member; `remote` is told when it has received all.
    ///
    /// # Safety
    ///
    /// The calling thread has the context for itself, and the data stays until then.
    unsafe fn send(
        &self,
        rank: usize,
        start: Start<'_>,
        remote: impl FnOnce(Result<(), TransferError>) + 'static,
    ) -> Result<(), Refusal> {
        let header = [&start.head.to_bytes(), start.header].concat();
        let remote: Completion = Box::new(move |_, how| remote(how));
        let message = ActiveMessage {
            to: self.geometry.endpoints()[rank],
            dispatch: START,
            header: &header,
            local: None,
            remote: Some(remote),
        };
        let (source, bytes) = (start.data.as_ptr(), start.data.len());
        // SAFETY: as the caller vouches.
        unsafe { self.object.context().send_active(message, source, bytes)? };
        Ok(())
    }
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; function and
/// cookie are good as long as it lives, and the function is of the type that the algorithm's kind
/// has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_AMCollective_dispatch_set(
    context: *mut c_void,
    algorithm: usize,
    dispatch: usize,
    function: *mut c_void,
    cookie: *mut c_void,
    _options: u32,
) -> Code {
    let set = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let kind = Algorithm::of_word(algorithm)?.kind;
        if !kind.is_active() {
            return Err(Refusal::Algorithm { algorithm });
        }
        if function.is_null() {
            let argument = "fn";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for having the context.
        unsafe { listen(object)? };
        let registration = Registration { function, cookie };
        let mut functions = object.active().functions.borrow_mut();
        functions.insert((kind, dispatch), registration);
        Ok(())
    };
    answer(set())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_come_back() {
        let head = Head {
            kind: TransferKind::ActiveReduce,
            geometry: 0xFFFF_FFFE,
            dispatch: 2047,
            key: 1 << 40,
            answer_bytes: 1 << 33,
        };
        let header = [&head.to_bytes()[..], b"own"].concat();
        assert_eq!(Head::split(&header), Some((head, &b"own"[..])));
        assert_eq!(Head::split(&header[..Head::BYTES - 1]), None);
        let mut other = header;
        other[0] = TransferKind::Barrier as u8;
        assert_eq!(Head::split(&other), None);
    }
}
