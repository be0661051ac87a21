//! What a compiler's arguments make it do.
//!
//! Before: the arguments that are the compiler's. After: the flags that this needs, and what is to be refused.

use std::ffi::OsString;

/// Whether these arguments compile something, and whether they link.
pub(super) fn steps(arguments: &[OsString]) -> (bool, bool) {
    const NO_LINKING: [&str; 6] = ["-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"];
    // The value of such an option is no input file.
    const WITH_VALUE: [&str; 16] = [
        "-o",
        "-I",
        "-L",
        "-D",
        "-U",
        "-x",
        "-include",
        "-isystem",
        "-MF",
        "-MT",
        "-MQ",
        "-Xlinker",
        "-T",
        "-J",
        "-module",
        "-module-dir",
    ];
    let mut links = true;
    let mut inputs = 0;
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        if NO_LINKING.contains(&&*argument) {
            links = false;
        } else if WITH_VALUE.contains(&&*argument) {
            arguments.next();
        } else if argument == "-" || argument.starts_with("-l") || !argument.starts_with('-') {
            inputs += 1;
        }
    }
    // Without input (`mpicc --version`, `mpicc -v`) the compiler only speaks about itself.
    (inputs > 0, links && inputs > 0)
}
