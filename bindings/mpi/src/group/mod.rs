//! Groups: ordered sets of tasks (MPI-5.0 chapter 7.3).
//!
//! A task is a process, numbered once for the whole job; a rank is its index
//! in a group. Groups never change, so a clone shares what its original holds.
//!
//! Most groups are regular (all tasks, every second one, the upper half): those
//! are three numbers, whatever their size. The others are a list, with a sorted
//! index that is built when the first task is looked up.
//!
//! ```text
//! Members::Range   task of rank r = first + r * stride        rank of task: O(1)
//! Members::List    task of rank r = tasks[r]                  rank of task: O(log n), index built once
//! ```
//!
//! Invariants: no task is twice in a group; a group whose tasks are regular is
//! always a range, so that comparing two groups costs little.

mod ranges;
mod set;

pub use ranges::RankRange;

use std::sync::{Arc, OnceLock};

/// Why a group could not be made or asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// A rank that the group does not have (`MPI_ERR_RANK`).
    #[error(
        "rank {rank} is not in a group of {size}: pass ranks from 0 to the group's size less one"
    )]
    NoSuchRank {
        /// The rank passed.
        rank: i64,
        /// The group's size.
        size: usize,
    },
    /// A rank named twice (`MPI_ERR_RANK`).
    #[error("rank {rank} is named twice: each rank may appear once")]
    RankTwice {
        /// The rank passed.
        rank: usize,
    },
    /// A task named twice when making a group from tasks (`MPI_ERR_GROUP`).
    #[error("task {task} is named twice: a group holds each task once")]
    TaskTwice {
        /// The task passed.
        task: u32,
    },
    /// A range of stride zero (`MPI_ERR_ARG`).
    #[error("range {index} has stride 0: pass a stride that leads from its first rank to its last")]
    ZeroStride {
        /// Which of the ranges.
        index: usize,
    },
    /// A range whose stride leads away from its last rank (`MPI_ERR_ARG`).
    #[error(
        "range {index} is empty, {first} to {last} by {stride}: pass a stride of the other sign"
    )]
    EmptyRange {
        /// Which of the ranges.
        index: usize,
        /// Its first rank.
        first: i32,
        /// Its last rank.
        last: i32,
        /// Its stride.
        stride: i32,
    },
}

/// How two groups stand to each other (`MPI_Group_compare`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same tasks in the same order (`MPI_IDENT`).
    Identical,
    /// The same tasks in another order (`MPI_SIMILAR`).
    Similar,
    /// Different tasks (`MPI_UNEQUAL`).
    Unequal,
}

/// An ordered set of tasks.
#[derive(Clone, Debug)]
pub struct Group {
    members: Members,
}

#[derive(Clone, Debug)]
enum Members {
    Range { first: u32, stride: i64, size: u32 },
    List(Arc<List>),
}

#[derive(Debug)]
struct List {
    tasks: Box<[u32]>,
    /// (task, rank), sorted by task.
    index: OnceLock<Box<[(u32, u32)]>>,
}

impl List {
    fn index(&self) -> &[(u32, u32)] {
        self.index.get_or_init(|| {
            let mut index: Box<[_]> = (0u32..).zip(&self.tasks).map(|(r, &t)| (t, r)).collect();
            index.sort_unstable();
            index
        })
    }
}

impl Group {
    /// The group without members (`MPI_GROUP_EMPTY`).
    pub const fn empty() -> Self {
        Self::range(0, 1, 0)
    }

    /// Tasks 0 to `size` less one, in order: the group of `MPI_COMM_WORLD`.
    pub const fn world(size: u32) -> Self {
        Self::range(0, 1, size)
    }

    /// One task alone: the group of `MPI_COMM_SELF`.
    pub const fn single(task: u32) -> Self {
        Self::range(task, 1, 1)
    }

    const fn range(first: u32, stride: i64, size: u32) -> Self {
        Self {
            members: Members::Range {
                first,
                stride,
                size,
            },
        }
    }

    /// The tasks listed, in that order.
    ///
    /// # Errors
    ///
    /// [`GroupError::TaskTwice`].
    pub fn from_tasks(tasks: &[u32]) -> Result<Self, GroupError> {
        let group = Self::from_distinct(tasks.to_vec());
        if let Members::List(list) = &group.members
            && let Some(pair) = list.index().windows(2).find(|pair| pair[0].0 == pair[1].0)
        {
            return Err(GroupError::TaskTwice { task: pair[0].0 });
        }
        Ok(group)
    }

    /// A group of tasks that are known to differ, or whose caller checks. Tasks
    /// that form a range do differ, since their stride is not zero.
    fn from_distinct(tasks: Vec<u32>) -> Self {
        let first = tasks.first().copied().unwrap_or(0);
        let stride = match tasks[..] {
            [a, b, ..] => i64::from(b) - i64::from(a),
            _ => 1,
        };
        let regular = stride != 0
            && tasks
                .windows(2)
                .all(|pair| i64::from(pair[1]) - i64::from(pair[0]) == stride);
        if regular {
            // At most 2^32 - 1 tasks: ranks are C `int`s, and a list of more would not fit in memory.
            return Self::range(first, stride, tasks.len() as u32);
        }
        let list = List {
            tasks: tasks.into(),
            index: OnceLock::new(),
        };
        Self {
            members: Members::List(Arc::new(list)),
        }
    }

    /// How many members the group has (`MPI_Group_size`).
    pub fn size(&self) -> usize {
        match &self.members {
            Members::Range { size, .. } => *size as usize,
            Members::List(list) => list.tasks.len(),
        }
    }

    /// Whether the group has no members.
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// The task at a rank; `None` where the group has no such rank.
    #[inline]
    pub fn task(&self, rank: usize) -> Option<u32> {
        match &self.members {
            Members::Range {
                first,
                stride,
                size,
            } => (rank < *size as usize).then(|| (i64::from(*first) + rank as i64 * stride) as u32),
            Members::List(list) => list.tasks.get(rank).copied(),
        }
    }

    /// The rank of a task (`MPI_Group_rank`); `None` where it is not a member (`MPI_UNDEFINED`).
    #[inline]
    pub fn rank_of(&self, task: u32) -> Option<usize> {
        match &self.members {
            Members::Range {
                first,
                stride,
                size,
            } => {
                let distance = i64::from(task) - i64::from(*first);
                let rank = distance / stride;
                (distance % stride == 0 && (0..i64::from(*size)).contains(&rank))
                    .then_some(rank as usize)
            }
            Members::List(list) => {
                let index = list.index();
                let found = index.binary_search_by_key(&task, |entry| entry.0).ok()?;
                Some(index[found].1 as usize)
            }
        }
    }

    /// Whether a task is a member.
    pub fn contains(&self, task: u32) -> bool {
        self.rank_of(task).is_some()
    }

    /// The members' tasks, in the order of their ranks.
    pub fn tasks(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.size()).map(|rank| self.task(rank).expect("ranks below the size have tasks"))
    }

    /// The rank in `other` of the task that has `rank` here; `None` where `other`
    /// does not have it (`MPI_UNDEFINED`). `MPI_PROC_NULL` is the caller's to pass through.
    ///
    /// # Errors
    ///
    /// [`GroupError::NoSuchRank`].
    pub fn translate_rank(&self, rank: usize, other: &Self) -> Result<Option<usize>, GroupError> {
        let task = self.task(rank).ok_or(GroupError::NoSuchRank {
            rank: rank as i64,
            size: self.size(),
        })?;
        Ok(other.rank_of(task))
    }

    /// [`translate_rank`](Self::translate_rank) for several ranks (`MPI_Group_translate_ranks`).
    ///
    /// # Errors
    ///
    /// [`GroupError::NoSuchRank`].
    pub fn translate_ranks(
        &self,
        ranks: &[usize],
        other: &Self,
    ) -> Result<Vec<Option<usize>>, GroupError> {
        ranks
            .iter()
            .map(|&rank| self.translate_rank(rank, other))
            .collect()
    }

    /// How two groups stand to each other (`MPI_Group_compare`).
    pub fn compare(&self, other: &Self) -> Comparison {
        if self.size() != other.size() {
            return Comparison::Unequal;
        }
        let identical = match (&self.members, &other.members) {
            (
                Members::Range {
                    first: a,
                    stride: step_a,
                    size,
                },
                Members::Range {
                    first: b,
                    stride: step_b,
                    ..
                },
            ) => *size == 0 || (a == b && (*size == 1 || step_a == step_b)),
            (Members::List(a), Members::List(b)) => Arc::ptr_eq(a, b) || a.tasks == b.tasks,
            // A regular group is never a list.
            _ => false,
        };
        if identical {
            Comparison::Identical
        } else if self.tasks().all(|task| other.contains(task)) {
            Comparison::Similar
        } else {
            Comparison::Unequal
        }
    }
}

impl PartialEq for Group {
    /// The same tasks in the same order.
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Comparison::Identical
    }
}

impl Eq for Group {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_range(group: &Group) -> bool {
        matches!(group.members, Members::Range { .. })
    }

    #[test]
    fn a_world_costs_three_numbers() {
        let world = Group::world(1_000_000);
        assert!(is_range(&world));
        assert_eq!(world.task(999_999), Some(999_999));
        assert_eq!(world.task(1_000_000), None);
        assert_eq!(world.rank_of(1_000_000), None);
        assert_eq!(
            world.compare(&Group::world(1_000_000)),
            Comparison::Identical
        );
    }

    #[test]
    fn regular_tasks_become_a_range_whatever_their_direction() {
        for tasks in [&[][..], &[7], &[3, 4, 5], &[9, 6, 3, 0], &[u32::MAX, 0]] {
            let group = Group::from_tasks(tasks).unwrap();
            assert!(is_range(&group), "{tasks:?}");
            assert_eq!(group.tasks().collect::<Vec<_>>(), tasks);
        }
        let irregular = Group::from_tasks(&[0, 1, 3]).unwrap();
        assert!(!is_range(&irregular));
    }

    #[test]
    fn a_task_twice_is_refused() {
        assert_eq!(
            Group::from_tasks(&[5, 5]).unwrap_err(),
            GroupError::TaskTwice { task: 5 }
        );
        let error = Group::from_tasks(&[1, 2, 9, 1]).unwrap_err();
        assert_eq!(error, GroupError::TaskTwice { task: 1 });
    }

    #[test]
    fn groups_compare_by_tasks_and_order() {
        let group = |tasks: &[u32]| Group::from_tasks(tasks).unwrap();
        assert_eq!(
            group(&[1, 2, 3]).compare(&group(&[3, 2, 1])),
            Comparison::Similar
        );
        assert_eq!(
            group(&[1, 2, 4]).compare(&group(&[4, 1, 2])),
            Comparison::Similar
        );
        assert_eq!(
            group(&[1, 2, 4]).compare(&group(&[1, 2, 4])),
            Comparison::Identical
        );
        assert_eq!(
            group(&[1, 2, 4]).compare(&group(&[1, 2, 3])),
            Comparison::Unequal
        );
        assert_eq!(
            group(&[1, 2]).compare(&group(&[1, 2, 3])),
            Comparison::Unequal
        );
        assert_eq!(group(&[]).compare(&Group::empty()), Comparison::Identical);
        assert_eq!(
            group(&[4]).compare(&Group::single(4)),
            Comparison::Identical
        );
    }

    #[test]
    fn translation_needs_a_rank_and_finds_a_rank_or_nothing() {
        let (world, odd) = (Group::world(6), Group::from_tasks(&[5, 1, 3]).unwrap());
        let all: Vec<usize> = (0..6).collect();
        assert_eq!(
            world.translate_ranks(&all, &odd).unwrap(),
            [None, Some(1), None, Some(2), None, Some(0)]
        );
        assert_eq!(
            odd.translate_ranks(&[0, 2], &world).unwrap(),
            [Some(5), Some(3)]
        );
        assert_eq!(
            odd.translate_rank(3, &world),
            Err(GroupError::NoSuchRank { rank: 3, size: 3 })
        );
    }

    proptest! {
        #[test]
        fn ranks_and_tasks_are_inverse(
            tasks in prop::collection::hash_set(0u32..100, 0..30),
            probe in 0u32..100,
        ) {
            let tasks: Vec<u32> = tasks.into_iter().collect();
            let group = Group::from_tasks(&tasks).unwrap();
            prop_assert_eq!(group.rank_of(probe), tasks.iter().position(|&task| task == probe));
            prop_assert_eq!(group.tasks().collect::<Vec<_>>(), tasks);
        }
    }
}
