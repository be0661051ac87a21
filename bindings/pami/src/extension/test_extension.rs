//! The extension `EXT_test_extension`: what IBM's library has for trying extensions out.
//!
//! Before: a program looks its symbols up. After: it has called them, and seen that they are there.
//!
//! | symbol | what it is |
//! |--------|------------|
//! | `foo`  | `void (*)(void)`: writes a line to standard error |
//! | `bar`  | `void (*)(struct { size_t line; char func[128]; } *)`: writes one too, and fills in where it stands |

use std::ffi::c_void;

use crate::structures::pointer::Out;

/// The extension's name.
pub const NAME: &str = "EXT_test_extension";

/// What the extension's handle points to.
static EXTENSION: u64 = 0x5453_4554_4549_4D50;

/// Where a function stands.
#[derive(Clone, Copy)]
#[repr(C)]
struct Place {
    line: usize,
    function: [u8; 128],
}

/// The extension's handle.
pub fn handle() -> *mut c_void {
    (&raw const EXTENSION).cast_mut().cast()
}

/// A function of the extension's.
pub fn symbol(name: &[u8]) -> *mut c_void {
    match name {
        b"foo" => foo as *mut c_void,
        b"bar" => bar as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

extern "C" fn foo() {
    eprintln!("This is function 'foo' of extension 'test'.");
}

extern "C" fn bar(place: Out<Place>) {
    eprintln!("This is function 'bar' of extension 'test'.");
    let mut function = [0; 128];
    function[..3].copy_from_slice(b"bar");
    let line = line!() as usize;
    place.put(Place { line, function });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_looked_up_by_name() {
        assert!(!symbol(b"foo").is_null() && !symbol(b"bar").is_null());
        assert!(symbol(b"baz").is_null());
        assert_eq!(size_of::<Place>(), size_of::<usize>() + 128);
    }
}
