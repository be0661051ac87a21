//! Writes the library of the removed C++ bindings that another MPI had.
//!
//! What: from a face's tables of methods, classes and objects, the Rust that its C++ library includes. Why: what a
//! binary of old wants is symbols with C++'s names, tables of virtual functions in C++'s layout, and objects; four
//! hundred of them do the same few things.
//!
//! ```text
//! faces/X/cxx/table/methods.txt --+             +--> methods.rs  the functions, and what throws for them
//! faces/X/cxx/table/classes.txt --+--> build ---+
//! faces/X/cxx/table/objects.txt --+             +--> layout.rs   virtual tables, type information, objects
//! faces/X/table/constants.txt ----+
//! ```
//!
//! Step before: the tables, which people edit. Step after: the sources in `faces/cxx`.
//! Invariant: a symbol that a class names is a method of the same face.

mod layout;
mod method;
mod table;

use std::path::{Path, PathBuf};
use std::{env, fs};

use pamir_interface::stand_in;

use crate::description::Description;

/// A C++ library, as its package says.
pub struct Library {
    /// `mpich` or `openmpi`.
    pub name: &'static str,
    /// The library's name.
    pub soname: &'static str,
    /// The name of the C library below it.
    pub c_library: &'static str,
    /// Whether methods throw what went wrong, when the program asks for it.
    pub throws: bool,
}

/// Does what the build script of a C++ library's package does.
///
/// # Panics
///
/// With the line of a table that is wrong, or the file that cannot be written.
pub fn build(library: &Library) {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    println!("cargo:rerun-if-changed=table");
    println!("cargo:rerun-if-changed=../table/constants.txt");
    println!("cargo:rustc-check-cfg=cfg(face, values(\"mpich\", \"openmpi\"))");
    println!("cargo:rustc-cfg=face=\"{}\"", library.name);
    generate(library, &root, &output).unwrap_or_else(|message| panic!("{message}"));
    link(library, &output);
}

fn generate(library: &Library, root: &Path, output: &Path) -> Result<(), String> {
    let read = |name: &str| {
        let path = root.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let constants = Description::parse(&read("../table/constants.txt")?)?;
    let methods = table::methods(&read("table/methods.txt")?)?;
    let classes = table::classes(&read("table/classes.txt")?)?;
    let objects = table::objects(&read("table/objects.txt")?)?;
    let text = method::write(&methods, &constants, library.throws)?;
    write(&output.join("methods.rs"), &text);
    let text = layout::write(&methods, &classes, &objects, &constants)?;
    write(&output.join("layout.rs"), &text);
    Ok(())
}

/// Has the loader look for the C library and for that of C++, neither of which need be there now.
fn link(library: &Library, output: &Path) {
    let arguments = [
        "-Wl,--allow-shlib-undefined".to_string(),
        stand_in::argument(library.c_library, "", output),
        stand_in::argument("libstdc++.so.6", "", output),
    ];
    stand_in::link(library.soname, "$ORIGIN", &arguments);
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
