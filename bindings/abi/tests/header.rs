//! `include/mpi.h` is what the tables say, and what the standard says.
//!
//! The facts of the standard stand a second time in `tests/data/`, where they do
//! not come from the tables: every constant's value, every function's types.

#[path = "../generator/mod.rs"]
#[allow(dead_code)]
mod generator;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn facts(path: &str) -> Vec<String> {
    read(path)
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_string)
        .collect()
}

/// Compiles `source` with `compiler` and `flags`; gives the program's path.
fn compile(compiler: &str, flags: &[&str], name: &str, source: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(name);
    fs::write(&file, source).expect("cargo's folder for tests is writable");
    let program = file.with_extension(format!("{compiler}.out"));
    let output = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(flags)
        .arg("-I")
        .arg(root().join("include"))
        .arg("-o")
        .args([&program, &file])
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(
        output.status.success(),
        "{compiler}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    program
}

#[test]
fn the_committed_header_is_the_generated_one() {
    let table = pamir_interface::read().expect("the tables are read");
    let header = generator::header::header(&table);
    let path = root().join("include/mpi.h");
    if pamir_settings::BLESS.value().is_some() {
        fs::write(&path, &header).expect("include/ is writable");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == header,
        "include/mpi.h is not what table/ says: run `PAMIR_BLESS=1 cargo test -p pamir-abi --test header`"
    );
}

#[test]
fn the_table_has_the_functions_of_the_standard() {
    use pamir_interface::table::Status;
    let table = pamir_interface::read().expect("the tables are read");
    let standard = table
        .chapters
        .iter()
        .filter(|chapter| !matches!(chapter.status, Status::Extension | Status::Removed));
    let mut ours: Vec<_> = standard
        .flat_map(|chapter| &chapter.functions)
        .map(|f| f.name.clone())
        .collect();
    let signatures = facts("tests/data/signatures.txt");
    let name = |line: &String| line.split(['(', ' ']).nth(1).unwrap_or(line).to_string();
    let mut theirs: Vec<_> = signatures.iter().map(name).collect();
    ours.sort();
    theirs.sort();
    assert_eq!(ours.len(), 664);
    assert_eq!(ours, theirs);
}

#[test]
fn constants_have_the_values_of_the_standard() {
    let mut source = String::from(
        "#include <mpi.h>\n#include <stdio.h>\nint main(void)\n{\n    int wrong = 0;\n",
    );
    for line in facts("tests/data/values.txt") {
        let (name, value) = line.split_once(' ').expect("a fact is a name and a value");
        source += &format!(
            "    if ((long long) (intptr_t) ({name}) != {value}LL)\n        \
             wrong++, printf(\"{name} is not {value}\\n\");\n"
        );
    }
    source += "    return wrong != 0;\n}\n";
    let program = compile("gcc", &["-std=c99"], "values.c", &source);
    let output = Command::new(program)
        .output()
        .expect("what was compiled runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn functions_have_the_types_of_the_standard() {
    // A redeclaration with other types is an error.
    let mut source = String::from("#include <mpi.h>\n");
    for line in facts("tests/data/signatures.txt") {
        source += &format!("{line};\n{};\n", line.replacen(" MPI_", " PMPI_", 1));
    }
    source += "int main(void) { return 0; }\n";
    compile("gcc", &["-std=c99"], "signatures.c", &source);
}

/// Compilers, what they compile, and the versions of it.
const LANGUAGES: [(&str, &str, &[&str]); 4] = [
    ("gcc", "c", C_VERSIONS),
    ("clang", "c", C_VERSIONS),
    ("g++", "cpp", CPLUSPLUS_VERSIONS),
    ("clang++", "cpp", CPLUSPLUS_VERSIONS),
];

/// C89 to C23, as compilers of 2020 name them too.
const C_VERSIONS: &[&str] = &[
    "-ansi", "-std=c89", "-std=c99", "-std=c11", "-std=c17", "-std=c2x",
];

/// C++98 to C++23.
const CPLUSPLUS_VERSIONS: &[&str] = &[
    "-std=c++98",
    "-std=c++11",
    "-std=c++14",
    "-std=c++17",
    "-std=c++20",
    "-std=c++2b",
];

/// Whether a compiler can be started, and knows a version.
fn knows(compiler: &str, version: &str) -> bool {
    let language = if compiler.contains("++") { "c++" } else { "c" };
    Command::new(compiler)
        .args([version, "-x", language, "-fsyntax-only", "/dev/null"])
        .output()
        .is_ok_and(|output| output.status.success())
}

#[test]
fn the_headers_are_valid_c_and_cplusplus_of_every_version() {
    let source = "#include <mpi.h>\n#include <pamir.h>\n#include <mpi.h>\n#include <pamir.h>\n\
         int main(void)\n{\n    MPI_Status s;\n    s.MPI_TAG = 0;\n    \
         return s.MPI_TAG + (MPI_COMM_WORLD == MPI_COMM_NULL);\n}\n";
    let removed = format!("#define PAMIR_REMOVED_FUNCTIONS\n{source}");
    let pami = format!(
        "#include \"{}\"\nint main(void) {{ return 0; }}\n",
        root().join("../pami/include/pami.h").display()
    );
    for (compiler, extension, versions) in LANGUAGES {
        for version in versions {
            if !knows(compiler, version) {
                // What is skipped is said; the compiler that CI has is never skipped.
                println!("skipped: no {compiler} here that knows {version}");
                assert!(
                    !compiler.starts_with('g'),
                    "{compiler} does not know {version}"
                );
                continue;
            }
            for (name, source) in [("plain", source), ("removed", &removed), ("pami", &pami)] {
                let name = format!("{name}-{compiler}{version}.{extension}");
                compile(compiler, &[version, "-c"], &name, source);
            }
        }
    }
}

#[test]
fn the_names_that_mpi_3_removed_still_compile() {
    // None of it is called: what is linked is looked at by tests/exports.rs.
    let source = "#include <mpi.h>\n\
         int describe(void *p, MPI_Aint *at, MPI_Datatype *made);\n\
         int describe(void *p, MPI_Aint *at, MPI_Datatype *made)\n\
         {\n    int one = 1; MPI_Datatype of = MPI_INT;\n    \
         return MPI_Address(p, at) + MPI_Type_struct(1, &one, at, &of, made)\n        \
         + MPI_Type_extent(*made, at) + MPI_Type_ub(*made, at) + MPI_Type_lb(*made, at)\n        \
         + (int) MPI_Comm_c2f(MPI_COMM_WORLD);\n}\n";
    compile("gcc", &["-std=c99", "-c"], "removed.c", source);
    compile("gcc", &["-ansi", "-c"], "removed-ansi.c", source);
    let asked = format!("#define PAMIR_REMOVED_FUNCTIONS\n{source}");
    compile("gcc", &["-std=c99", "-c"], "removed-asked.c", &asked);
}
