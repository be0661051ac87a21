//! Linking with a library that is there only when a program starts.
//!
//! What: for build scripts, [`argument`] makes a library of a name with nothing of its own in it, and [`link`] tells
//! Cargo how a library over such ones is linked. Why: the loader looks for the names that a library was linked with,
//! whoever's libraries have them then.
//!
//! Step before: a `build.rs`, whose sources are written. Step after: the linker.
//! Invariant: nothing of a stand-in comes into the library but its name.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The linker's argument for a library of this name. `symbols` is assembly that defines what is referred to without
/// leave to be undefined; `folder` is `OUT_DIR`.
///
/// # Panics
///
/// Where there is no C compiler, or the folder cannot be written.
pub fn argument(name: &str, symbols: &str, folder: &Path) -> String {
    let (source, library) = (
        folder.join(format!("{name}.s")),
        folder.join(format!("stand_in_{name}")),
    );
    let text = format!(".section .note.GNU-stack,\"\",%progbits\n{symbols}");
    fs::write(&source, text).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let made = Command::new(&compiler)
        .args(["-shared", "-nostdlib"])
        .arg(format!("-Wl,-soname,{name}"))
        .arg("-o")
        .args([&library, &source])
        .status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "{compiler} cannot make {}",
        library.display()
    );
    format!(
        "-Wl,--push-state,--no-as-needed,{},--pop-state",
        library.display()
    )
}

/// Tells Cargo how the package's library is linked: its name, where the loader looks for those below it, and further
/// arguments of the linker.
pub fn link(soname: &str, below: &str, arguments: &[String]) {
    for argument in [
        format!("-Wl,-soname,{soname}"),
        format!("-Wl,-rpath,{below}"),
    ]
    .iter()
    .chain(arguments)
    {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
