//! The network profiler: ping-pong between all pairs of processing units.
//!
//! What: two threads, each bound to its unit, pass a cache line to and fro (latency), one copies
//! what the other has just written (bandwidth), and one writes lines nobody waits for (overhead).
//! Pairs that have no unit in common run at the same time, as in a tournament in which every unit
//! meets every other once: with `n` units there are `n - 1` rounds of `n / 2` pairs.
//!
//! ```text
//!  units 0 1 2 3     round 1: 0-3 1-2     round 2: 0-2 3-1     round 3: 0-1 2-3
//! ```
//!
//! Why at the same time: it is faster, and jobs use all units at once too; `--alone` measures pair
//! after pair. The median of several repetitions counts, as other jobs come in between.
//! Step before: [`super::run`]. Step after: [`MeasuredMachine`], a file for `--machine`.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crossbeam_utils::CachePadded;
use pamir_driver::binding::bind_current_thread;
use pamir_driver::topology::Fingerprint;
use pamir_transport::placement::format::machine::{Conditions, Link, MeasuredMachine};

use super::error::PlaceError;

/// Round trips of one repetition.
const TRIPS: u64 = 2_000;
/// Repetitions, of which the median counts.
const REPETITIONS: usize = 9;
/// Words that one unit writes and the other reads: 128 KiB, more than a first-level cache.
const WORDS: usize = 16 * 1024;
/// Spins until the other thread's turn is given up to the scheduler: two threads may have to share
/// a core on a busy machine. `crossbeam_utils::Backoff` does not serve here: its pauses grow, and
/// would be measured.
const SPINS: u32 = 10_000;

/// Memory that two threads share, the words of the ping-pong on lines of their own.
struct Table {
    ping: CachePadded<AtomicU64>,
    pong: CachePadded<AtomicU64>,
    data: Vec<AtomicU64>,
    meet: Barrier,
}

/// Measures every pair of these units of a machine, given by the operating system's numbers.
pub fn measure(
    machine: Fingerprint,
    units: &[u32],
    alone: bool,
) -> Result<MeasuredMachine, PlaceError> {
    if units.len() < 2 {
        return Err(PlaceError::OneUnit);
    }
    let conditions = Conditions {
        machine: Some(machine),
        meanwhile: Some(meanwhile(units.len(), alone)),
    };
    let mut machine = MeasuredMachine::new(units.to_vec()).measured(conditions);
    for round in rounds(units.len()) {
        let groups: Vec<&[(usize, usize)]> = if alone {
            round.chunks(1).collect()
        } else {
            vec![&round]
        };
        for pairs in groups {
            for (pair, link) in pairs.iter().zip(measure_pairs(units, pairs)?) {
                machine.set(pair.0, pair.1, link);
            }
        }
    }
    Ok(machine)
}

/// What goes on while it is measured: whether pairs disturb each other, and how many threads ran just before.
fn meanwhile(units: usize, alone: bool) -> String {
    let order = if alone {
        "one pair after the other"
    } else {
        "pairs at once"
    };
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.as_deref().and_then(|text| text.split(' ').next());
    format!(
        "{order}, load {} on {units} units",
        load.unwrap_or("unknown")
    )
}

/// Rounds in which every position meets every other exactly once, nobody twice in a round.
fn rounds(count: usize) -> Vec<Vec<(usize, usize)>> {
    // With an odd count somebody pauses: who would meet the one that does not exist.
    let even = count + count % 2;
    let mut circle: Vec<usize> = (0..even).collect();
    let mut rounds = Vec::new();
    for _ in 1..even {
        let pairs = (0..even / 2).map(|at| (circle[at], circle[even - 1 - at]));
        let pairs = pairs.map(|(one, other)| (one.min(other), one.max(other)));
        rounds.push(pairs.filter(|pair| pair.1 < count).collect());
        circle[1..].rotate_right(1);
    }
    rounds
}

fn measure_pairs(units: &[u32], pairs: &[(usize, usize)]) -> Result<Vec<Link>, PlaceError> {
    std::thread::scope(|scope| {
        let started: Vec<_> = pairs
            .iter()
            .map(|&(one, other)| scope.spawn(move || measure_pair(units[one], units[other])))
            .collect();
        let joined = started.into_iter().map(|thread| match thread.join() {
            Ok(link) => link,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

fn measure_pair(one: u32, other: u32) -> Result<Link, PlaceError> {
    let table = Table {
        ping: CachePadded::new(AtomicU64::new(0)),
        pong: CachePadded::new(AtomicU64::new(0)),
        data: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
        meet: Barrier::new(2),
    };
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let bound = bind_current_thread(&[other]);
            table.meet.wait();
            answer(&table);
            bound
        });
        let bound = bind_current_thread(&[one]);
        table.meet.wait();
        let link = ask(&table);
        match answering.join() {
            Ok(answered) => answered?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        bound?;
        Ok(link)
    })
}

fn wait_for(line: &AtomicU64, value: u64) {
    let mut spins = 0;
    while line.load(Ordering::Acquire) != value {
        spins += 1;
        if spins > SPINS {
            std::thread::yield_now();
        }
        std::hint::spin_loop();
    }
}

/// The side that has the clock.
fn ask(table: &Table) -> Link {
    let (mut latencies, mut bandwidths, mut overheads) = (Vec::new(), Vec::new(), Vec::new());
    let mut turn = 0;
    for _ in 0..REPETITIONS {
        let begin = Instant::now();
        for _ in 0..TRIPS {
            turn += 1;
            table.ping.store(turn, Ordering::Release);
            wait_for(&table.pong, turn);
        }
        latencies.push(begin.elapsed().as_secs_f64() * 1e9 / (2 * TRIPS) as f64);
        // The other side writes its data, then answers; reading it is the transfer.
        turn += 1;
        table.ping.store(turn, Ordering::Release);
        wait_for(&table.pong, turn);
        let begin = Instant::now();
        let sum = table
            .data
            .iter()
            .fold(0u64, |sum, word| sum ^ word.load(Ordering::Relaxed));
        let nanoseconds = begin.elapsed().as_secs_f64() * 1e9;
        std::hint::black_box(sum);
        bandwidths.push((WORDS * 8) as f64 / nanoseconds.max(1.0));
        let begin = Instant::now();
        for word in table.data.iter().take(TRIPS as usize) {
            word.store(turn, Ordering::Release);
        }
        overheads.push(begin.elapsed().as_secs_f64() * 1e9 / TRIPS as f64);
    }
    Link {
        latency_ns: median(latencies),
        bandwidth_bytes_per_ns: median(bandwidths),
        overhead_ns: median(overheads),
    }
}

fn answer(table: &Table) {
    let mut turn = 0;
    for _ in 0..REPETITIONS {
        for _ in 0..TRIPS {
            turn += 1;
            wait_for(&table.ping, turn);
            table.pong.store(turn, Ordering::Release);
        }
        turn += 1;
        wait_for(&table.ping, turn);
        for word in &table.data {
            word.store(turn, Ordering::Relaxed);
        }
        table.pong.store(turn, Ordering::Release);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pair_meets_once_and_nobody_twice_in_a_round() {
        for count in 2..10 {
            let rounds = rounds(count);
            let mut seen = BTreeSet::new();
            for round in &rounds {
                let mut busy = BTreeSet::new();
                for &(one, other) in round {
                    assert!(one < other && other < count);
                    assert!(busy.insert(one) && busy.insert(other), "{round:?}");
                    assert!(seen.insert((one, other)));
                }
            }
            assert_eq!(seen.len(), count * (count - 1) / 2);
        }
    }

    #[test]
    fn a_pair_has_a_latency_a_bandwidth_and_an_overhead() {
        let units = pamir_driver::topology::Machine::from_sysfs()
            .unwrap()
            .allowed();
        // On a machine of one unit both threads share it, which is slow but a measurement too.
        let link = measure_pair(units[0], units[units.len() - 1]).unwrap();
        assert!(
            link.latency_ns > 0.0 && link.bandwidth_bytes_per_ns > 0.0 && link.overhead_ns > 0.0
        );
    }
}
