//! Posts of every length through a board in a segment.

use super::*;
use crate::atomic::Ordering;
use crate::board::PUBLISHED_ROUNDS;

fn boards(members: usize, oversubscribed: bool) -> Vec<Board<MappedBoard>> {
    let segment = Arc::new(Segment::create(MappedBoard::bytes(members)).unwrap());
    (0..members)
        .map(|member| {
            let memory = MappedBoard::new(&segment, 0, members, members).unwrap();
            Board::new(memory.oversubscribed(oversubscribed), member)
        })
        .collect()
}

#[test]
fn posts_of_every_length_arrive() {
    check_lengths(&boards(3, false));
    check_lengths(&boards(3, true));
}

fn check_lengths(boards: &[Board<MappedBoard>]) {
    let lengths = (0..200).chain([2559, 2560, 5000, SLOT_BYTES - 1, SLOT_BYTES]);
    for (bytes, round) in lengths.zip(1..) {
        let text: Vec<u8> = (0..bytes).map(|at| (at + round as usize) as u8).collect();
        assert!(boards[2].read(1, round).unwrap().is_none());
        // SAFETY: each round is drafted once.
        let mut draft = unsafe { boards[1].draft(round, bytes) }.unwrap();
        let (head, tail) = text.split_at(bytes / 3);
        draft.write(0, head);
        draft.write(head.len(), tail);
        boards[1].show(draft, round as u64 * 3);
        for reader in boards {
            let post = reader.read(1, round).unwrap().unwrap();
            let mut copy = vec![0xEE; bytes + 1];
            // SAFETY: the round is finished below.
            unsafe {
                assert_eq!(post.bytes(), text);
                post.copy_to(0, &mut copy);
            }
            assert_eq!((&copy[..bytes], copy[bytes]), (&text[..], 0xEE));
            let mut end = vec![0; bytes];
            // SAFETY: as above.
            unsafe { post.copy_to(bytes / 2, &mut end) };
            assert_eq!(end[..bytes - bytes / 2], text[bytes / 2..]);
            assert_eq!((post.len(), post.word), (bytes, round as u64 * 3));
        }
        boards.iter().for_each(|board| {
            board.finish(round);
        });
    }
}

#[test]
fn a_length_that_cannot_be_is_refused() {
    let boards = boards(2, false);
    boards[0].publish(1, SLOT_BYTES as u32 + 1);
    let error = boards[1].read(0, 1).unwrap_err();
    assert!(error.to_string().contains("16385 bytes"), "{error}");
}

#[test]
fn a_cleared_board_is_as_new() {
    let segment = Arc::new(Segment::create(2 * MappedBoard::bytes(2)).unwrap());
    let memory = || MappedBoard::new(&segment, MappedBoard::bytes(2), 2, 2).unwrap();
    let board = Board::new(memory(), 1);
    for round in 1..=20 {
        board.publish(round, 3);
        board.finish(round);
    }
    board.memory().clear();
    assert_eq!(memory().finished(1).load(Ordering::Relaxed), 0);
    assert!((0..DEPTH).all(|round| Board::new(memory(), 0).look(1, round + 1).is_none()));
    assert!(MappedBoard::new(&segment, MappedBoard::bytes(2), 3, 3).is_err());
}

#[test]
fn few_members_have_more_slots() {
    let slots = |members, most| {
        let segment = Arc::new(Segment::create(MappedBoard::bytes(most)).unwrap());
        MappedBoard::new(&segment, 0, members, most).map(|board| board.last_slot + 1)
    };
    assert_eq!(slots(2, 2).unwrap(), 128);
    assert_eq!(slots(4, 4).unwrap(), 128);
    assert_eq!(slots(8, 8).unwrap(), 64);
    assert_eq!(slots(64, 64).unwrap(), 8);
    // In the room of more members, a board has no slot outside.
    assert_eq!(slots(3, 64).unwrap(), 128);
    assert_eq!(slots(5, 64).unwrap(), 64);
    assert!(slots(3, 2).is_err());
}

/// Whether the page is memory, in whichever process it was used.
fn is_memory(page: *mut u8) -> bool {
    let (start, mut found) = (page.addr() / PAGE_BYTES * PAGE_BYTES, 0);
    // SAFETY: one page of the mapping is looked at, for which one byte is there.
    let looked = unsafe { libc::mincore(start as *mut _, PAGE_BYTES, &mut found) };
    assert_eq!(looked, 0);
    found & 1 != 0
}

#[test]
fn slots_are_made_ready_for_who_posts_often() {
    let boards = boards(2, false);
    let [posted, other] =
        [0, 1].map(|member| boards[0].memory().slot(member, MOST_SLOTS as u32 - 1));
    let post = |round: u32, bytes: usize| {
        // SAFETY: each round is drafted once.
        let draft = unsafe { boards[0].draft(round, bytes) }.unwrap();
        boards[0].show(draft, 0);
        boards.iter().for_each(|board| {
            board.finish(round);
        });
    };
    let short = 2 * UNPREPARED_USES;
    (1..=short).for_each(|round| post(round, SHORT_BYTES));
    let last = short + UNPREPARED_USES;
    (short + 1..last).for_each(|round| post(round, SLOT_BYTES));
    assert!(!is_memory(posted) && !is_memory(other));
    post(last, SLOT_BYTES);
    assert!(is_memory(posted) && !is_memory(other));
}

#[test]
fn boards_lie_on_pages_of_their_own() {
    for members in 1..=64 {
        assert_eq!(MappedBoard::bytes(members) % PAGE_BYTES as u64, 0);
    }
}

#[test]
fn posts_of_all_lengths_share_slots_in_turn() {
    // As far ahead as a poster may always be.
    const AHEAD: u32 = DEPTH - PUBLISHED_ROUNDS;
    let boards = boards(2, false);
    let lengths = [
        [0, 40, 100],
        [SHORT_BYTES, SHORT_BYTES + 1, SHORT_TAKEN_BYTES],
        [SHORT_TAKEN_BYTES + 1, SLOT_BYTES - 1, SLOT_BYTES],
    ];
    let lengths = lengths.as_flattened();
    for round in 1..=3 * MOST_SLOTS as u32 {
        let pace = |round: u32| lengths[(round as usize * 7 / 3) % lengths.len()];
        let text = |round: u32| vec![round as u8; pace(round)];
        // SAFETY: each round is drafted once.
        let mut draft = unsafe { boards[0].draft(round, pace(round)) }.unwrap();
        draft.write(0, &text(round));
        boards[0].show(draft, 0);
        // All posts that are not finished are as they were written.
        for earlier in round.saturating_sub(AHEAD - 1).max(1)..=round {
            let post = boards[1].read(0, earlier).unwrap().unwrap();
            // SAFETY: its round is finished below.
            assert_eq!(unsafe { post.bytes() }, text(earlier));
        }
        let done = round.saturating_sub(AHEAD - 1);
        boards.iter().for_each(|board| {
            board.finish(done);
        });
    }
}
