//! The table of options, its help and the manual page agree.

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
fn the_manual_page_has_every_option_and_its_help() {
    let page = include_str!("../../../share/man1/mpiexec.1").replace("\\-", "-");
    let page: String = page.split_whitespace().collect::<Vec<&str>>().join(" ");
    for option in all() {
        let names: Vec<String> = option.names.iter().map(|name| dashed(name)).collect();
        let names = format!(".B {}", names.join(", "));
        assert!(page.contains(&names), "{names}");
        let help = option
            .help
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" ");
        assert!(page.contains(&help), "{help}");
    }
}

#[test]
fn a_slip_finds_its_option() {
    assert_eq!(nearest("bind-too"), Some("bind-to"));
    assert_eq!(nearest("tag-ouput"), Some("tag-output"));
    assert_eq!(nearest("entirely-else"), None);
}
