//! Gives `libpami.so` its name for the loader.
//!
//! Before: nothing. After: the linker writes the name into the library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpami.so");
    // Callbacks of the library may still be known elsewhere when a plugin's handle is closed.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
