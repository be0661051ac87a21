//! What `pamir.h` declares: balancing, beside the standard's functions.
//!
//! Before: a program calls `pamir_X`. After: `pamir_transport::balance`, over MPI's objects.
//!
//! The functions lie in MPI's library, since they need its communicators; their names begin with
//! `pamir_`, which neither the standard nor a profiling tool uses. Errors are raised as those of
//! MPI's functions are, on the communicator that is named.

pub mod calls;
pub mod housekeeping;
pub mod partition;
pub mod synchronization;
pub mod tasks;

/// Exports functions under their C names: each hands its arguments on, and raises what fails on
/// the object that is named.
macro_rules! export {
    ($($(#[$about:meta])* fn $name:ident($($parameter:ident: $kind:ty),* $(,)?) on $object:expr,
        $path:path;)*) => {
        $(
            $(#[$about])*
            ///
            /// # Safety
            ///
            /// Addresses are null, or good for what `pamir.h` says.
            // A function that asks nothing of its arguments is safe to call.
            #[allow(unused_unsafe)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($parameter: $kind),*) -> std::ffi::c_int {
                // SAFETY: what the program vouches for is handed on unchanged.
                match unsafe { $path($($parameter),*) } {
                    Ok(()) => crate::constants::MPI_SUCCESS,
                    Err(error) => crate::error::raise($object, error, stringify!($name)),
                }
            }
        )*
    };
}

pub(crate) use export;
