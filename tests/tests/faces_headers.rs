//! The tables of MPICH's and Open MPI's binary interfaces against these libraries' own headers.
//!
//! What: one program for each library, which its own compiler builds and which compares every constant,
//! object and layout with `bindings/faces/*/table`. Why: the numbers are facts of somebody else's,
//! and a wrong one is a program that misbehaves without a word.
//! Before: the tables. After: the faces that are written from them.
//! Invariant: a name of the table that the header lacks does not compile, unless it stands in a section
//! "Since 5.0" and the header is older, or "Until 5.0" and it is not, or in [`OBJECTS_ALONE`]. A compiler that is not there skips
//! the test; `PAMIR_TEST_MPICC_MPICH` and `PAMIR_TEST_MPICC_OPENMPI` name others.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use pamir_interface::Table;
use pamir_interface::table::{Constant, Kind};
use pamir_tests::installation::sources;

/// Names of exported objects that Open MPI's header gives no constant for.
const OBJECTS_ALONE: [&str; 5] = [
    "MPI_REAL2",
    "MPI_INTEGER16",
    "MPI_LB",
    "MPI_UB",
    "MPI_ERRORS_THROW_EXCEPTIONS",
];

/// What the program compares with.
const PRELUDE: &str = "#define _GNU_SOURCE\n#include <mpi.h>\n#include <dlfcn.h>\n#include <link.h>\n\
    #include <stddef.h>\n#include <stdio.h>\n\
    static int wrong;\n\
    static void number(const char *name, long long is, long long table)\n\
    { if (is != table) { wrong = 1; printf(\"%s is %lld, not %lld\\n\", name, is, table); } }\n\
    static void symbol(const char *name, const char *object, size_t bytes, const void *address)\n\
    { void *found = dlsym(RTLD_DEFAULT, object); Dl_info info; const ElfW(Sym) *entry = 0;\n\
      if (!found || !dladdr1(found, &info, (void **)&entry, RTLD_DL_SYMENT) || !entry)\n\
      { wrong = 1; printf(\"%s: there is no %s\\n\", name, object); return; }\n\
      if (bytes) number(name, (long long)entry->st_size, (long long)bytes);\n\
      if (address && address != found) { wrong = 1; printf(\"%s is not %s\\n\", name, object); } }\n";

/// The versions of a library that have the constants of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Versions {
    All,
    /// From 5.0 on.
    Since,
    /// Before 5.0.
    Until,
}

/// A library whose programs a face shall run.
struct Peer {
    name: &'static str,
    compiler: &'static str,
    variable: &'static str,
    /// The preprocessor's condition for a header of version 5.0.
    recent: &'static str,
    /// Statements about layouts.
    layouts: &'static [(&'static str, i64)],
}

const MPICH: Peer = Peer {
    name: "mpich",
    compiler: "mpicc.mpich",
    variable: "PAMIR_TEST_MPICC_MPICH",
    recent: "MPICH_NUMVERSION >= 50000000",
    layouts: &[
        ("sizeof(MPI_Status)", 20),
        ("offsetof(MPI_Status, count_lo)", 0),
        ("offsetof(MPI_Status, count_hi_and_cancelled)", 4),
        ("offsetof(MPI_Status, MPI_SOURCE)", 8),
        ("offsetof(MPI_Status, MPI_TAG)", 12),
        ("offsetof(MPI_Status, MPI_ERROR)", 16),
        ("sizeof(MPI_Comm)", 4),
        ("sizeof(MPI_Request)", 4),
        ("sizeof(MPI_File)", 8),
        ("sizeof(MPI_T_pvar_handle)", 8),
    ],
};

const OPENMPI: Peer = Peer {
    name: "openmpi",
    compiler: "mpicc.openmpi",
    variable: "PAMIR_TEST_MPICC_OPENMPI",
    recent: "OMPI_MAJOR_VERSION >= 5",
    layouts: &[
        ("sizeof(MPI_Status)", 24),
        ("offsetof(MPI_Status, MPI_SOURCE)", 0),
        ("offsetof(MPI_Status, MPI_TAG)", 4),
        ("offsetof(MPI_Status, MPI_ERROR)", 8),
        ("offsetof(MPI_Status, _cancelled)", 12),
        ("offsetof(MPI_Status, _ucount)", 16),
        ("sizeof(MPI_Comm)", 8),
        ("sizeof(MPI_Request)", 8),
        ("sizeof(MPI_File)", 8),
        ("sizeof(MPI_T_pvar_handle)", 8),
    ],
};

/// What holds for both.
const LAYOUTS: [(&str, i64); 4] = [
    ("sizeof(MPI_Aint)", 8),
    ("sizeof(MPI_Count)", 8),
    ("sizeof(MPI_Offset)", 8),
    ("sizeof(MPI_Fint)", 4),
];

impl Peer {
    /// The compiler, if it is there.
    fn found_compiler(&self) -> Option<String> {
        let compiler = std::env::var(self.variable).unwrap_or_else(|_| self.compiler.to_string());
        let answer = Command::new(&compiler).arg("--version").output();
        if answer.is_ok_and(|answer| answer.status.success()) {
            return Some(compiler);
        }
        println!("skipped: there is no {compiler}, so nothing compares the table with its header");
        None
    }

    /// A file of its tables.
    fn read(&self, file: &str) -> String {
        let path = format!("bindings/faces/{}/table/{file}", self.name);
        std::fs::read_to_string(sources().join(path)).unwrap()
    }

    /// Its constants, with their section's kind and the versions that have them.
    fn constants(&self) -> Vec<(Kind, Versions, Constant)> {
        let table = Table::parse("", &self.read("constants.txt")).unwrap();
        let sections = table.sections.into_iter();
        sections
            .flat_map(|section| {
                let versions = match section.about.split_once(':') {
                    Some(("Since 5.0", _)) => Versions::Since,
                    Some(("Until 5.0", _)) => Versions::Until,
                    _ => Versions::All,
                };
                let constants = section.constants.into_iter();
                constants.map(move |constant| (section.kind.clone(), versions, constant))
            })
            .collect()
    }

    /// The program that compares all constants and layouts.
    fn program(&self) -> String {
        let mut text = format!("{PRELUDE}int main(void) {{\n");
        for (expression, value) in LAYOUTS.iter().chain(self.layouts) {
            writeln!(text, "number(\"{expression}\", {expression}, {value});").unwrap();
        }
        for (kind, versions, constant) in self.constants() {
            let statement = compared(&kind, &constant);
            let condition = match versions {
                Versions::All => "1".to_string(),
                Versions::Since => self.recent.to_string(),
                Versions::Until => format!("!({})", self.recent),
            };
            writeln!(text, "#if {condition}\n{statement}\n#endif").unwrap();
        }
        text + "return wrong; }\n"
    }

    /// Builds and runs the program; it says what differs.
    fn compare(&self) {
        let Some(compiler) = self.found_compiler() else {
            return;
        };
        let directory = sources().join("target/test/faces");
        std::fs::create_dir_all(&directory).unwrap();
        let program = directory.join(format!("{}.{}", self.name, std::process::id()));
        let file = program.with_extension("c");
        std::fs::write(&file, self.program()).unwrap();
        let built = Command::new(&compiler)
            .args(["-std=gnu99", "-w"])
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .output();
        let built = built.unwrap();
        let errors = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{compiler}: {errors}");
        let outcome = Command::new(&program).output().unwrap();
        assert!(
            outcome.status.success(),
            "{}",
            String::from_utf8_lossy(&outcome.stdout)
        );
        remove(&[&program, &file]);
    }
}

fn remove(files: &[&Path]) {
    for file in files {
        std::fs::remove_file(file).unwrap();
    }
}

/// The statement that compares one constant with its header's.
fn compared(kind: &Kind, constant: &Constant) -> String {
    let name = constant.name.as_str();
    let words: Vec<&str> = constant.value.split_whitespace().collect();
    let number = |value: &str| {
        // Open MPI keeps these three in their places under names that say that they are gone.
        let expression = match name.ends_with("_INTEGER") && name.starts_with("MPI_COMBINER_H")
            || name == "MPI_COMBINER_STRUCT_INTEGER"
        {
            true => format!("\n#ifdef OMPI_MPI_H\nOMPI_WAS_{name}\n#else\n{name}\n#endif\n"),
            false => name.to_string(),
        };
        format!("number(\"{name}\", (long long)({expression}), (long long)(int){value});")
    };
    match (kind, words.as_slice()) {
        (_, ["symbol", object, "0"]) => {
            format!("symbol(\"{name}\", \"{object}\", 0, (void *){name});")
        }
        (_, ["symbol", object, bytes]) => {
            format!("symbol(\"{name}\", \"{object}\", {bytes}, 0);")
        }
        (Kind::Pointer, [.., value]) => number(value),
        (Kind::Handle(_), [object, bytes, _]) => {
            let alone = name == *object || OBJECTS_ALONE.contains(&name);
            let address = if alone { "0" } else { name };
            format!("symbol(\"{name}\", \"{object}\", {bytes}, (void *){address});")
        }
        (_, [value]) => number(value),
        _ => panic!("{name}: {} is no value", constant.value),
    }
}

#[test]
fn mpichs_constants_are_those_of_its_header() {
    MPICH.compare();
}

#[test]
fn open_mpis_constants_are_those_of_its_header() {
    OPENMPI.compare();
}

#[test]
fn open_mpis_handles_have_the_integers_of_its_fortran_header() {
    let Some(compiler) = OPENMPI.found_compiler() else {
        return;
    };
    let answer = Command::new(compiler).arg("--showme:incdirs").output();
    let directories = String::from_utf8(answer.unwrap().stdout).unwrap();
    let mut integers = HashMap::new();
    for file in ["mpif-handles.h", "mpif-io-handles.h"] {
        let found = directories
            .split_whitespace()
            .map(|d| Path::new(d).join(file));
        let text = found
            .filter_map(|path| std::fs::read_to_string(path).ok())
            .next();
        let text = text.unwrap_or_else(|| panic!("{directories} has no {file}"));
        for line in text.lines() {
            let inside = line.trim().strip_prefix("parameter").map(str::trim);
            let inside = inside.and_then(|l| l.strip_prefix('(')?.strip_suffix(')'));
            if let Some((name, value)) = inside.and_then(|inside| inside.split_once('=')) {
                integers.insert(name.trim().to_string(), value.trim().to_string());
            }
        }
    }
    assert!(integers.len() > 90, "{integers:?}");
    for (kind, versions, constant) in OPENMPI.constants() {
        let words: Vec<&str> = constant.value.split_whitespace().collect();
        let (Kind::Handle(_), [_, _, integer]) = (kind, words.as_slice()) else {
            continue;
        };
        match integers.get(&constant.name) {
            Some(value) => assert_eq!(value, integer, "{}", constant.name),
            None => assert!(
                versions == Versions::Since || *integer == "-",
                "{}",
                constant.name
            ),
        }
    }
}

#[test]
fn the_further_functions_are_read_and_no_function_of_the_standard() {
    let standard = pamir_interface::read().unwrap();
    let standard = standard.chapters.iter().flat_map(|c| &c.functions);
    let standard: Vec<&str> = standard.map(|function| function.name.as_str()).collect();
    for peer in [MPICH, OPENMPI] {
        let table = Table::parse(&peer.read("functions.txt"), "").unwrap();
        let functions: Vec<_> = table.chapters.iter().flat_map(|c| &c.functions).collect();
        assert!(functions.len() > 50, "{}", peer.name);
        for function in functions {
            assert!(
                !standard.contains(&function.name.as_str()),
                "{}",
                function.name
            );
        }
    }
}
