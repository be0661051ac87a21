//! Messages of one packet that are sent where the last one went, and taken from the lane.

use pamir_driver::unit::receive::recent::Recent;

use super::*;
use crate::active::Way;
use crate::active::shortcut::Parts;

const KNOWN: Way = Way {
    endpoint: 7,
    dispatch: INTO as usize,
};

fn parts(header: &[u8], data: &[u8]) -> Parts {
    [(header.as_ptr(), header.len()), (data.as_ptr(), data.len())]
}

/// The header and data of the next message, if it is one that is taken without a handler, and
/// whether it was a line.
fn taken(target: &Context) -> Option<(bool, Vec<u8>, Vec<u8>)> {
    let took = RefCell::new(None);
    let receiver = |dispatch: u16| (dispatch == INTO).then_some(());
    let give = |line: bool| {
        let took = &took;
        move |(), _: usize, [header, data]: Parts| {
            let copied = |(start, bytes): (*const u8, usize)| {
                // SAFETY: both are readable until this returns.
                unsafe { std::slice::from_raw_parts(start, bytes) }.to_vec()
            };
            took.replace(Some((line, copied(header), copied(data))));
        }
    };
    match target.take_active_line(2, receiver, give(true)) {
        Recent::Other(seen) => assert_eq!(
            target.take_active_packet(seen, receiver, give(false)),
            took.borrow().is_some()
        ),
        Recent::Taken => assert!(took.borrow().is_some()),
        Recent::Nothing => assert!(took.borrow().is_none()),
    }
    took.into_inner()
}

#[test]
fn header_and_data_of_every_length_come_whole() {
    let contexts = client(&job(false), "shortcut", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let inbox = collect(target);
    let unit = origin.unit_of(target.endpoint()).unwrap();
    open_lane(&contexts, &inbox);
    // SAFETY: the parts are static.
    assert!(unsafe { origin.send_at_once(unit, KNOWN, parts(b"", b"first")) });
    contexts.advance_until(|| inbox.borrow().len() == 1);
    assert_eq!(target.recent_origin(), origin.task());
    assert_eq!(taken(target), None);
    let mut wrapped = 0;
    let around = (0..260).chain([1015, 1016, 1023, 1024, 1100, 8000]);
    for (number, bytes) in around.enumerate() {
        for header_bytes in [0, 1, 8, 47, 48, 49, 60, 130] {
            let header = pattern(number, header_bytes);
            let data = pattern(number + 1, bytes);
            // SAFETY: both are slices.
            assert!(unsafe { origin.send_again(KNOWN, parts(&header, &data)) });
            let line = header_bytes + bytes <= 48;
            if let Some(took) = taken(target) {
                assert_eq!(took, (line, header, data));
                continue;
            }
            // It lies behind the ring's end, which is not for the fast path.
            contexts.advance_until(|| inbox.borrow().len() == 2);
            let (_, whole_header, whole_data) = inbox.borrow_mut().pop().unwrap();
            assert_eq!((whole_header, whole_data), (header, data));
            wrapped += 1;
        }
    }
    assert!(wrapped <= 1, "so much goes round the ring once at most");
    assert_eq!(taken(target), None);
}

#[test]
fn what_is_not_for_it_stays_for_the_general_way() {
    let contexts = client(&job(false), "general", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let inbox = collect(target);
    let unit = origin.unit_of(target.endpoint()).unwrap();
    open_lane(&contexts, &inbox);
    // SAFETY: the parts are slices.
    let send =
        |way, bytes| unsafe { origin.send_at_once(unit, way, parts(&[1; 3], &pattern(3, bytes))) };
    assert!(send(KNOWN, 10));
    contexts.advance_until(|| inbox.borrow().len() == 1);
    let too_long = origin.longest_immediate_bytes() - 2;
    assert!(
        !send(KNOWN, too_long),
        "header and data are more than a packet"
    );
    assert!(send(KNOWN, too_long - 1) && taken(target).is_some());
    for bytes in [10, 60, 2000] {
        // Somebody waits for it; and a dispatch id that the receiver does not know.
        let (log, data) = (Log::default(), pattern(4, bytes));
        let message = ActiveMessage {
            to: target.endpoint(),
            dispatch: INTO,
            header: &[],
            local: None,
            remote: logged(&log),
        };
        // SAFETY: the data lives until the message has arrived.
        unsafe { origin.send_active(message, data.as_ptr(), bytes).unwrap() };
        assert_eq!(taken(target), None);
        contexts.advance_until(|| !log.borrow().is_empty());
        assert_eq!(inbox.borrow().last().map(|got| got.2.len()), Some(bytes));
        let other = Way {
            dispatch: usize::from(PUT),
            ..KNOWN
        };
        assert!(send(other, bytes));
        assert_eq!(taken(target), None);
        target
            .set_dispatch(PUT, |_, arrival| {
                assert_eq!(arrival.header, [1; 3]);
                Receive::nowhere()
            })
            .unwrap();
        target.advance().unwrap();
    }
}
