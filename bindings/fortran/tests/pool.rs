//! The slots of procedures: one for each, given back when nothing has it, and taken again last.
//!
//! The library itself needs a C library to link with, so that the file is compiled in here.

#![allow(
    dead_code,
    unused_macros,
    unused_imports,
    missing_docs,
    reason = "a part of the library is compiled in, and a part of that is used"
)]

#[path = "../src/callback/pool.rs"]
mod pool;

use pool::{SLOTS, Slots};

#[test]
fn a_procedure_has_one_slot_for_all_its_objects() {
    let slots = Slots::new();
    let first = slots.take(0x1000).expect("there is room");
    assert_eq!(slots.take(0x1000).expect("it is there"), first);
    let second = slots.take(0x2000).expect("there is room");
    assert_ne!(first, second);
    assert_eq!(slots.procedure(second), 0x2000);
}

#[test]
fn a_slot_is_taken_again_when_no_object_has_it_and_none_is_empty() {
    let slots = Slots::new();
    for procedure in 1..=SLOTS {
        slots.take(procedure).expect("there is room");
    }
    assert!(slots.take(0x9000).is_err(), "all are in use");
    slots.take(7).expect("it is there");
    slots.give_back(6);
    assert!(slots.take(0x9000).is_err(), "an object has it still");
    slots.give_back(6);
    assert_eq!(slots.take(0x9000).expect("one is free"), 6);
    assert_eq!(slots.procedure(6), 0x9000);
}

#[test]
fn a_slot_that_was_given_back_keeps_its_procedure_while_others_are_empty() {
    let slots = Slots::new();
    let first = slots.take(0x1000).expect("there is room");
    slots.give_back(first);
    let second = slots.take(0x2000).expect("there is room");
    assert_eq!(
        (slots.procedure(first), slots.procedure(second)),
        (0x1000, 0x2000)
    );
    assert_eq!(slots.take(0x1000).expect("it is there"), first);
}
