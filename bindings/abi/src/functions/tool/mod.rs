//! The tool information interface (MPI-5.0 chapter 15.3), of a library without variables.
//!
//! Before: a C call, also before `MPI_Init` and after `MPI_Finalize`, from any thread. After: a
//! code; no error handler is called (section 15.3.10).
//!
//! The standard leaves to the library which variables, categories, events and enumerations
//! there are. Here are none: numbers are 0, every index and name is refused, and no handle is
//! right. What a tool can make all the same, the interface itself and sessions of performance
//! variables, is counted as the standard says.

mod category;
mod control;
mod event;
mod interface;
mod performance;

pub use category::*;
pub use control::*;
pub use event::*;
pub use performance::*;

use std::ffi::c_int;

use crate::error::Result;
use crate::functions::management::environment::provided_level;
use interface::{initialised, interface};

/// `MPI_T_init_thread`, section 15.3.4: any thread may call at any time.
///
/// # Safety
///
/// `provided` is writable.
pub unsafe fn t_init_thread(required: c_int, provided: *mut c_int) -> Result {
    interface().users += 1;
    // SAFETY: as the caller vouches.
    unsafe { provided.write(provided_level(required)) };
    Ok(())
}

/// `MPI_T_finalize`, section 15.3.4, once for each `MPI_T_init_thread`. The last one ends the
/// sessions too.
pub fn t_finalize() -> Result {
    let mut interface = initialised()?;
    interface.users -= 1;
    if interface.users == 0 {
        interface.sessions.clear();
    }
    Ok(())
}
