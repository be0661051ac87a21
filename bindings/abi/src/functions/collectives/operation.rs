//! Reduction operations.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::error::{ErrorClass, Result};
use crate::face;
use crate::process::running;
use crate::types::*;
use pamir_interface::face::Kind;
use pamir_mpi::op::{Op, UserFunction, UserOperation};

/// A function that the program gave to `MPI_Op_create`.
struct Small(unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype));

/// A function that the program gave to `MPI_Op_create_c`.
struct Large(unsafe extern "C" fn(*mut c_void, *mut c_void, *mut MPI_Count, *mut MPI_Datatype));

/// The handle as the program knows it.
fn shown(datatype: u64) -> MPI_Datatype {
    MPI_Datatype(face::handle_out(Kind::Datatype, datatype as usize))
}

impl UserFunction for Small {
    unsafe fn call(&self, incoming: *const u8, inout: *mut u8, count: i64, datatype: u64) {
        let (mut count, mut datatype) = (count as c_int, shown(datatype));
        let incoming = incoming.cast_mut().cast();
        // SAFETY: the program promised that its function combines elements of the datatype; the
        // caller vouches for both buffers, and splits at `maximum_count`.
        unsafe { (self.0)(incoming, inout.cast(), &raw mut count, &raw mut datatype) };
    }

    fn maximum_count(&self) -> i64 {
        i64::from(c_int::MAX)
    }
}

impl UserFunction for Large {
    unsafe fn call(&self, incoming: *const u8, inout: *mut u8, count: i64, datatype: u64) {
        let (mut count, mut datatype) = (count, shown(datatype));
        let incoming = incoming.cast_mut().cast();
        // SAFETY: as for `Small`.
        unsafe { (self.0)(incoming, inout.cast(), &raw mut count, &raw mut datatype) };
    }
}

fn create(function: Arc<dyn UserFunction>, commute: c_int) -> Result<MPI_Op> {
    let state = running()?;
    let made = Op::User(UserOperation::new(function, commute != 0));
    Ok(state.operations.insert(made))
}

/// `MPI_Op_create`, section 6.9.5.
///
/// # Safety
///
/// `op` is writable; `user_fn` combines elements as the standard says.
pub unsafe fn op_create(user_fn: MPI_User_function, commute: c_int, op: *mut MPI_Op) -> Result {
    let Some(function) = user_fn else {
        return Err(ErrorClass::Arg.with("the function of an operation is null"));
    };
    // SAFETY: the caller vouches for it.
    unsafe { op.write(create(Arc::new(Small(function)), commute)?) };
    Ok(())
}

/// `MPI_Op_create_c`, section 6.9.5.
///
/// # Safety
///
/// As for [`op_create`].
pub unsafe fn op_create_c(user_fn: MPI_User_function_c, commute: c_int, op: *mut MPI_Op) -> Result {
    let Some(function) = user_fn else {
        return Err(ErrorClass::Arg.with("the function of an operation is null"));
    };
    // SAFETY: the caller vouches for it.
    unsafe { op.write(create(Arc::new(Large(function)), commute)?) };
    Ok(())
}

/// `MPI_Op_free`, section 6.9.5.
///
/// # Safety
///
/// `op` is readable and writable.
pub unsafe fn op_free(op: *mut MPI_Op) -> Result {
    let state = running()?;
    // SAFETY: the caller vouches for it.
    let handle = unsafe { *op };
    if !state.operations.remove(handle) {
        state.operations.named(handle)?;
        return Err(ErrorClass::Op.with("a predefined operation is not freed"));
    }
    // SAFETY: as above.
    unsafe { op.write(crate::constants::MPI_OP_NULL) };
    Ok(())
}

/// `MPI_Op_commutative`, section 6.9.7.
///
/// # Safety
///
/// `commute` is writable.
pub unsafe fn op_commutative(op: MPI_Op, commute: *mut c_int) -> Result {
    let state = running()?;
    let commutative = state.operations.named(op)?.is_commutative();
    // SAFETY: the caller vouches for it.
    unsafe { commute.write(commutative.into()) };
    Ok(())
}
