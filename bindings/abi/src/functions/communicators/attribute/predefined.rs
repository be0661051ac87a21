//! The predefined attributes of communicators (MPI-5.0 sections 9.1.2 and 11.10.1).

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::constants::*;
use crate::functions::management::error::code::last_used;
use crate::state::State;

/// The greatest tag: all of them that are not negative.
static TAG_UB: AtomicI32 = AtomicI32::new(c_int::MAX);
/// Every process can do input and output.
static IO: AtomicI32 = AtomicI32::new(MPI_ANY_SOURCE);
/// There is no host process.
static HOST: AtomicI32 = AtomicI32::new(MPI_PROC_NULL);
/// All ranks read one clock, that of their machine.
static WTIME_IS_GLOBAL: AtomicI32 = AtomicI32::new(1);
/// Which of the launcher's programs this is.
static APPNUM: AtomicI32 = AtomicI32::new(0);
static LAST_USED_CODE: AtomicI32 = AtomicI32::new(MPI_ERR_LASTCODE);
static UNIVERSE_SIZE: AtomicI32 = AtomicI32::new(1);

/// The address of a predefined attribute's value.
pub fn value(state: &State, key: c_int) -> Option<usize> {
    let place = match key {
        MPI_TAG_UB => &TAG_UB,
        MPI_IO => &IO,
        MPI_HOST => &HOST,
        MPI_WTIME_IS_GLOBAL => &WTIME_IS_GLOBAL,
        MPI_APPNUM => {
            let number = pamir_settings::APPNUM.value();
            APPNUM.store(number as c_int, Ordering::Relaxed);
            &APPNUM
        }
        MPI_LASTUSEDCODE => {
            LAST_USED_CODE.store(last_used(), Ordering::Relaxed);
            &LAST_USED_CODE
        }
        MPI_UNIVERSE_SIZE => {
            let ranks = state.process.world().size();
            UNIVERSE_SIZE.store(ranks as c_int, Ordering::Relaxed);
            &UNIVERSE_SIZE
        }
        _ => return None,
    };
    Some(place.as_ptr() as usize)
}
