//! Exported functions that jump to a body.
//!
//! What: [`export!`](macro@crate::export). Why: several symbols are one function, and were one symbol to call the other, or were
//! the compiler to merge the two, a tool that takes the place of one would be reached by the other; hence the jumps are
//! written in assembly.
//!
//! Step before: the generator of a C library's functions. Step after: the loader, which binds each symbol by itself.
//! Invariant: the body is local to the library.

/// Defines the functions of these names, each a jump to the body.
#[macro_export]
macro_rules! export {
    ($body:ident, $parameters:tt -> $returns:ty: $($name:ident)+) => {
        $($crate::export! { @one $name, $body, $parameters -> $returns })+
    };
    (@one $name:ident, $body:ident, ($($parameter:ident: $kind:ty),*) -> $returns:ty) => {
        #[doc = concat!("`", stringify!($name), "` of the C interface.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($parameter: $kind),*) -> $returns {
            $crate::jump_to!($body)
        }
    };
}

/// The instruction that goes on at a function.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! jump_to {
    ($body:ident) => {
        std::arch::naked_asm!("jmp {body}", body = sym $body)
    };
}

/// The instruction that goes on at a function.
#[cfg(target_arch = "aarch64")]
#[macro_export]
macro_rules! jump_to {
    ($body:ident) => {
        std::arch::naked_asm!("b {body}", body = sym $body)
    };
}
