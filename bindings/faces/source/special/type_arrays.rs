//! The alltoallw operations: arrays of datatypes, as long as there are peers.
//!
//! What: how many peers a communicator has, and the functions that need to know. Step before: the program's arrays. Step
//! after: the library, which resolves the datatypes before the call is over, also of a nonblocking or persistent one.
//! Invariant: an array is read only where the library reads it: that of the send side not where data is in place.

use std::ffi::{c_int, c_void};

use crate::address::in_place;
use crate::array::{Array, length};
use crate::call::pamir_functions;
use crate::handle;

/// The standard ABI's `MPI_IN_PLACE`.
const IN_PLACE: usize = 1;
/// The standard ABI's kinds of topology.
const CARTESIAN: c_int = 211;
const GRAPH: c_int = 212;
const DISTRIBUTED: c_int = 213;

/// How many blocks each side of an operation on all ranks has.
fn ranks(comm: usize) -> (usize, usize) {
    let (mut is_inter, mut size) = (0, 0);
    // SAFETY: the places are this function's; the library refuses what is no communicator.
    unsafe {
        (pamir_functions.MPI_Comm_test_inter)(comm, &raw mut is_inter);
        match is_inter {
            0 => (pamir_functions.MPI_Comm_size)(comm, &raw mut size),
            _ => (pamir_functions.MPI_Comm_remote_size)(comm, &raw mut size),
        };
    }
    (length(size), length(size))
}

/// How many neighbours this rank sends to and receives from.
fn neighbors(comm: usize) -> (usize, usize) {
    let (mut kind, mut rank, mut first, mut second, mut weighted) = (0, 0, 0, 0, 0);
    let (to, from) = (&raw mut first, &raw mut second);
    // SAFETY: as above.
    unsafe {
        (pamir_functions.MPI_Topo_test)(comm, &raw mut kind);
        match kind {
            CARTESIAN => {
                (pamir_functions.MPI_Cartdim_get)(comm, to);
                (2 * length(*to), 2 * length(*to))
            }
            GRAPH => {
                (pamir_functions.MPI_Comm_rank)(comm, &raw mut rank);
                (pamir_functions.MPI_Graph_neighbors_count)(comm, rank, to);
                (length(*to), length(*to))
            }
            DISTRIBUTED => {
                (pamir_functions.MPI_Dist_graph_neighbors_count)(comm, from, to, &raw mut weighted);
                (length(*to), length(*from))
            }
            _ => (0, 0),
        }
    }
}

/// Both arrays of datatypes.
///
/// # Safety
///
/// As many datatypes are there as the program has peers, but for the send side where data is in place.
unsafe fn types(
    (to, from): (usize, usize),
    sendbuf: *const c_void,
    sendtypes: *const handle::Datatype,
    recvtypes: *const handle::Datatype,
) -> (Array<usize>, Array<usize>) {
    let sent = if sendbuf as usize == IN_PLACE { 0 } else { to };
    // SAFETY: the caller's promise.
    unsafe {
        (
            Array::new(sendtypes, sent, handle::datatype_in),
            Array::new(recvtypes, from, handle::datatype_in),
        )
    }
}

macro_rules! operations {
    ($($name:ident $function:ident($count:ty, $displacement:ty; $($more:ident: $kind:ty),*) of $peers:ident gives $request:tt;)*) => {$(
        /// The operation of this name.
        ///
        /// # Safety
        ///
        /// As the standard says.
        pub unsafe fn $name(
            sendbuf: *const c_void,
            sendcounts: *const $count,
            sdispls: *const $displacement,
            sendtypes: *const handle::Datatype,
            recvbuf: *mut c_void,
            recvcounts: *const $count,
            rdispls: *const $displacement,
            recvtypes: *const handle::Datatype,
            comm: handle::Comm,
            $($more: $kind),*
        ) -> c_int {
            let (comm, sendbuf) = (handle::comm_in(comm), in_place(sendbuf));
            // SAFETY: the caller's promise.
            unsafe {
                let (mut sent, mut received) = types($peers(comm), sendbuf, sendtypes, recvtypes);
                let call = pamir_functions.$function;
                operations!(@call $request call(
                    sendbuf, sendcounts, sdispls, sent.address(),
                    in_place(recvbuf), recvcounts, rdispls, received.address(), comm
                ) $($more)*)
            }
        }
    )*};
    (@call no $call:ident($($argument:expr),*)) => { $call($($argument),*) };
    (@call yes $call:ident($($argument:expr),*) $request:ident) => {{
        let mut made = crate::place::Handle::new($request);
        let code = $call($($argument,)* made.address());
        if code == 0 {
            made.give(handle::request_out);
        }
        code
    }};
    (@call yes $call:ident($($argument:expr),*) $info:ident $request:ident) => {{
        let mut made = crate::place::Handle::new($request);
        let code = $call($($argument,)* handle::info_in($info), made.address());
        if code == 0 {
            made.give(handle::request_out);
        }
        code
    }};
}

operations! {
    alltoallw MPI_Alltoallw(c_int, c_int;) of ranks gives no;
    alltoallw_c MPI_Alltoallw_c(i64, isize;) of ranks gives no;
    ialltoallw MPI_Ialltoallw(c_int, c_int; request: *mut handle::Request) of ranks gives yes;
    ialltoallw_c MPI_Ialltoallw_c(i64, isize; request: *mut handle::Request) of ranks gives yes;
    alltoallw_init MPI_Alltoallw_init(c_int, c_int; info: handle::Info, request: *mut handle::Request) of ranks gives yes;
    alltoallw_init_c MPI_Alltoallw_init_c(i64, isize; info: handle::Info, request: *mut handle::Request) of ranks gives yes;
    neighbor_alltoallw MPI_Neighbor_alltoallw(c_int, isize;) of neighbors gives no;
    neighbor_alltoallw_c MPI_Neighbor_alltoallw_c(i64, isize;) of neighbors gives no;
    ineighbor_alltoallw MPI_Ineighbor_alltoallw(c_int, isize; request: *mut handle::Request) of neighbors gives yes;
    ineighbor_alltoallw_c MPI_Ineighbor_alltoallw_c(i64, isize; request: *mut handle::Request) of neighbors gives yes;
    neighbor_alltoallw_init MPI_Neighbor_alltoallw_init(c_int, isize; info: handle::Info, request: *mut handle::Request) of neighbors gives yes;
    neighbor_alltoallw_init_c MPI_Neighbor_alltoallw_init_c(i64, isize; info: handle::Info, request: *mut handle::Request) of neighbors gives yes;
}
