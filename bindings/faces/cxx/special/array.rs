//! Functions with arrays of objects, which C knows as arrays of handles.
//!
//! What: `Alltoallw`, `Get_contents`. Step before: [`crate::methods`]. Step after: the C library, and its error.
//! Invariant: as many elements are read and written as the function is told of.

use std::ffi::{c_int, c_void};

use crate::c_library::*;
use crate::error;
use crate::object::{address, handle};

/// The handle as arrays of C's have it.
#[cfg(face = "mpich")]
pub type Element = u32;
/// The handle as arrays of C's have it.
#[cfg(face = "openmpi")]
pub type Element = usize;

/// The bytes of an object with a handle.
const OBJECT_BYTES: usize = 16;

/// The handles of an array of objects.
///
/// # Safety
///
/// There are so many objects.
pub unsafe fn handles(objects: usize, count: usize) -> Vec<Element> {
    let all = (0..count).map(|index| objects + index * OBJECT_BYTES);
    // SAFETY: the caller's promise.
    all.map(|object| unsafe { handle(object) } as Element)
        .collect()
}

/// `MPI::Comm::Alltoallw`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn alltoallw(
    this: usize,
    send: usize,
    send_counts: usize,
    send_places: usize,
    send_types: usize,
    receive: usize,
    receive_counts: usize,
    receive_places: usize,
    receive_types: usize,
) -> usize {
    let (mut inter, mut size): (c_int, c_int) = (0, 0);
    // SAFETY: the caller's promise; there is a datatype for each member of the (remote) group.
    unsafe {
        let comm = handle(this);
        MPI_Comm_test_inter(comm, &mut inter);
        match inter {
            0 => MPI_Comm_size(comm, &mut size),
            _ => MPI_Comm_remote_size(comm, &mut size),
        };
        let send_types = handles(send_types, size as usize);
        let receive_types = handles(receive_types, size as usize);
        let code = MPI_Alltoallw(
            send,
            send_counts,
            send_places,
            send_types.as_ptr().cast::<c_void>(),
            receive,
            receive_counts,
            receive_places,
            receive_types.as_ptr().cast::<c_void>(),
            comm,
        );
        error::comm(comm, code);
    }
    0
}

/// `MPI::Datatype::Get_contents`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn type_get_contents(
    this: usize,
    integers: usize,
    addresses: usize,
    datatypes: usize,
    array_of_integers: usize,
    array_of_addresses: usize,
    array_of_datatypes: usize,
) -> usize {
    let count = usize::try_from(datatypes as c_int).unwrap_or(0);
    let nothing = crate::class::Datatype().handle.addr() as Element;
    let mut found = vec![nothing; count];
    // SAFETY: the caller's promise; the objects are the program's, and keep their class.
    unsafe {
        let code = MPI_Type_get_contents(
            handle(this),
            integers as c_int,
            addresses as c_int,
            datatypes as c_int,
            array_of_integers,
            array_of_addresses,
            found.as_mut_ptr().cast(),
        );
        error::world(0, code);
        if code == 0 {
            for (index, datatype) in found.iter().enumerate() {
                let object = array_of_datatypes + index * OBJECT_BYTES;
                *(address(object) as *mut Element) = *datatype;
            }
        }
    }
    0
}
