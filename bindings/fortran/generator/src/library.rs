//! Builds a Fortran library's generated parts: what each `build.rs` calls.
//!
//! What: [`build`] leaves in `OUT_DIR` `declarations.rs`, `entries.rs`, `objects.rs`, and a stand-in for the C
//! library, which has its name and nothing in it. Linking with it makes the loader look for that name,
//! whoever's library that is when a program starts.
//! Step before: cargo. Step after: `bindings/fortran/src`, compiled with `cfg(face = ...)`.
//! Invariant: one tree of sources gives all libraries.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use pamir_interface::stand_in;

use crate::entry;
use crate::face::{ALL, Face, number, object};
use crate::form;

/// Writes everything for a face and tells cargo; `sources` is `bindings/fortran`.
///
/// # Panics
///
/// When a table is wrong or a file cannot be written: there is nothing to compile then.
pub fn build(face: &Face, sources: &Path) {
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let functions = sources.join("src/functions");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", functions.display());
    let names = ALL.map(|face| format!("\"{}\"", face.name)).join(", ");
    println!("cargo:rustc-check-cfg=cfg(face, values({names}))");
    println!("cargo:rustc-cfg=face=\"{}\"", face.name);
    generate(face, &functions, &output).unwrap_or_else(|message| panic!("{message}"));
    link(face, &output);
}

fn generate(face: &Face, functions: &Path, output: &Path) -> Result<(), String> {
    let mut forms = form::forms_of(face)?;
    let mut source = String::new();
    add_files(functions, &mut source);
    let written = defined(&source);
    let is_written = |name: &str| written.contains(name);
    let declarations = entry::declarations(&forms) + &number::numbers(face)?;
    write(&output.join("declarations.rs"), &declarations);
    forms.retain(|form| face.has_large_counts || !form.is_large);
    write(
        &output.join("entries.rs"),
        &entry::entries(face, &forms, is_written)?,
    );
    write(&output.join("objects.rs"), &object::objects(face)?);
    Ok(())
}

/// The functions that a source defines: by themselves, or as words given to a macro that defines several.
fn defined(source: &str) -> HashSet<&str> {
    let mut names = HashSet::new();
    let mut in_macro = false;
    for line in source.lines() {
        let words = || line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let first = words().next().unwrap_or("");
        if let Some(rest) = line.strip_prefix("pub unsafe fn ") {
            names.extend(rest.split('(').next());
        }
        in_macro |= !first.is_empty() && line[first.len()..].starts_with("!(");
        if in_macro {
            names.extend(words());
            in_macro = !line.ends_with(");");
        }
    }
    names
}

/// Adds the text of all files below a folder.
fn add_files(folder: &Path, source: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        source.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
        add_files(&entry.path(), source);
    }
}

fn link(face: &Face, output: &Path) {
    let arguments = [
        stand_in::argument(face.c_library, "", output),
        "-Wl,--allow-shlib-undefined".to_string(),
    ];
    stand_in::link(face.soname, "$ORIGIN", &arguments);
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
