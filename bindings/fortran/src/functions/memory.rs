//! Addresses, sizes, and buffers that come back.
//!
//! Step before: `entry`. Step after: C, or nothing.
//! Invariant: a buffer that is given back in `mpif.h` is not returned: the program has it (MPI-5.0, section 3.6).

use crate::c::{self, Integer, c_int, c_void};
use crate::handle;

/// `MPI_F_sync_reg`: that the compiler calls it with the buffer is all that is wanted.
pub unsafe fn f_sync_reg((): (), _buffer: *mut c_void) -> c_int {
    c::SUCCESS
}

macro_rules! detach {
    ($without:ident, $with:ident, $type:ident, $size:ty, ($($object:ident: $kind:ident)?)) => {
        #[doc = concat!("`", stringify!($type), "`, where the address has no place.")]
        pub unsafe fn $without(call: c::$type, $($object: *mut Integer,)? _buffer: *mut *mut c_void, size: *mut $size) -> c_int {
            let mut address = std::ptr::null_mut::<c_void>();
            // SAFETY: the program's arguments, and a place of this function's.
            unsafe { call($(handle::$kind::to_c(*$object),)? (&raw mut address).cast(), size) }
        }

        detach!(only $with, $type, $size, ($($object: $kind)?));
    };
    (only $with:ident, $type:ident, $size:ty, ($($object:ident: $kind:ident)?)) => {
        #[doc = concat!("`", stringify!($type), "` of `mpi_f08`, which gives the address.")]
        pub unsafe fn $with(call: c::$type, $($object: *mut Integer,)? buffer: *mut *mut c_void, size: *mut $size) -> c_int {
            // SAFETY: the program's arguments.
            unsafe {
                let code = call($(handle::$kind::to_c(*$object),)? buffer.cast(), size);
                if code == c::SUCCESS {
                    *buffer = crate::address::given_back(*buffer);
                }
                code
            }
        }
    };
}

detach!(
    buffer_detach,
    buffer_detach_f08,
    MPI_Buffer_detach,
    Integer,
    ()
);
detach!(only buffer_detach_c, MPI_Buffer_detach_c, i64, ());
detach!(comm_detach_buffer, comm_detach_buffer_f08, MPI_Comm_detach_buffer, Integer, (comm: comm));
detach!(only comm_detach_buffer_c, MPI_Comm_detach_buffer_c, i64, (comm: comm));
detach!(session_detach_buffer, session_detach_buffer_f08, MPI_Session_detach_buffer, Integer, (session: session));
detach!(only session_detach_buffer_c, MPI_Session_detach_buffer_c, i64, (session: session));
