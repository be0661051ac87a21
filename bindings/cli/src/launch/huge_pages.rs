//! Huge pages for the ranks' heaps: settings of the GNU C library, in its variable.
//!
//! Step before: [`super::program::environment`]. Step after: the C library of each rank, when it starts, and
//! [`pamir_driver::huge_pages`], when MPI or PAMI is ready.
//!
//! Without these settings, each large block is a mapping of its own, which huge pages hardly fit; with them, blocks up
//! to the greatest length that the library may learn by itself lie in the heap, and the heap is of huge pages. What it
//! gives back to the system, and when, is as it would be after such a block was freed.
//!
//! Invariant: who has set anything of the library's allocator has set it alone.

use std::ffi::OsString;

use pamir_driver::huge_pages::{HEAP_SETTING, VARIABLE};

use super::program::{set_value, value_of};

/// Blocks up to so many bytes lie in the heap.
const IN_HEAP: &str = "glibc.malloc.mmap_threshold=33554432";

/// So many bytes more than a block needs the heap grows by: its last huge page is not whole.
const MORE: &str = "glibc.malloc.top_pad=2097152";

/// More free bytes than these at the heap's end are given back.
const KEPT: &str = "glibc.malloc.trim_threshold=67108864";

/// What every setting of the allocator begins with.
const ALLOCATOR: &str = "glibc.malloc.";

/// Adds the settings to a program's variables, unless that is not wanted.
pub fn add(variables: &mut Vec<(OsString, OsString)>, unwanted: bool) {
    let given = value_of(variables, VARIABLE).unwrap_or_default();
    if unwanted || given.to_string_lossy().contains(ALLOCATOR) {
        return;
    }
    let mut settings = given.to_owned();
    for setting in [HEAP_SETTING, IN_HEAP, MORE, KEPT] {
        if !settings.is_empty() {
            settings.push(":");
        }
        settings.push(setting);
    }
    set_value(variables, VARIABLE, settings);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(given: Option<&str>, unwanted: bool) -> Option<String> {
        let mut variables = vec![("HOME".into(), "/".into())];
        variables.extend(given.map(|given| (VARIABLE.into(), given.into())));
        add(&mut variables, unwanted);
        let value = value_of(&variables, VARIABLE);
        value.map(|value| value.to_string_lossy().into_owned())
    }

    #[test]
    fn other_settings_stay() {
        let own = format!("{HEAP_SETTING}:{IN_HEAP}:{MORE}:{KEPT}");
        assert_eq!(added(None, false), Some(own.clone()));
        let other = "glibc.cpu.x86_shstk=off";
        assert_eq!(added(Some(other), false), Some(format!("{other}:{own}")));
    }

    #[test]
    fn nothing_is_added_where_it_is_unwanted_or_the_allocator_has_settings() {
        assert_eq!(added(None, true), None);
        let given = Some("glibc.malloc.hugetlb=0");
        assert_eq!(added(given, false).as_deref(), given);
    }
}
