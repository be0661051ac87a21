//! Generates the entry points before the crate is compiled, and a stand-in for the C library.
//!
//! Leaves in `OUT_DIR`: `declarations.rs`, `entries.rs`, and `libmpi_abi.so`, which has the name of
//! the C library and nothing in it. Linking with it makes the loader look for `libmpi_abi.so.1`,
//! whoever's that is when a program starts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for input in ["build.rs", "src/functions"] {
        println!("cargo:rerun-if-changed={input}");
    }
    generate(&root, &output).unwrap_or_else(|message| panic!("{message}"));
    link(&output);
}

fn generate(root: &Path, output: &Path) -> Result<(), String> {
    use pamir_fortran_generator::{entry, form};
    let table = pamir_interface::read()?;
    let forms = form::forms(&table)?;
    let mut source = String::new();
    add_files(&root.join("src/functions"), &mut source);
    let written = defined(&source);
    let is_written = |name: &str| written.contains(name);
    write(
        &output.join("declarations.rs"),
        &entry::declarations(&forms),
    );
    write(
        &output.join("entries.rs"),
        &entry::entries(&forms, is_written)?,
    );
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

fn link(output: &Path) {
    let (empty, library) = (output.join("empty.s"), output.join("libmpi_abi.so"));
    write(&empty, ".section .note.GNU-stack,\"\",%progbits\n");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let made = Command::new(&compiler)
        .args(["-shared", "-nostdlib", "-Wl,-soname,libmpi_abi.so.1", "-o"])
        .args([&library, &empty])
        .status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "{compiler} cannot make {}",
        library.display()
    );
    for argument in [
        "-Wl,-soname,libmpi_abi_fortran.so.1".to_string(),
        "-Wl,-rpath,$ORIGIN".to_string(),
        format!(
            "-Wl,--push-state,--no-as-needed,{},--pop-state",
            library.display()
        ),
        "-Wl,--allow-shlib-undefined".to_string(),
    ] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
