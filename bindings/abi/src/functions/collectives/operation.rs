//! Reduction operations.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{ErrorClass, Result};
use crate::face;
use crate::process::running;
use crate::types::*;
use pamir_interface::face::Kind;
use pamir_mpi::op::{Op, UserFunction, UserOperation};

/// The functions as the standard says, and with an argument that a binding of another language has set.
type SmallFunction = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype);
type BoundFunction =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype, usize);

/// A function that the program gave to `MPI_Op_create`, and its argument, which is 0 where none was set.
struct Small(SmallFunction, AtomicUsize);

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
        let (count, datatype) = (&raw mut count, &raw mut datatype);
        // SAFETY: the program promised that its function combines elements of the datatype; the
        // caller vouches for both buffers, and splits at `maximum_count`. Who sets an argument has a
        // function that takes it.
        unsafe {
            match self.1.load(Ordering::Relaxed) {
                0 => (self.0)(incoming, inout.cast(), count, datatype),
                argument => {
                    let bound = std::mem::transmute::<SmallFunction, BoundFunction>(self.0);
                    bound(incoming, inout.cast(), count, datatype, argument);
                }
            }
        }
    }

    fn set_argument(&self, argument: usize) {
        // Relaxed: the operation is used by the thread that made it, or was handed over to another.
        self.1.store(argument, Ordering::Relaxed);
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

/// Has an operation's function called with an argument (`Header::set_operation_argument` of the faces).
pub extern "C" fn set_argument(operation: usize, argument: usize) -> bool {
    let named = running().and_then(|state| state.operations.named(MPI_Op(operation)));
    match named {
        Ok(Op::User(operation)) => {
            operation.function().set_argument(argument);
            true
        }
        _ => false,
    }
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
    unsafe {
        op.write(create(
            Arc::new(Small(function, AtomicUsize::new(0))),
            commute,
        )?)
    };
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
