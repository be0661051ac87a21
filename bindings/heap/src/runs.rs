//! Which pages of the heap are in use: boundary tags, and lists of free runs by size.
//!
//! After Knuth, "The Art of Computer Programming" 1, section 2.5 (boundary tags), with a list for
//! each power of two (segregated fits). Everything is O(1) but a bounded look along one list.
//!
//! ```text
//! tags   │ len·2+used │ ... │ len·2+used │ len·2 │ ........ │ len·2 │
//!          first page         last page    first              last
//!          └────────── used run ─────────┘ └────── free run ───────┘
//! links    next, previous free run of the same list, at a free run's first page
//! ```
//!
//! Invariants: the runs cover all pages without a gap; no two free runs are neighbours; a free
//! run stands in the list of its length's power of two, a used one in none.

/// No page.
const NONE: u32 = u32::MAX;
/// Lists, one for each power of two of pages.
const LISTS: usize = 31;
/// Runs of the request's own list that are looked at; the next lists' runs are all long enough.
const LOOKS: usize = 32;

/// Next and previous free run of the same list.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Links {
    next: u32,
    previous: u32,
}

/// The pages of a heap, as runs that are free or in use.
pub struct PageRuns {
    tags: &'static mut [u32],
    links: &'static mut [Links],
    heads: [u32; LISTS],
}

impl PageRuns {
    /// One free run of as many pages as there are tags and links (both of the same number, not
    /// 0, and less than 2^31).
    pub fn new(tags: &'static mut [u32], links: &'static mut [Links]) -> Self {
        assert_eq!(tags.len(), links.len(), "a tag and links for each page");
        assert!(
            !tags.is_empty() && tags.len() < 1 << 31,
            "pages are counted in 31 bits"
        );
        let pages = tags.len() as u32;
        let mut runs = Self {
            tags,
            links,
            heads: [NONE; LISTS],
        };
        runs.list(0, pages);
        runs
    }

    /// Pages in all.
    pub fn pages(&self) -> u32 {
        self.tags.len() as u32
    }

    /// Takes a run of `pages` pages whose first page's number, with `phase` (less than
    /// `alignment`) added, is a multiple of `alignment` (a power of two); its first page, or
    /// nothing if no free run is long enough.
    pub fn allocate(&mut self, pages: u32, alignment: u32, phase: u32) -> Option<u32> {
        let reach = pages.checked_add(alignment - 1)?;
        let free = self.find(reach)?;
        let length = self.unlist(free);
        let first = (free + phase).next_multiple_of(alignment) - phase;
        if first > free {
            self.list(free, first - free);
        }
        let rest = length - (first - free) - pages;
        if rest > 0 {
            self.list(first + pages, rest);
        }
        self.tag(first, pages, true);
        Some(first)
    }

    /// Gives the used run that begins with `first` back, and joins it with free neighbours.
    pub fn release(&mut self, first: u32) {
        let (mut start, mut length) = (first, self.length(first));
        let after = start + length;
        if after < self.pages() && !self.used(after) {
            length += self.unlist(after);
        }
        if start > 0 && !self.used(start - 1) {
            let before = self.length(start - 1);
            start -= before;
            self.unlist(start);
            length += before;
        }
        self.list(start, length);
    }

    /// Makes the used run that begins with `first` `pages` long where it stands, if it is longer
    /// or enough free pages follow.
    pub fn resize(&mut self, first: u32, pages: u32) -> bool {
        let mut length = self.length(first);
        let after = first + length;
        if pages > length {
            let follows = after < self.pages() && !self.used(after);
            if !follows || length + self.length(after) < pages {
                return false;
            }
            length += self.unlist(after);
        }
        self.tag(first, length, true);
        if length > pages {
            self.tag(first, pages, true);
            self.tag(first + pages, length - pages, true);
            self.release(first + pages);
        }
        true
    }

    /// Pages of the run whose first or last page is `page`.
    pub fn length(&self, page: u32) -> u32 {
        self.tags[page as usize] >> 1
    }

    /// Whether the run whose first or last page is `page` is in use.
    pub fn used(&self, page: u32) -> bool {
        self.tags[page as usize] & 1 != 0
    }

    /// Calls `visit` with the first page and the length of each used run, in order.
    pub fn each_used(&self, mut visit: impl FnMut(u32, u32)) {
        let mut page = 0;
        while page < self.pages() {
            let length = self.length(page);
            if self.used(page) {
                visit(page, length);
            }
            page += length;
        }
    }

    /// A free run of at least `pages` pages.
    fn find(&self, pages: u32) -> Option<u32> {
        let own = list_of(pages);
        let mut run = self.heads[own];
        for _ in 0..LOOKS {
            if run == NONE {
                break;
            }
            if self.length(run) >= pages {
                return Some(run);
            }
            run = self.links[run as usize].next;
        }
        self.heads[own + 1..]
            .iter()
            .copied()
            .find(|&head| head != NONE)
    }

    fn tag(&mut self, first: u32, length: u32, used: bool) {
        let word = length << 1 | u32::from(used);
        self.tags[first as usize] = word;
        self.tags[(first + length - 1) as usize] = word;
    }

    /// Makes a run free and puts it at the head of its list.
    fn list(&mut self, first: u32, length: u32) {
        self.tag(first, length, false);
        let head = &mut self.heads[list_of(length)];
        let next = std::mem::replace(head, first);
        self.links[first as usize] = Links {
            next,
            previous: NONE,
        };
        if next != NONE {
            self.links[next as usize].previous = first;
        }
    }

    /// Takes a free run out of its list; its length.
    fn unlist(&mut self, first: u32) -> u32 {
        let length = self.length(first);
        let Links { next, previous } = self.links[first as usize];
        match previous {
            NONE => self.heads[list_of(length)] = next,
            previous => self.links[previous as usize].next = next,
        }
        if next != NONE {
            self.links[next as usize].previous = previous;
        }
        length
    }
}

fn list_of(pages: u32) -> usize {
    pages.ilog2() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs(pages: usize) -> PageRuns {
        PageRuns::new(vec![0; pages].leak(), vec![Links::default(); pages].leak())
    }

    #[test]
    fn neighbours_join_again() {
        let mut runs = runs(100);
        let taken: Vec<u32> = (0..10).map(|_| runs.allocate(10, 1, 0).unwrap()).collect();
        assert_eq!(runs.allocate(1, 1, 0), None);
        for &first in taken
            .iter()
            .step_by(2)
            .chain(taken.iter().skip(1).step_by(2))
        {
            runs.release(first);
        }
        assert_eq!(runs.allocate(100, 1, 0), Some(0));
    }

    #[test]
    fn a_run_begins_where_it_was_asked_to() {
        let mut runs = runs(64);
        assert_eq!(runs.allocate(3, 1, 0), Some(0));
        assert_eq!(runs.allocate(8, 16, 5), Some(11));
        assert_eq!(runs.allocate(8, 1, 0), Some(3));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Allocate(u32, u32, u32),
        Release(usize),
        Resize(usize, u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (1u32..40, 0u32..5, 0u32..32).prop_map(|(pages, power, phase)| {
                Step::Allocate(pages, 1 << power, phase % (1 << power))
            }),
            any::<usize>().prop_map(Step::Release),
            (any::<usize>(), 1u32..60).prop_map(|(which, pages)| Step::Resize(which, pages)),
        ]
    }

    /// The oracle is a list of what was handed out.
    fn check(runs: &PageRuns, taken: &[(u32, u32)]) {
        let mut expected = taken.to_vec();
        expected.sort_unstable();
        let mut found = Vec::new();
        runs.each_used(|first, length| found.push((first, length)));
        assert_eq!(found, expected);
        let (mut page, mut last_free) = (0, false);
        while page < runs.pages() {
            let free = !runs.used(page);
            assert!(
                !(free && last_free),
                "two free neighbours before page {page}"
            );
            last_free = free;
            page += runs.length(page);
        }
        assert_eq!(page, runs.pages());
    }

    proptest! {
        #[test]
        fn runs_are_those_of_a_plain_list(steps in proptest::collection::vec(step(), 1..200)) {
            let mut runs = runs(256);
            let mut taken: Vec<(u32, u32)> = Vec::new();
            for step in steps {
                match step {
                    Step::Allocate(pages, alignment, phase) => {
                        if let Some(first) = runs.allocate(pages, alignment, phase) {
                            prop_assert_eq!((first + phase) % alignment, 0);
                            taken.push((first, pages));
                        }
                    }
                    Step::Release(which) if !taken.is_empty() => {
                        let (first, _) = taken.swap_remove(which % taken.len());
                        runs.release(first);
                    }
                    Step::Resize(which, pages) if !taken.is_empty() => {
                        let which = which % taken.len();
                        let (first, before) = taken[which];
                        let grown = runs.resize(first, pages);
                        prop_assert!(grown || pages > before);
                        if grown {
                            taken[which].1 = pages;
                        }
                    }
                    _ => {}
                }
                check(&runs, &taken);
            }
            for (first, _) in taken {
                runs.release(first);
            }
            prop_assert_eq!(runs.allocate(256, 1, 0), Some(0));
        }
    }
}
