//! Boards against their invariants: exhaustively with loom among two and three members, and in
//! random order against what was posted.

use super::*;

#[cfg(loom)]
use loom::{cell::UnsafeCell, sync::Arc};
#[cfg(not(loom))]
use std::{cell::UnsafeCell, sync::Arc};

/// A board on the heap with a payload of one word a post, watched by loom.
struct HeapMemory {
    members: usize,
    flags: Vec<AtomicU64>,
    payload: Vec<UnsafeCell<u64>>,
    finished: Vec<AtomicU32>,
}

// SAFETY: the payload cells are only touched through `write` and `read` below, by the poster
// between room and publication and by readers between look and finish; that this excludes races
// is what the loom model checks.
unsafe impl Sync for HeapMemory {}
// SAFETY: as above.
unsafe impl Send for HeapMemory {}

impl HeapMemory {
    fn new(members: usize) -> Arc<Self> {
        let places = members * DEPTH as usize;
        Arc::new(Self {
            members,
            flags: (0..places).map(|_| AtomicU64::new(0)).collect(),
            payload: (0..places).map(|_| UnsafeCell::new(0)).collect(),
            finished: (0..members).map(|_| AtomicU32::new(0)).collect(),
        })
    }

    fn index(member: usize, round: u32) -> usize {
        member * DEPTH as usize + place(round) as usize
    }

    #[cfg(loom)]
    fn write(&self, member: usize, round: u32, value: u64) {
        // SAFETY: loom checks the access.
        self.payload[Self::index(member, round)].with_mut(|cell| unsafe { *cell = value });
    }

    #[cfg(loom)]
    fn read(&self, member: usize, round: u32) -> u64 {
        // SAFETY: loom checks the access.
        self.payload[Self::index(member, round)].with(|cell| unsafe { *cell })
    }

    #[cfg(not(loom))]
    fn write(&self, member: usize, round: u32, value: u64) {
        // SAFETY: the test below runs all members on one thread.
        unsafe { *self.payload[Self::index(member, round)].get() = value };
    }

    #[cfg(not(loom))]
    fn read(&self, member: usize, round: u32) -> u64 {
        // SAFETY: the test below runs all members on one thread.
        unsafe { *self.payload[Self::index(member, round)].get() }
    }
}

impl BoardMemory for Arc<HeapMemory> {
    fn members(&self) -> usize {
        self.members
    }

    fn flag(&self, member: usize, place: u32) -> &AtomicU64 {
        &self.flags[member * DEPTH as usize + place as usize]
    }

    fn finished(&self, member: usize) -> &AtomicU32 {
        &self.finished[member]
    }
}

/// A value that tells the post of each member in each round.
fn value(member: usize, round: u32) -> u64 {
    u64::from(round) << 8 | member as u64
}

fn post(board: &Board<Arc<HeapMemory>>, round: u32) {
    board
        .memory()
        .write(board.member(), round, value(board.member(), round));
    board.publish(round, round % 50);
}

/// Whether the member's post is there; then it is what was posted.
fn reads(board: &Board<Arc<HeapMemory>>, member: usize, round: u32) -> bool {
    let Some(bytes) = board.look(member, round) else {
        return false;
    };
    assert_eq!(bytes, (round % 50) as usize);
    assert_eq!(board.memory().read(member, round), value(member, round));
    true
}

#[cfg(not(loom))]
#[test]
fn members_hear_each_other_in_any_order() {
    const ROUNDS: u32 = 3000;
    for (members, seed) in [(1, 1_u64), (2, 2), (3, 3), (5, 4)] {
        let memory = HeapMemory::new(members);
        let boards: Vec<_> = (0..members)
            .map(|member| Board::new(memory.clone(), member))
            .collect();
        // For each member: the next round to post, and how many it has heard of the next to finish.
        let mut posts = vec![1_u32; members];
        let mut heard = vec![(1_u32, 0_usize); members];
        let mut random = seed;
        while heard.iter().any(|(round, _)| *round <= ROUNDS) {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let member = (random >> 33) as usize % members;
            let board = &boards[member];
            // An odd step posts, up to three rounds ahead; an even one hears.
            if random >> 63 == 1 {
                let ahead = posts[member] - heard[member].0;
                if posts[member] <= ROUNDS && ahead < 3 && board.has_room(posts[member]) {
                    post(board, posts[member]);
                    posts[member] += 1;
                }
                continue;
            }
            let (round, from) = heard[member];
            if round > ROUNDS || !reads(board, from, round) {
                continue;
            }
            heard[member] = (round, from + 1);
            if from + 1 == members {
                board.finish(round);
                heard[member] = (round + 1, 0);
            }
        }
    }
}

#[cfg(not(loom))]
#[test]
fn a_member_that_is_behind_keeps_its_posts() {
    let memory = HeapMemory::new(2);
    let [root, leaf] = [0, 1].map(|member| Board::new(memory.clone(), member));
    let mut round = 1;
    while root.has_room(round) {
        post(&root, round);
        root.finish(round);
        round += 1;
    }
    assert_eq!(round, DEPTH + 1);
    for read in 1..=PUBLISHED_ROUNDS {
        assert!(reads(&leaf, 0, read));
        assert!(!root.has_room(round));
        assert_eq!(leaf.finish(read), read == PUBLISHED_ROUNDS);
    }
    assert!(root.has_room(round + PUBLISHED_ROUNDS - 1));
    assert!(!root.has_room(round + PUBLISHED_ROUNDS));
}

#[cfg(not(loom))]
#[test]
fn rounds_wrap() {
    let memory = HeapMemory::new(2);
    let start = u32::MAX - 20;
    let boards = [0, 1].map(|member| {
        let board = Board::new(memory.clone(), member);
        board.finish(start);
        board.known[1 - member].set(start);
        board.lowest.set(start);
        board
    });
    for step in 1..=60 {
        let round = start.wrapping_add(step);
        for board in &boards {
            assert!(board.has_room(round));
            post(board, round);
        }
        for board in &boards {
            assert!(reads(board, 0, round) && reads(board, 1, round));
            board.finish(round);
        }
    }
}

#[cfg(loom)]
mod models {
    use super::*;

    /// Waits for ever between two; among three, whose turns loom cannot count, a few times only.
    fn wait(members: usize, mut ready: impl FnMut() -> bool) -> bool {
        for _ in 0..if members == 2 { usize::MAX } else { 2 } {
            if ready() {
                return true;
            }
            loom::thread::yield_now();
        }
        false
    }

    /// Every member posts in every round and hears all others, as an allreduce does.
    fn everybody(board: &Board<Arc<HeapMemory>>, rounds: u32) {
        let members = board.memory().members();
        for round in 1..=rounds {
            if !wait(members, || board.has_room(round)) {
                return;
            }
            post(board, round);
            for member in (0..members).filter(|other| *other != board.member()) {
                if !wait(members, || reads(board, member, round)) {
                    return;
                }
            }
            board.finish(round);
        }
    }

    /// Member 0 posts, the others read, as in a broadcast.
    fn from_root(board: &Board<Arc<HeapMemory>>, rounds: u32) {
        let members = board.memory().members();
        for round in 1..=rounds {
            let goes_on = if board.member() == 0 {
                wait(members, || board.has_room(round))
            } else {
                wait(members, || reads(board, 0, round))
            };
            if !goes_on {
                return;
            }
            if board.member() == 0 {
                post(board, round);
            }
            board.finish(round);
        }
    }

    fn run(members: usize, bound: usize, member: fn(&Board<Arc<HeapMemory>>, u32), rounds: u32) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(bound);
        model.check(move || {
            let memory = HeapMemory::new(members);
            let others: Vec<_> = (1..members)
                .map(|number| {
                    let memory = memory.clone();
                    loom::thread::spawn(move || member(&Board::new(memory, number), rounds))
                })
                .collect();
            member(&Board::new(memory, 0), rounds);
            for other in others {
                other.join().unwrap();
            }
        });
    }

    #[test]
    fn loom_two_members_swap() {
        run(2, 3, everybody, DEPTH + 1);
    }

    #[test]
    fn loom_three_members_swap() {
        run(3, 1, everybody, 2);
    }

    #[test]
    fn loom_a_root_laps_its_readers() {
        run(2, 3, from_root, DEPTH + 2);
    }

    #[test]
    fn loom_a_root_serves_two() {
        run(3, 1, from_root, 2);
    }
}
