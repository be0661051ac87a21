//! Handles as the integers that Fortran and other languages store.
//!
//! Most are: an object's handle is its integer. A message's request is wider, and has a
//! place in a table of [`crate::state::integers`].

use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::state::integers::{from_int, to_int};
use crate::types::*;
use std::ffi::c_int;

/// `MPI_Comm_toint`: the integer for a communicator.
pub fn comm_toint(comm: MPI_Comm) -> c_int {
    to_int(comm.0)
}

/// `MPI_Comm_fromint`: the communicator for an integer.
pub fn comm_fromint(comm: c_int) -> MPI_Comm {
    MPI_Comm(from_int(comm, MPI_COMM_NULL.0))
}

/// `MPI_Errhandler_toint`: the integer for an error handler.
pub fn errhandler_toint(errhandler: MPI_Errhandler) -> c_int {
    to_int(errhandler.0)
}

/// `MPI_Errhandler_fromint`: the error handler for an integer.
pub fn errhandler_fromint(errhandler: c_int) -> MPI_Errhandler {
    MPI_Errhandler(from_int(errhandler, MPI_ERRHANDLER_NULL.0))
}

/// `MPI_File_toint`: the integer for a file.
pub fn file_toint(file: MPI_File) -> c_int {
    to_int(file.0)
}

/// `MPI_File_fromint`: the file for an integer.
pub fn file_fromint(file: c_int) -> MPI_File {
    MPI_File(from_int(file, MPI_FILE_NULL.0))
}

/// `MPI_Group_toint`: the integer for a group.
pub fn group_toint(group: MPI_Group) -> c_int {
    to_int(group.0)
}

/// `MPI_Group_fromint`: the group for an integer.
pub fn group_fromint(group: c_int) -> MPI_Group {
    MPI_Group(from_int(group, MPI_GROUP_NULL.0))
}

/// `MPI_Info_toint`: the integer for an info object.
pub fn info_toint(info: MPI_Info) -> c_int {
    to_int(info.0)
}

/// `MPI_Info_fromint`: the info object for an integer.
pub fn info_fromint(info: c_int) -> MPI_Info {
    MPI_Info(from_int(info, MPI_INFO_NULL.0))
}

/// `MPI_Message_toint`: the integer for a message.
pub fn message_toint(message: MPI_Message) -> c_int {
    to_int(message.0)
}

/// `MPI_Message_fromint`: the message for an integer.
pub fn message_fromint(message: c_int) -> MPI_Message {
    MPI_Message(from_int(message, MPI_MESSAGE_NULL.0))
}

/// `MPI_Op_toint`: the integer for an operation.
pub fn op_toint(op: MPI_Op) -> c_int {
    to_int(op.0)
}

/// `MPI_Op_fromint`: the operation for an integer.
pub fn op_fromint(op: c_int) -> MPI_Op {
    MPI_Op(from_int(op, MPI_OP_NULL.0))
}

/// `MPI_Request_toint`: the integer for a request.
pub fn request_toint(request: MPI_Request) -> c_int {
    to_int(request.0)
}

/// `MPI_Request_fromint`: the request for an integer.
pub fn request_fromint(request: c_int) -> MPI_Request {
    MPI_Request(from_int(request, MPI_REQUEST_NULL.0))
}

/// `MPI_Session_toint`: the integer for a session.
pub fn session_toint(session: MPI_Session) -> c_int {
    to_int(session.0)
}

/// `MPI_Session_fromint`: the session for an integer.
pub fn session_fromint(session: c_int) -> MPI_Session {
    MPI_Session(from_int(session, MPI_SESSION_NULL.0))
}

/// `MPI_Type_toint`: the integer for a datatype.
pub fn type_toint(datatype: MPI_Datatype) -> c_int {
    to_int(datatype.0)
}

/// `MPI_Type_fromint`: the datatype for an integer.
pub fn type_fromint(datatype: c_int) -> MPI_Datatype {
    MPI_Datatype(from_int(datatype, MPI_DATATYPE_NULL.0))
}

/// `MPI_Win_toint`: the integer for a window.
pub fn win_toint(win: MPI_Win) -> c_int {
    to_int(win.0)
}

/// `MPI_Win_fromint`: the window for an integer.
pub fn win_fromint(win: c_int) -> MPI_Win {
    MPI_Win(from_int(win, MPI_WIN_NULL.0))
}

/// Copies a status from one address to another, both of eight `int`s.
///
/// # Safety
/// Each pointer is null or the address of eight `int`s that may be read
/// (`from`) or written (`to`).
unsafe fn copy_status(from: *const c_int, to: *mut c_int) -> Result {
    // Null is MPI_STATUS_IGNORE and MPI_F_STATUS_IGNORE, which have no value to convert.
    if from.is_null() || to.is_null() {
        return Err(ErrorClass::Arg.with("a status to convert must not be MPI_STATUS_IGNORE"));
    }
    // SAFETY: both are addresses of eight ints, as asked; copy allows them to overlap.
    unsafe { std::ptr::copy(from, to, MPI_F_STATUS_SIZE as usize) };
    Ok(())
}

/// `MPI_Status_c2f`: C status to Fortran's array.
///
/// # Safety
/// As the standard asks: both are addresses of statuses of their kinds.
pub unsafe fn status_c2f(from: *const MPI_Status, to: *mut MPI_Fint) -> Result {
    // SAFETY: the caller vouches for both; each kind of status is eight ints.
    unsafe { copy_status(from.cast(), to.cast()) }
}

/// `MPI_Status_c2f08`: C status to Fortran's derived type.
///
/// # Safety
/// As the standard asks: both are addresses of statuses of their kinds.
pub unsafe fn status_c2f08(from: *const MPI_Status, to: *mut MPI_F08_status) -> Result {
    // SAFETY: the caller vouches for both; each kind of status is eight ints.
    unsafe { copy_status(from.cast(), to.cast()) }
}

/// `MPI_Status_f082c`: Fortran's derived type to a C status.
///
/// # Safety
/// As the standard asks: both are addresses of statuses of their kinds.
pub unsafe fn status_f082c(from: *const MPI_F08_status, to: *mut MPI_Status) -> Result {
    // SAFETY: the caller vouches for both; each kind of status is eight ints.
    unsafe { copy_status(from.cast(), to.cast()) }
}

/// `MPI_Status_f082f`: Fortran's derived type to its array.
///
/// # Safety
/// As the standard asks: both are addresses of statuses of their kinds.
pub unsafe fn status_f082f(from: *const MPI_F08_status, to: *mut MPI_Fint) -> Result {
    // SAFETY: the caller vouches for both; each kind of status is eight ints.
    unsafe { copy_status(from.cast(), to.cast()) }
}

/// `MPI_Status_f2c`: Fortran's array to a C status.
///
/// # Safety
/// As the standard asks: both are addresses of statuses of their kinds.
pub unsafe fn status_f2c(from: *const MPI_Fint, to: *mut MPI_Status) -> Result {
    // SAFETY: the caller vouches for both; each kind of status is eight ints.
    unsafe { copy_status(from.cast(), to.cast()) }
}

/// `MPI_Status_f2f08`: Fortran's array to its derived type.
///
/// # Safety
/// As the standard asks: both are addresses of statuses of their kinds.
pub unsafe fn status_f2f08(from: *const MPI_Fint, to: *mut MPI_F08_status) -> Result {
    // SAFETY: the caller vouches for both; each kind of status is eight ints.
    unsafe { copy_status(from.cast(), to.cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predefined_handles_are_their_own_integers() {
        assert_eq!(comm_toint(MPI_COMM_WORLD), 0x101);
        assert_eq!(comm_fromint(0x102), MPI_COMM_SELF);
        assert_eq!(type_fromint(type_toint(MPI_DOUBLE)), MPI_DOUBLE);
    }

    #[test]
    fn statuses_survive_the_way_to_fortran_and_back() {
        let status = MPI_Status::new(5, 9, 1 << 33);
        let mut fortran = [0; MPI_F_STATUS_SIZE as usize];
        let mut back = MPI_Status::empty();
        // SAFETY: every pointer is to a status of its kind on this stack.
        unsafe {
            status_c2f(&status, fortran.as_mut_ptr()).expect("both statuses are there");
            status_f2c(fortran.as_ptr(), &mut back).expect("both statuses are there");
            assert!(status_c2f(MPI_STATUS_IGNORE, fortran.as_mut_ptr()).is_err());
        }
        assert_eq!(fortran[MPI_F_TAG as usize], 9);
        assert_eq!(back, status);
    }
}
