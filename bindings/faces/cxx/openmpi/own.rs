//! Functions that only Open MPI's library has, or that its classes have in their tables.
//!
//! What: constructors, keys, statuses, processes that are started together. Step before: [`crate::methods`], or an
//! inline function of the header. Step after: the C library. Invariant: a communicator of the wrong kind becomes
//! `MPI_COMM_NULL`.

use std::ffi::{c_char, c_int, c_void};

use super::attribute::{Key, Owner, create, function};
use crate::c_library::*;
use crate::kind::is_null;
use crate::object::{Maker, address, handle, make, place};

/// The bytes of `MPI_Status`.
pub const STATUS_BYTES: usize = 24;

/// `MPI::Comm::Comm()`.
///
/// # Safety
///
/// There is room for an object.
pub unsafe fn comm_new(this: usize, maker: Maker) -> usize {
    // SAFETY: the caller's promise.
    unsafe { place(this, maker) }
}

/// `MPI::Comm::Comm(const Comm_Null&)`.
///
/// # Safety
///
/// There is room for an object, and another object.
pub unsafe fn comm_copy(this: usize, other: usize, maker: Maker) -> usize {
    // SAFETY: the caller's promise.
    unsafe { make(this, &maker, handle(other)) }
}

/// `MPI::Intracomm::Intracomm(MPI_Comm)`.
///
/// # Safety
///
/// There is room for an object.
pub unsafe fn intracomm_of(this: usize, comm: usize, maker: Maker) -> usize {
    let (mut initialized, mut inter): (c_int, c_int) = (0, 0);
    // SAFETY: the caller's promise; both places are good.
    unsafe {
        MPI_Initialized(&mut initialized);
        if initialized != 0 && !is_null(comm) {
            MPI_Comm_test_inter(comm, &mut inter);
        }
        let own = match inter {
            0 => comm,
            _ => maker.handle.addr(),
        };
        make(this, &maker, own)
    }
}

/// Makes a key: the C function's code.
///
/// # Safety
///
/// The functions are for this owner, or null; the last address is writable.
unsafe fn key(owner: Owner, functions: [usize; 4], extra: usize, keyval: usize) -> usize {
    let [copy, delete, copy_cxx, delete_cxx] = functions;
    // SAFETY: the caller's promise.
    let code = unsafe {
        let key = Key {
            owner,
            copy: function(copy),
            copy_cxx: function(copy_cxx),
            delete: function(delete),
            delete_cxx: function(delete_cxx),
            extra: extra as *mut c_void,
        };
        create(key, &mut *(keyval as *mut c_int))
    };
    code as u32 as usize
}

macro_rules! keys {
    ($($(#[$documentation:meta])* $name:ident: $owner:ident)*) => { $(
        $(#[$documentation])*
        ///
        /// # Safety
        ///
        /// As the standard says; of each pair of functions one is null.
        pub unsafe fn $name(
            copy: usize,
            delete: usize,
            copy_cxx: usize,
            delete_cxx: usize,
            extra: usize,
            keyval: usize,
        ) -> usize {
            let functions = [copy, delete, copy_cxx, delete_cxx];
            // SAFETY: the caller's promise.
            unsafe { key(Owner::$owner, functions, extra, keyval) }
        }
    )* };
}

keys! {
    /// `MPI::Comm::do_create_keyval`.
    comm_create_keyval: Comm
    /// `MPI::Datatype::do_create_keyval`.
    type_create_keyval: Type
    /// `MPI::Win::do_create_keyval`.
    win_create_keyval: Win
}

/// The integers of a status in an object: source, tag, error.
///
/// # Safety
///
/// There is a status.
unsafe fn field<'a>(this: usize, number: usize) -> &'a mut c_int {
    // SAFETY: the caller's promise.
    unsafe { &mut *(address(this) as *mut c_int).add(number) }
}

macro_rules! fields {
    ($($get:ident $set:ident $number:literal)*) => { $(
        /// Reads a field of `MPI::Status`.
        ///
        /// # Safety
        ///
        /// There is a status.
        pub unsafe fn $get(this: usize) -> usize {
            // SAFETY: the caller's promise.
            unsafe { *field(this, $number) as u32 as usize }
        }

        /// Writes a field of `MPI::Status`.
        ///
        /// # Safety
        ///
        /// There is a status.
        pub unsafe fn $set(this: usize, value: usize) -> usize {
            // SAFETY: the caller's promise.
            unsafe { *field(this, $number) = value as c_int };
            0
        }
    )* };
}

fields! {
    status_source status_set_source 0
    status_tag status_set_tag 1
    status_error status_set_error 2
}

/// `MPI::Intracomm::Spawn_multiple` without error codes.
///
/// # Safety
///
/// As the standard says; there is room for an object.
pub unsafe fn spawn_multiple(
    room: usize,
    this: usize,
    count: usize,
    commands: usize,
    arguments: usize,
    maxprocs: usize,
    infos: usize,
    root: usize,
    maker: Maker,
) -> usize {
    // MPI_ERRCODES_IGNORE is a null pointer.
    let codes = 0;
    // SAFETY: the caller's promise.
    unsafe {
        spawn_multiple_codes(
            room, this, count, commands, arguments, maxprocs, infos, root, codes, maker,
        )
    }
}

/// `MPI::Intracomm::Spawn_multiple`.
///
/// # Safety
///
/// As the standard says; there is room for an object.
pub unsafe fn spawn_multiple_codes(
    room: usize,
    this: usize,
    count: usize,
    commands: usize,
    arguments: usize,
    maxprocs: usize,
    infos: usize,
    root: usize,
    codes: usize,
    maker: Maker,
) -> usize {
    let count = count as c_int;
    // SAFETY: the caller's promise.
    unsafe {
        let infos = super::handles(infos, usize::try_from(count).unwrap_or(0));
        let new = place(room, maker) as *mut usize;
        MPI_Comm_spawn_multiple(
            count,
            commands as *const *const c_char,
            arguments as *const c_void,
            maxprocs as *const c_int,
            infos.as_ptr(),
            root as c_int,
            handle(this),
            new,
            codes as *mut c_int,
        );
    }
    room
}
