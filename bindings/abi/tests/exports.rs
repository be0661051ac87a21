//! The built library: its symbols, and that `MPI_X` can be interposed.

mod built_library;

use std::fs;
use std::process::Command;

use built_library::{library_folder, root, run};

#[test]
fn every_function_of_the_standard_is_exported_twice() {
    let library = library_folder().join("libmpi_abi.so.1");
    let listing = Command::new("nm")
        .args(["--dynamic", "--defined-only", "--format=posix"])
        .arg(&library)
        .output()
        .expect("nm is there");
    let listing = String::from_utf8(listing.stdout).expect("symbols are text");
    let symbols: Vec<_> = listing
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let facts = fs::read_to_string(root().join("tests/data/signatures.txt"))
        .expect("the facts are committed");
    let mut functions = 0;
    for line in facts.lines().filter(|line| !line.starts_with('#')) {
        let name = line
            .split(['(', ' '])
            .nth(1)
            .expect("a signature has a name");
        assert!(symbols.contains(&name), "{name} is not exported");
        assert!(
            symbols.contains(&format!("P{name}").as_str()),
            "P{name} is not exported"
        );
        functions += 1;
    }
    assert_eq!(functions, 664);
    // The dynamic symbols are the interfaces of mpi.h and pamir.h, and nothing else.
    for symbol in symbols {
        assert!(
            ["MPI_", "PMPI_", "pamir_"]
                .iter()
                .any(|prefix| symbol.starts_with(prefix)),
            "{symbol} is exported"
        );
    }
}

#[test]
fn the_library_has_the_standard_soname() {
    let headers = Command::new("objdump")
        .arg("-p")
        .arg(library_folder().join("libmpi_abi.so.1"))
        .output()
        .expect("objdump is there");
    let headers = String::from_utf8_lossy(&headers.stdout);
    let soname = headers
        .lines()
        .find(|line| line.contains("SONAME"))
        .unwrap_or_default();
    assert_eq!(soname.split_whitespace().last(), Some("libmpi_abi.so.1"));
}

#[test]
fn a_function_of_the_program_takes_the_place_of_ours() {
    // Were PMPI_Comm_toint to reach the program's function again, this would not end.
    let output = run(
        "interpose.c",
        "#include <mpi.h>\n\
         static int calls = 0;\n\
         int MPI_Comm_toint(MPI_Comm comm) { calls++; return PMPI_Comm_toint(comm); }\n\
         int main(void)\n{\n    \
         int integer = MPI_Comm_c2f(MPI_COMM_WORLD);\n    \
         return !(integer == 0x101 && calls == 1 && MPI_Comm_f2c(integer) == MPI_COMM_WORLD);\n}\n",
    );
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_failing_call_is_fatal_and_says_why() {
    let output = run(
        "fatal.c",
        "#include <mpi.h>\nint main(void)\n{\n    \
         MPI_Fint f[MPI_F_STATUS_SIZE];\n    \
         MPI_Status_c2f(MPI_STATUS_IGNORE, f);\n    return 0;\n}\n",
    );
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("MPI_Status_c2f: Invalid argument: "),
        "{said}"
    );
}

#[test]
fn a_function_left_for_later_names_itself() {
    let output = run(
        "later.c",
        "#include <mpi.h>\nint main(void)\n{\n    MPI_Comm comm;\n    \
         return MPI_Comm_spawn(\"none\", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);\n}\n",
    );
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = "MPI_Comm_spawn: Operation is not supported: MPI_Comm_spawn";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn the_tool_interface_gives_its_errors_back() {
    let output = run(
        "tool.c",
        "#include <mpi.h>\nint main(void)\n{\n    int number;\n    \
         return MPI_T_cvar_get_num(&number) != MPI_T_ERR_NOT_INITIALIZED;\n}\n",
    );
    assert!(output.status.success(), "{output:?}");
}
