//! Which part of the last-level cache a process may fill, where the kernel allocates it (resctrl).
//!
//! Before: a rank prepares for a smaller portion of a job's data, or for a larger one. After: what
//! it loads replaces lines in fewer ways of the cache, which leaves more to the others, or in more
//! of them again.
//!
//! ```text
//! ways of the default group   11 10 9 8 7 6 5 4 3 2 1 0
//! the whole, no group          x  x x x x x x x x x x x
//! eight of twelve                     x x x x x x x x x     group pamir-PID
//! ```
//!
//! | from  | to    | by |
//! |-------|-------|----|
//! | whole | part  | [`CachePortion::set_ways`] with fewer: a group is made, and all threads join it |
//! | part  | part  | with others: the group's masks change |
//! | part  | whole | with all; the portion is dropped: the group is removed, and threads are in the default one |
//!
//! A killed process leaves a group without tasks, of which a machine has few:
//! [`remove_abandoned`] removes those. Invariants: no group but those called `pamir-` is touched; a
//! way that the default group has not is never taken.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where resctrl is mounted, unless `PAMIR_RESCTRL` says another place.
pub const MOUNTED_AT: &str = "/sys/fs/resctrl";

/// What names of our groups begin with.
const PREFIX: &str = "pamir-";

/// Caches that may be divided, the larger first.
const LEVELS: [&str; 2] = ["L3", "L2"];

/// Why the cache is not divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CachePortionError {
    /// The user does not want it.
    #[error("switched off, by PAMIR_RESCTRL or by the policy")]
    Off,
    /// There is no such file system.
    #[error("no resctrl: the processor or kernel has none, or it is not mounted")]
    Absent,
    /// It is there for other things than allocation.
    #[error("resctrl does not divide this processor's cache")]
    NoAllocation,
    /// This user may not.
    #[error("resctrl is not writable for this user")]
    NotPermitted,
    /// The processor has no further class of service.
    #[error("resctrl has no class of service left for a group")]
    NoGroup,
    /// The kernel refuses the masks or the threads.
    #[error("resctrl refuses the group's ways or threads")]
    Refused,
}

/// A part of a cache, of one process.
#[derive(Debug)]
pub struct CachePortion {
    root: PathBuf,
    group: PathBuf,
    level: &'static str,
    /// (cache, the default group's mask) for each cache of the level.
    caches: Vec<(u32, u64)>,
    all: u32,
    least: u32,
    ways: u32,
}

/// Where resctrl is, by the environment.
///
/// # Errors
///
/// [`CachePortionError::Off`].
pub fn place() -> Result<PathBuf, CachePortionError> {
    match pamir_settings::RESCTRL.value() {
        None => Ok(MOUNTED_AT.into()),
        Some(value) if value == "off" || value == "0" => Err(CachePortionError::Off),
        Some(value) => Ok(value.into()),
    }
}

impl CachePortion {
    /// The portion of this process, the whole at first, under resctrl mounted at `root`.
    ///
    /// # Errors
    ///
    /// [`CachePortionError`] says why there is none.
    pub fn whole(root: &Path) -> Result<Self, CachePortionError> {
        let masks = fs::read_to_string(root.join("schemata"));
        let masks = masks.map_err(|_| CachePortionError::Absent)?;
        let found = LEVELS.into_iter().find_map(|level| {
            let number = |file: &str| fs::read_to_string(root.join("info").join(level).join(file));
            let least = number("min_cbm_bits").ok()?.trim().parse::<u32>().ok()?;
            Some((level, least, caches_of(&masks, level)?))
        });
        let Some((level, least, caches)) = found else {
            return Err(CachePortionError::NoAllocation);
        };
        let all = caches.iter().map(|(_, mask)| run_of(*mask)).min();
        let all = all.unwrap_or(0);
        if all <= least.max(1) {
            return Err(CachePortionError::NoAllocation);
        }
        Ok(Self {
            group: root.join(format!("{PREFIX}{}", std::process::id())),
            root: root.to_owned(),
            level,
            caches,
            all,
            least: least.max(1),
            ways: all,
        })
    }

    /// How many ways this process may fill.
    pub fn ways(&self) -> u32 {
        self.ways
    }

    /// How many there are for it.
    pub fn all_ways(&self) -> u32 {
        self.all
    }

    /// Lets this process, with all its threads, fill so many ways; as many as there are, and as few
    /// as the processor allows.
    ///
    /// # Errors
    ///
    /// [`CachePortionError`]; then it is as before.
    pub fn set_ways(&mut self, ways: u32) -> Result<(), CachePortionError> {
        let ways = ways.clamp(self.least, self.all);
        if ways == self.ways {
            return Ok(());
        }
        if ways == self.all {
            self.remove();
        } else {
            self.write(ways)?;
        }
        self.ways = ways;
        Ok(())
    }

    /// Makes the group, or changes it.
    fn write(&self, ways: u32) -> Result<(), CachePortionError> {
        let existed = self.group.is_dir();
        if !existed {
            remove_abandoned(&self.root);
            fs::create_dir(&self.group).map_err(|error| match error.kind() {
                ErrorKind::StorageFull => CachePortionError::NoGroup,
                _ => CachePortionError::NotPermitted,
            })?;
        }
        let written = fs::write(self.group.join("schemata"), self.masks(ways))
            .and_then(|()| self.join_threads());
        if written.is_err() && !existed {
            self.remove();
        }
        written.map_err(|_| CachePortionError::Refused)
    }

    /// The lowest `ways` ways of each cache, as the kernel takes them.
    fn masks(&self, ways: u32) -> String {
        let mask = |(cache, all): &(u32, u64)| {
            let part = (1_u64.unbounded_shl(ways)).wrapping_sub(1) << all.trailing_zeros();
            format!("{cache}={part:x}")
        };
        let masks: Vec<_> = self.caches.iter().map(mask).collect();
        format!("{}:{}\n", self.level, masks.join(";"))
    }

    /// Puts every thread of this process into the group: the kernel takes one at a time.
    fn join_threads(&self) -> std::io::Result<()> {
        for thread in fs::read_dir("/proc/self/task")? {
            let thread = thread?.file_name();
            match fs::write(self.group.join("tasks"), thread.as_encoded_bytes()) {
                // It has ended meanwhile.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                outcome => outcome?,
            }
        }
        Ok(())
    }

    fn remove(&self) {
        // Its threads become the default group's. What fails leaves a group for `remove_abandoned`.
        let _ = fs::remove_dir(&self.group);
    }
}

impl Drop for CachePortion {
    fn drop(&mut self) {
        if self.ways < self.all {
            self.remove();
        }
    }
}

/// Removes groups of ours that nobody is in any more; how many it found.
pub fn remove_abandoned(root: &Path) -> usize {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut found = 0;
    for entry in entries {
        let name = entry.file_name();
        let ours = name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let tasks = fs::read_to_string(entry.path().join("tasks"));
        if ours && tasks.is_ok_and(|tasks| tasks.trim().is_empty()) {
            found += 1;
            // If somebody joins meanwhile, its threads become the default group's.
            let _ = fs::remove_dir(entry.path());
        }
    }
    found
}

/// The caches of a level and their masks, from a line such as `L3:0=fff;1=fff`.
fn caches_of(schemata: &str, level: &str) -> Option<Vec<(u32, u64)>> {
    let mut lines = schemata.lines().map(str::trim);
    let line = lines.find_map(|line| line.strip_prefix(level)?.strip_prefix(':'))?;
    let cache = |entry: &str| {
        let (cache, mask) = entry.split_once('=')?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        Some((cache.trim().parse().ok()?, mask))
    };
    let caches = line.split(';').map(cache).collect::<Option<Vec<_>>>()?;
    (!caches.is_empty()).then_some(caches)
}

/// How many ways lie together from the lowest of a mask on: the kernel takes no others.
fn run_of(mask: u64) -> u32 {
    match mask {
        0 => 0,
        _ => (mask >> mask.trailing_zeros()).trailing_ones(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with the files of resctrl; what the kernel does with them it does not do.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, schemata: &str) -> Self {
            let root = format!("pamir-resctrl-{}-{name}", std::process::id());
            let root = std::env::temp_dir().join(root);
            fs::create_dir_all(root.join("info/L3")).unwrap();
            fs::write(root.join("info/L3/min_cbm_bits"), "2\n").unwrap();
            fs::write(root.join("schemata"), schemata).unwrap();
            Self(root)
        }

        fn group(&self) -> PathBuf {
            self.0.join(format!("{PREFIX}{}", std::process::id()))
        }

        /// The kernel removes a group with its files.
        fn empty(&self, group: &Path) {
            for file in ["schemata", "tasks"] {
                fs::remove_file(group.join(file)).unwrap();
            }
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn fewer_ways_are_a_group_and_all_ways_are_none() {
        let tree = Tree::new("group", "    MB:0=100\n    L3:0=fff0;1=ff0\n");
        let mut portion = CachePortion::whole(&tree.0).unwrap();
        assert_eq!((portion.ways(), portion.all_ways()), (8, 8));
        portion.set_ways(5).unwrap();
        let read = |file: &str| fs::read_to_string(tree.group().join(file)).unwrap();
        assert_eq!(read("schemata"), "L3:0=1f0;1=1f0\n");
        // The kernel keeps all that were written, a file the last.
        let thread: u32 = read("tasks").trim().parse().unwrap();
        assert!(Path::new(&format!("/proc/self/task/{thread}")).exists());
        portion.set_ways(0).unwrap();
        assert_eq!(
            (read("schemata").as_str(), portion.ways()),
            ("L3:0=30;1=30\n", 2)
        );
        tree.empty(&tree.group());
        portion.set_ways(99).unwrap();
        assert!(!tree.group().exists() && portion.ways() == 8);
        portion.set_ways(7).unwrap();
        tree.empty(&tree.group());
        drop(portion);
        assert!(!tree.group().exists());
    }

    #[test]
    fn groups_that_nobody_is_in_are_removed() {
        let tree = Tree::new("abandoned", "L3:0=ff\n");
        let make = |name: &str, tasks: Option<&str>| {
            let group = tree.0.join(name);
            fs::create_dir(&group).unwrap();
            if let Some(tasks) = tasks {
                fs::write(group.join("tasks"), tasks).unwrap();
            }
            group
        };
        let used = make("pamir-1", Some("77\n"));
        let other = make("somebody", Some(""));
        let unreadable = make("pamir-2", None);
        make("pamir-3", Some("\n"));
        assert_eq!(remove_abandoned(&tree.0), 1);
        assert!(used.exists() && other.exists() && unreadable.exists());
        assert_eq!(remove_abandoned(Path::new("/nowhere/at/all")), 0);
    }

    #[test]
    fn what_cannot_be_divided_is_said() {
        let whole = |root: &Path| CachePortion::whole(root).map(|_| ()).unwrap_err();
        assert_eq!(
            whole(Path::new("/nowhere/at/all")),
            CachePortionError::Absent
        );
        for (name, schemata) in [
            ("none", "MB:0=100\n"),
            ("few", "L3:0=3\n"),
            ("wrong", "L3:0=x\n"),
        ] {
            let tree = Tree::new(name, schemata);
            assert_eq!(whole(&tree.0), CachePortionError::NoAllocation, "{name}");
        }
        let tree = Tree::new("refused", "L3:0=ff\n");
        let mut portion = CachePortion::whole(&tree.0).unwrap();
        fs::write(tree.group(), "no directory").unwrap();
        assert_eq!(portion.set_ways(4), Err(CachePortionError::NotPermitted));
        assert_eq!(portion.ways(), 8);
    }

    #[test]
    fn ways_that_do_not_lie_together_are_not_counted() {
        assert_eq!(
            [0, 0b1, 0b1110, 0b1011, u64::MAX].map(run_of),
            [0, 1, 3, 2, 64]
        );
    }
}
