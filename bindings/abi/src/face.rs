//! Faces: libraries with another ABI that stand on this one, and what callbacks are given in their place.
//!
//! What: [`Functions`], the table by which a face reaches the functions; and the conversions that the chapters with
//! callbacks ask for, which change nothing where no face is there.
//!
//! ```text
//! none ----set_face----> a face ----set_face----> the process ends with a sentence: two ABIs in one process
//!  |
//!  +--MPI_Init of the standard ABI, then set_face--> the same
//! ```
//!
//! Step before: the loader runs the face's constructor. Step after: `error::raise` and the callbacks.
//! Invariant: the face is set once, before any of its functions is called.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use pamir_interface::face::{ErrorFunction, Face, Header, Kind, Owner, fingerprint};

use crate::constants::MPI_BSEND_OVERHEAD;
use crate::types::MPI_Status;

static FACE: OnceLock<&'static Face> = OnceLock::new();
/// MPI was started without a face.
static STANDARD_IS_USED: AtomicBool = AtomicBool::new(false);

/// The address of a function's body; nobody changes it.
pub type Body = AtomicPtr<()>;

/// What a face finds under the name `pamir_functions`.
#[repr(C)]
pub struct Functions<const COUNT: usize> {
    header: Header,
    bodies: [Body; COUNT],
}

impl<const COUNT: usize> Functions<COUNT> {
    /// The table with these bodies, in the order of `table/functions.txt`.
    pub const fn new(
        make_error_handler: extern "C" fn(Owner, ErrorFunction, usize) -> usize,
        set_operation_argument: extern "C" fn(usize, usize) -> bool,
        bodies: [Body; COUNT],
    ) -> Self {
        let header = Header {
            fingerprint: fingerprint(),
            set_face,
            make_error_handler,
            set_operation_argument,
        };
        Self { header, bodies }
    }
}

/// [`Header::set_face`].
extern "C" fn set_face(face: &'static Face) {
    let other = match FACE.set(face) {
        Err(_) => name(),
        Ok(()) => STANDARD_IS_USED
            .load(Ordering::Relaxed)
            .then_some("the standard ABI"),
    };
    if let Some(other) = other {
        eprintln!(
            "Pamir: this process loads a library that was built for the ABI of {}, and uses {other} already. \
             One process has one MPI: build both parts with the same MPI (`pamir run-check FILE` says which \
             one a file was built for).",
            face.name()
        );
        std::process::exit(1);
    }
}

/// MPI starts: from here on no face may come that is not there.
pub fn settle() {
    STANDARD_IS_USED.store(FACE.get().is_none(), Ordering::Relaxed);
}

/// The name of the face's ABI, if there is a face.
pub fn name() -> Option<&'static str> {
    FACE.get().map(|face| face.name())
}

/// `MPI_BSEND_OVERHEAD` as the program knows it.
pub fn overhead() -> c_int {
    FACE.get().map_or(MPI_BSEND_OVERHEAD, |face| face.overhead)
}

/// An error code as the program knows it.
pub fn code_out(code: c_int) -> c_int {
    FACE.get().map_or(code, |face| (face.code_out)(code))
}

/// An error code that a callback returned.
pub fn code_in(code: c_int) -> c_int {
    FACE.get().map_or(code, |face| (face.code_in)(code))
}

/// A handle that a callback is given.
pub fn handle_out(kind: Kind, handle: usize) -> usize {
    FACE.get()
        .map_or(handle, |face| (face.handle_out)(kind, handle))
}

/// Lets a callback of the program's see and change a status in the form that it knows.
pub fn with_status<R>(status: &mut MPI_Status, call: impl FnOnce(*mut MPI_Status) -> R) -> R {
    let Some(face) = FACE.get() else {
        return call(status);
    };
    let mut shown = Shown([0; 8]);
    (face.status_out)(&integers(status), &mut shown.0);
    let result = call(shown.0.as_mut_ptr().cast());
    let mut changed = [0; 8];
    (face.status_in)(&shown.0, &mut changed);
    [status.MPI_SOURCE, status.MPI_TAG, status.MPI_ERROR, ..] = changed;
    status.MPI_internal.copy_from_slice(&changed[3..]);
    result
}

/// Memory for a face's status, whose length may be as wide as an address.
#[repr(align(16))]
struct Shown([c_int; 8]);

/// A status as the integers that it consists of.
fn integers(status: &MPI_Status) -> [c_int; 8] {
    let [a, b, c, d, e] = status.MPI_internal;
    let (source, tag) = (status.MPI_SOURCE, status.MPI_TAG);
    [source, tag, status.MPI_ERROR, a, b, c, d, e]
}
