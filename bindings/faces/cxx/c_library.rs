//! The functions of the C library that handwritten code calls.
//!
//! What: declarations, in which a handle is a word, as registers pass it in both ABIs. Step before: [`crate::special`].
//! Step after: the face's C library. Invariant: where C writes a handle, there are eight zeros, of which MPICH's takes four.

#![allow(clashing_extern_declarations)]

use std::ffi::{c_char, c_int, c_void};

/// The function of an error handler with an argument: where the handle is, where the code is, the argument.
pub type ErrorFunction = unsafe extern "C" fn(*mut usize, *mut c_int, usize);

unsafe extern "C" {
    pub fn MPI_Comm_dup(comm: usize, new: *mut usize) -> c_int;
    pub fn MPI_Comm_test_inter(comm: usize, flag: *mut c_int) -> c_int;
    pub fn MPI_Topo_test(comm: usize, status: *mut c_int) -> c_int;
    pub fn MPI_Comm_size(comm: usize, size: *mut c_int) -> c_int;
    pub fn MPI_Comm_remote_size(comm: usize, size: *mut c_int) -> c_int;
    pub fn MPI_Cartdim_get(comm: usize, ndims: *mut c_int) -> c_int;
    pub fn MPI_Cart_get(
        comm: usize,
        maxdims: c_int,
        dims: *mut c_int,
        periods: *mut c_int,
        coords: *mut c_int,
    ) -> c_int;
    pub fn MPI_Cart_map(
        comm: usize,
        ndims: c_int,
        dims: *const c_int,
        periods: *const c_int,
        rank: *mut c_int,
    ) -> c_int;
    pub fn MPI_Cart_sub(comm: usize, remain: *const c_int, new: *mut usize) -> c_int;
    pub fn MPI_Cart_create(
        comm: usize,
        ndims: c_int,
        dims: *const c_int,
        periods: *const c_int,
        reorder: c_int,
        new: *mut usize,
    ) -> c_int;
    pub fn MPI_Alltoallw(
        send: usize,
        sendcounts: usize,
        sdispls: usize,
        sendtypes: *const c_void,
        receive: usize,
        recvcounts: usize,
        rdispls: usize,
        recvtypes: *const c_void,
        comm: usize,
    ) -> c_int;
    pub fn MPI_Type_get_contents(
        datatype: usize,
        integers: c_int,
        addresses: c_int,
        datatypes: c_int,
        array_of_integers: usize,
        array_of_addresses: usize,
        array_of_datatypes: *mut c_void,
    ) -> c_int;
    pub fn MPI_Op_create(function: *const c_void, commute: c_int, op: usize) -> c_int;
    pub fn MPI_Comm_create_keyval(
        copy: *const c_void,
        delete: *const c_void,
        keyval: *mut c_int,
        extra: *mut c_void,
    ) -> c_int;
    pub fn MPI_Type_create_keyval(
        copy: *const c_void,
        delete: *const c_void,
        keyval: *mut c_int,
        extra: *mut c_void,
    ) -> c_int;
    pub fn MPI_Win_create_keyval(
        copy: *const c_void,
        delete: *const c_void,
        keyval: *mut c_int,
        extra: *mut c_void,
    ) -> c_int;
    pub fn MPI_Register_datarep(
        name: usize,
        read: *const c_void,
        write: *const c_void,
        extent: *const c_void,
        extra: *mut c_void,
    ) -> c_int;
    // Of the face alone, for this library.
    pub fn pamir_bound_errhandler(owner: c_int, function: ErrorFunction, argument: usize) -> usize;
    pub fn pamir_bound_op(op: usize, argument: usize);
}

#[cfg(face = "mpich")]
unsafe extern "C" {
    pub fn MPI_Comm_get_errhandler(comm: usize, handler: *mut usize) -> c_int;
    pub fn MPI_Win_get_errhandler(win: usize, handler: *mut usize) -> c_int;
    pub fn MPI_File_get_errhandler(file: usize, handler: *mut usize) -> c_int;
    pub fn MPI_Comm_call_errhandler(comm: usize, code: c_int) -> c_int;
    pub fn MPI_Win_call_errhandler(win: usize, code: c_int) -> c_int;
    pub fn MPI_File_call_errhandler(file: usize, code: c_int) -> c_int;
    pub fn MPI_Errhandler_free(handler: *mut usize) -> c_int;
    pub fn MPI_Type_set_name(datatype: usize, name: *const c_char) -> c_int;
    pub fn MPI_Grequest_start(
        query: *const c_void,
        free: *const c_void,
        cancel: *const c_void,
        extra: *mut c_void,
        request: *mut usize,
    ) -> c_int;
}

#[cfg(face = "openmpi")]
unsafe extern "C" {
    pub fn MPI_Initialized(flag: *mut c_int) -> c_int;
    pub fn MPI_Comm_spawn_multiple(
        count: c_int,
        commands: *const *const c_char,
        arguments: *const c_void,
        maxprocs: *const c_int,
        infos: *const usize,
        root: c_int,
        comm: usize,
        new: *mut usize,
        codes: *mut c_int,
    ) -> c_int;
}
