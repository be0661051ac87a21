//! Exceptions: what a method has noted is thrown when it has returned.
//!
//! What: [`note`], and [`noted`], which the instructions in front of each method jump to when there is one. Why: Rust has
//! no frames that a C++ exception may pass, as this project is built (`panic = "abort"`), and need not have any: when
//! `noted` runs, the method's frame is gone, and the return address is the program's.
//!
//! Step before: [`crate::error`] decides, [`crate::methods`] returns. Step after: `__cxa_throw`, and the program's handler.
//! Invariant: an exception is thrown by the thread that has noted it, before another method of it returns.

use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

/// How many exceptions of all threads are noted: methods look at one word.
pub static NOTED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The code of this thread's exception; 0 for none.
    static CODE: Cell<c_int> = const { Cell::new(0) };
}

/// Has the method throw.
pub fn note(code: c_int) {
    if CODE.replace(code) == 0 {
        // Relaxed: the thread itself looks for it.
        NOTED.fetch_add(1, Ordering::Relaxed);
    }
}

/// Takes this thread's exception: the code, or 0.
extern "C" fn take() -> c_int {
    let code = CODE.replace(0);
    if code != 0 {
        NOTED.fetch_sub(1, Ordering::Relaxed);
    }
    code
}

/// The bytes of `MPI::Exception`: the table, the code, and room for a text of 512 bytes.
const EXCEPTION_BYTES: usize = 528;

unsafe extern "C" {
    fn __cxa_allocate_exception(bytes: usize) -> *mut c_void;
}

/// Makes an exception object.
extern "C" fn make(code: c_int) -> *mut c_void {
    // SAFETY: the function gives so much memory, or ends the process.
    unsafe {
        let exception = __cxa_allocate_exception(EXCEPTION_BYTES);
        exception.write_bytes(0, EXCEPTION_BYTES);
        exception
            .cast::<*const c_void>()
            .write(crate::class::Exception().table);
        exception.byte_add(8).cast::<c_int>().write(code);
        exception
    }
}

/// Throws this thread's exception from where the method was called, or returns what the method did.
#[unsafe(naked)]
pub unsafe extern "C" fn noted() {
    naked_asm!(
        ".cfi_startproc",
        "push rax",
        ".cfi_adjust_cfa_offset 8",
        "call {take}",
        "test eax, eax",
        "jne 2f",
        "pop rax",
        ".cfi_remember_state",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        "2:",
        ".cfi_restore_state",
        "mov edi, eax",
        "call {make}",
        "mov rdi, rax",
        "mov rsi, qword ptr [rip + _ZTIN3MPI9ExceptionE@GOTPCREL]",
        "mov rdx, qword ptr [rip + _ZN3MPI9ExceptionD1Ev@GOTPCREL]",
        "call __cxa_throw@PLT",
        "ud2",
        ".cfi_endproc",
        take = sym take,
        make = sym make,
    )
}
