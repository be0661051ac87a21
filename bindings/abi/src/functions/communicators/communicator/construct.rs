//! Making communicators from communicators (MPI-5.0 section 7.4.2).
//!
//! Before: the C call. After: `pamir_mpi::communicator::construct`, and a handle.

use std::cell::RefCell;
use std::ffi::c_int;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll, Waker};

use pamir_mpi::communicator::Communicator;
use pamir_mpi::communicator::construct;
use pamir_mpi::communicator::context_id::ContextIdError;
use pamir_mpi::communicator::{Choice, ConstructError};
use pamir_mpi::info::Info;
use pamir_transport::context::Background;

use crate::argument::{address, store};
use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Result};
use crate::process::running;
use crate::state::State;
use crate::state::infos;
use crate::state::requests::Compound;
use crate::types::*;

impl From<ConstructError> for Error {
    #[cold]
    fn from(error: ConstructError) -> Self {
        let class = match error {
            ConstructError::NotAMember => ErrorClass::Group,
            ConstructError::Overlap { .. } => ErrorClass::Comm,
            ConstructError::ContextId(ContextIdError::Exhausted) => ErrorClass::NoMem,
            ConstructError::NotAGroup => ErrorClass::Other,
            _ => ErrorClass::Intern,
        };
        class.with(error.to_string())
    }
}

/// Gives the program a handle of a communicator.
///
/// # Safety
///
/// `target` is writable.
unsafe fn give(state: &State, communicator: Option<Rc<Communicator>>, target: *mut MPI_Comm) {
    let handle = communicator.map_or(MPI_COMM_NULL, |new| state.communicators.insert(new));
    // SAFETY: as the caller vouches.
    unsafe { target.write(handle) };
}

/// Copies the attributes of `comm` to its duplicate; those that were copied are deleted
/// again where one cannot be.
fn copy_attributes(comm: MPI_Comm, old: &Communicator, new: &Communicator) -> Result {
    let copied = old.attributes().copy_all(comm.0 as u64, new.attributes());
    copied.map_err(|error| {
        // The first error is the one to tell.
        let _ = new.attributes().delete_all(comm.0 as u64);
        error.into()
    })
}

/// A blocking duplicate with the hints of `hints`.
///
/// # Safety
///
/// `newcomm` is null or writable.
unsafe fn duplicate(comm: MPI_Comm, hints: Option<Info>, newcomm: *mut MPI_Comm) -> Result {
    let state = running()?;
    let parent = state.communicator(comm)?;
    address(newcomm, "newcomm")?;
    // All members talk to each other first: a copy function that fails at one of them must
    // not leave the others waiting.
    let new = construct::duplicate(&state.process, &parent)?;
    copy_attributes(comm, &parent, &new)?;
    if let Some(hints) = hints {
        new.add_hints(&hints);
    }
    // SAFETY: as the caller vouches.
    unsafe { give(&state, Some(new), newcomm) };
    Ok(())
}

/// `MPI_Comm_dup`, section 7.4.2: hints are not copied.
///
/// # Safety
///
/// `newcomm` is null or writable.
pub unsafe fn comm_dup(comm: MPI_Comm, newcomm: *mut MPI_Comm) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { duplicate(comm, None, newcomm) }
}

/// `MPI_Comm_dup_with_info`, section 7.4.2.
///
/// # Safety
///
/// `newcomm` is null or writable.
pub unsafe fn comm_dup_with_info(comm: MPI_Comm, info: MPI_Info, newcomm: *mut MPI_Comm) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { duplicate(comm, Some(infos::hints(info)?), newcomm) }
}

type Agreement = Pin<Box<dyn Future<Output = std::result::Result<(), ConstructError>>>>;

/// A duplicate whose members are agreeing on a context id.
struct Duplication {
    comm: MPI_Comm,
    /// `None` while it is polled, and when it has ended.
    agreement: RefCell<Option<Agreement>>,
    outcome: RefCell<Option<std::result::Result<(), ConstructError>>>,
}

impl Background for Duplication {
    fn poll(&self) -> bool {
        let Some(mut agreement) = self.agreement.take() else {
            return self.outcome.borrow().is_some();
        };
        let mut task = TaskContext::from_waker(Waker::noop());
        match agreement.as_mut().poll(&mut task) {
            Poll::Ready(outcome) => {
                self.outcome.replace(Some(outcome));
                true
            }
            Poll::Pending => {
                self.agreement.replace(Some(agreement));
                false
            }
        }
    }
}

/// The request of a duplication.
struct DuplicationRequest(Rc<Duplication>);

impl Compound for DuplicationRequest {
    fn is_complete(&self) -> bool {
        self.0.outcome.borrow().is_some()
    }

    fn finish(&self) -> (MPI_Status, Result) {
        let outcome = self.0.outcome.take().unwrap_or(Ok(()));
        let object = Object::Communicator(self.0.comm);
        let result = outcome.map_err(|error| Error::from(error).on(object));
        (MPI_Status::empty(), result)
    }

    fn status(&self) -> MPI_Status {
        MPI_Status::empty()
    }
}

/// A nonblocking duplicate with the hints of `hints`.
///
/// # Safety
///
/// `newcomm` and `request` are null or writable.
unsafe fn duplicate_later(
    comm: MPI_Comm,
    hints: Option<Info>,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    let parent = state.communicator(comm)?;
    address(newcomm, "newcomm")?;
    address(request, "request")?;
    let (new, agreement) = construct::duplicate_later(&state.process, &parent);
    copy_attributes(comm, &parent, &new)?;
    if let Some(hints) = hints {
        new.add_hints(&hints);
    }
    let duplication = Rc::new(Duplication {
        comm,
        agreement: RefCell::new(Some(Box::pin(agreement))),
        outcome: RefCell::new(None),
    });
    if !duplication.poll() {
        let context = state.process.context();
        context.add_background(duplication.clone());
    }
    let handle = state.requests.insert(DuplicationRequest(duplication));
    // SAFETY: as the caller vouches.
    unsafe {
        give(&state, Some(new), newcomm);
        store(request, handle, "request")
    }
}

/// `MPI_Comm_idup`, section 7.4.2.
///
/// # Safety
///
/// `newcomm` and `request` are null or writable.
pub unsafe fn comm_idup(
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { duplicate_later(comm, None, newcomm, request) }
}

/// `MPI_Comm_idup_with_info`, section 7.4.2.
///
/// # Safety
///
/// `newcomm` and `request` are null or writable.
pub unsafe fn comm_idup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { duplicate_later(comm, Some(infos::hints(info)?), newcomm, request) }
}

/// Refuses a group with members that the communicator does not have.
fn check_subset(communicator: &Communicator, group: &pamir_mpi::group::Group) -> Result {
    let outside = group
        .tasks()
        .find(|task| !communicator.group().contains(*task));
    match outside {
        None => Ok(()),
        Some(task) => Err(ErrorClass::Group.with(format!(
            "the group has a process (rank {task} in MPI_COMM_WORLD) that is not in the communicator's"
        ))),
    }
}

/// `MPI_Comm_create`, section 7.4.2.
///
/// # Safety
///
/// `newcomm` is null or writable.
pub unsafe fn comm_create(comm: MPI_Comm, group: MPI_Group, newcomm: *mut MPI_Comm) -> Result {
    let state = running()?;
    let parent = state.communicator(comm)?;
    let group = state.groups.named(group)?;
    address(newcomm, "newcomm")?;
    check_subset(&parent, &group)?;
    let new = construct::create(&state.process, &parent, &group)?;
    // SAFETY: as the caller vouches.
    unsafe { give(&state, new, newcomm) };
    Ok(())
}

/// `MPI_Comm_create_group`, section 7.4.2.
///
/// # Safety
///
/// `newcomm` is null or writable.
pub unsafe fn comm_create_group(
    comm: MPI_Comm,
    group: MPI_Group,
    tag: c_int,
    newcomm: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = state.communicator(comm)?;
    let group = state.groups.named(group)?;
    address(newcomm, "newcomm")?;
    if parent.is_inter() {
        return Err(ErrorClass::Comm.with("MPI_Comm_create_group takes no inter-communicator"));
    }
    if tag < 0 {
        return Err(ErrorClass::Tag.with(format!("a tag is at least 0, not {tag}")));
    }
    check_subset(&parent, &group)?;
    let own = state.process.context().task() as u32;
    let new = if group.contains(own) {
        Some(construct::create_group(
            &state.process,
            &parent,
            &group,
            tag,
        )?)
    } else {
        None
    };
    // SAFETY: as the caller vouches.
    unsafe { give(&state, new, newcomm) };
    Ok(())
}

/// A collective split of `comm`.
///
/// # Safety
///
/// `newcomm` is writable.
pub(super) unsafe fn split_by(
    state: &State,
    parent: &Communicator,
    choice: Choice,
    newcomm: *mut MPI_Comm,
) -> Result {
    let new = construct::split(&state.process, parent, choice)?;
    // SAFETY: as the caller vouches.
    unsafe { give(state, new, newcomm) };
    Ok(())
}

/// `MPI_Comm_split`, section 7.4.2.
///
/// # Safety
///
/// `newcomm` is null or writable.
pub unsafe fn comm_split(
    comm: MPI_Comm,
    color: c_int,
    key: c_int,
    newcomm: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = state.communicator(comm)?;
    address(newcomm, "newcomm")?;
    if color < 0 && color != MPI_UNDEFINED {
        return Err(ErrorClass::Arg.with(format!(
            "a colour is at least 0 or MPI_UNDEFINED, not {color}"
        )));
    }
    let color = (color >= 0).then_some(color);
    // SAFETY: as the caller vouches.
    unsafe { split_by(&state, &parent, Choice { color, key }, newcomm) }
}
