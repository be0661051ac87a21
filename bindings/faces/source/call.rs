//! The way to `libmpi_abi.so.1`: its table of functions, and the face's introduction.
//!
//! What: [`pamir_functions`]; and a constructor that shows the library this face before any function is called. Step
//! before: the loader has loaded both. Step after: [`crate::functions`]. Invariant: both are of one build, or the
//! process ends with a sentence.

use std::ffi::{c_char, c_int, c_void};

use pamir_interface::face::{Face, Kind, fingerprint};

use crate::{constant, handle, status};

include!(concat!(env!("OUT_DIR"), "/calls.rs"));

unsafe extern "C" {
    /// The functions of the standard ABI's library.
    pub static pamir_functions: Functions;
}

/// The table that this face was built from.
const FINGERPRINT: u64 = fingerprint();

static FACE: Face = Face {
    name: crate::abi::NAME,
    overhead: constant::BSEND_OVERHEAD,
    code_out,
    code_in,
    handle_out,
    status_out: status::callback_out,
    status_in: status::callback_in,
};

extern "C" fn code_out(code: c_int) -> c_int {
    constant::error_out(code)
}

extern "C" fn code_in(code: c_int) -> c_int {
    constant::error_in(code)
}

extern "C" fn handle_out(kind: Kind, standard: usize) -> usize {
    // An integer in one face, an address in the other.
    #[allow(clippy::unnecessary_cast)]
    match kind {
        Kind::Communicator => handle::comm_out(standard) as usize,
        Kind::Datatype => handle::datatype_out(standard) as usize,
        Kind::Window => handle::win_out(standard) as usize,
        Kind::File => handle::file_out(standard) as usize,
        Kind::Session => handle::session_out(standard) as usize,
    }
}

extern "C" fn introduce() {
    // Tests of handles and statuses run without the library.
    if cfg!(test) {
        return;
    }
    // SAFETY: the loader has resolved the table, whose header no build changes but by its fingerprint.
    let header = unsafe { &pamir_functions.header };
    if header.fingerprint != FINGERPRINT {
        eprintln!(
            "Pamir: {} and libmpi_abi.so.1 are of different builds; install Pamir again.",
            crate::abi::LIBRARY
        );
        std::process::exit(1);
    }
    (header.set_face)(&FACE);
}

/// Has the loader call [`introduce`].
#[used]
#[unsafe(link_section = ".init_array")]
static INTRODUCE: extern "C" fn() = introduce;

// What tests are linked with in place of the library.
#[cfg(test)]
std::arch::global_asm!(
    ".section .data.pamir_functions,\"aw\"",
    ".globl pamir_functions",
    "pamir_functions: .zero 16384",
    ".text"
);
