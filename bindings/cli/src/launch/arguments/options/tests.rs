//! The table of options and its help agree; `tests/manual` compares the manual page.

use super::*;

#[test]
fn no_spelling_occurs_twice() {
    let mut names: Vec<&str> = all().flat_map(|option| option.names).copied().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn help_names_every_option_within_the_width() {
    let help = help();
    for option in all() {
        for name in option.names {
            assert!(help.contains(&dashed(name)), "{name}");
        }
    }
    assert!(help.lines().all(|line| line.len() <= 96), "{help}");
}

#[test]
fn a_slip_finds_its_option() {
    assert_eq!(nearest("bind-too"), Some("bind-to"));
    assert_eq!(nearest("tag-ouput"), Some("tag-output"));
    assert_eq!(nearest("entirely-else"), None);
}
