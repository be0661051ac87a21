//! The calls, whatever their form: C arguments are checked and become descriptions.
//!
//! Before: `functions::collective*` and `functions::neighborhood`, which say in which form. After:
//! [`Form::carry_out`] with a description. Only arguments that are significant at this rank are
//! looked at (the root's, for example).

pub mod moving;
pub mod neighbor;
pub mod reducing;

use std::ffi::{c_int, c_void};

pub use moving::{
    allgather, allgatherv, alltoall, alltoallv, alltoallw, gather, gatherv, scatter, scatterv,
};
pub use neighbor::{
    neighbor_allgather, neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv,
    neighbor_alltoallw,
};
pub use reducing::{allreduce, exscan, reduce, reduce_scatter, reduce_scatter_block, scan};

use super::form::Form;
use super::place::Place;
use super::synchronizing::{Barrier, Broadcast};
use super::{Call, Root, short};
use crate::count::Count;
use crate::error::Result;
use crate::process::{Running, running};
use crate::types::{MPI_Comm, MPI_Datatype};

/// Starts a call: MPI runs, the communicator is one, and so is what the form has to say.
#[inline]
fn begin(form: &impl Form, comm: MPI_Comm) -> Result<(Running, Call)> {
    let held = running()?;
    let call = Call::new(held.state(), comm)?;
    form.check()?;
    Ok((held, call))
}

/// Barrier, section 6.3.
#[inline]
pub unsafe fn barrier(form: impl Form, comm: MPI_Comm) -> Result {
    if let Some(done) = form.short(|| short::barrier::<Barrier>(comm)) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Barrier) }
}

/// Broadcast, section 6.4.
#[inline]
pub unsafe fn bcast<C: Count>(
    form: impl Form,
    buffer: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    if let Some(done) = form.short(|| unsafe {
        short::broadcast::<Broadcast>((buffer.cast(), count.to_i64(), datatype), root, comm)
    }) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    let root = call.root(root)?;
    let data = if root == Root::Beside {
        Place::NONE
    } else {
        Place::lenient(call.state, buffer.cast(), count.to_i64(), datatype)?
    };
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Broadcast { data, root }) }
}

/// Defines the C calls of one form: each hands its arguments and the form to a function of
/// [`crate::collective::calls`].
macro_rules! calls {
    (@one $form:expr, ($($own:ident: $own_kind:ty),*);
        $(#[$about:meta])* $name:ident, ($($generic:ident)*),
        ($($parameter:ident: $kind:ty,)*), $call:ident
    ) => {
        $(#[$about])*
        ///
        /// # Safety
        ///
        /// Buffers and arrays are good for what the standard says, as long as the operation
        /// runs; a request is null or writable.
        pub unsafe fn $name<$($generic: crate::count::Count),*>(
            $($parameter: $kind,)*
            $($own: $own_kind,)*
        ) -> crate::error::Result {
            // SAFETY: as the caller vouches.
            unsafe { crate::collective::calls::$call($form, $($parameter),*) }
        }
    };
    ($form:expr, $own:tt; $(
        $(#[$about:meta])*
        pub unsafe fn $name:ident $(<$($generic:ident),+>)? (
            $($parameter:ident: $kind:ty),* $(,)?
        ) = $call:ident;
    )*) => {
        $(crate::collective::calls::calls! {
            @one $form, $own; $(#[$about])* $name, ($($($generic)+)?),
            ($($parameter: $kind,)*), $call
        })*
    };
}

pub(crate) use calls;
