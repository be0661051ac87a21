//! Two nodes in one process, with a bridge each; ranks are ends of lanes.

use std::time::{Duration, Instant};

use pamir_shm::lane::longest_payload_bytes;
use pamir_shm::lane::mapped::{LaneConsumer, LaneProducer};
use pamir_shm::lane::record::RecordHeader;

use super::frame::{Frame, LaneName};
use super::network::Network;
use super::network::join;
use super::*;
use crate::job::client::table::ClientWords;
use crate::job::{JobSpecification, RankState};
use std::io;

/// Ranks 0 and 1 are on node 0, ranks 2 and 3 on node 1.
struct Nodes {
    jobs: [Job; 2],
    bridges: Vec<Bridge>,
    failures: Arc<Failures>,
}

const NODES: [usize; 4] = [0, 0, 1, 1];

fn jobs() -> [Job; 2] {
    [0, 1].map(|_| {
        let job = Job::create(&JobSpecification::unbound(4)).unwrap();
        job.set_nodes(&NODES).unwrap();
        job
    })
}

fn links(network: Network) -> [Vec<Link>; 2] {
    let links = join(network, 2, 4).unwrap();
    links.try_into().unwrap()
}

fn nodes(network: Network) -> Nodes {
    let (jobs, failures) = (jobs(), Arc::new(Failures::new().unwrap()));
    let start = |(node, links)| {
        let job: &Job = &jobs[node];
        Bridge::start(job.clone(), node, links, Arc::clone(&failures)).unwrap()
    };
    let bridges = links(network).into_iter().enumerate().map(start).collect();
    Nodes {
        jobs,
        bridges,
        failures,
    }
}

impl Nodes {
    fn producer(&self, origin: usize, target: usize) -> LaneProducer {
        LaneProducer::new(self.jobs[NODES[origin]].lane(origin, target).unwrap())
    }

    fn consumer(&self, origin: usize, target: usize) -> LaneConsumer {
        LaneConsumer::new(self.jobs[NODES[target]].lane(origin, target).unwrap())
    }

    /// Puts a record into the lane, as a rank does; false if there is no room.
    fn send(&self, to: (&LaneProducer, usize, usize), kind: u8, payload: &[u8]) -> bool {
        let (producer, origin, target) = to;
        let Some(reserved) = producer.try_reserve(payload.len()).unwrap() else {
            return false;
        };
        // SAFETY: the slice is readable, and the record has room for it.
        unsafe { producer.write(&reserved, 0, payload.as_ptr(), payload.len()) };
        producer.commit(reserved, RecordHeader::new(kind, 7, payload.len() as u32));
        let block = self.jobs[NODES[origin]].block(target).unwrap();
        sleep::wake_if_asleep(&block.sleep);
        true
    }
}

/// The next record, if there is one.
fn take(consumer: &LaneConsumer) -> Option<(u8, Vec<u8>)> {
    let arrived = consumer.peek().unwrap()?;
    let bytes = arrived.header.payload_bytes();
    // SAFETY: the record has so many bytes and is not released yet.
    let payload = unsafe { std::slice::from_raw_parts(consumer.payload(&arrived), bytes) };
    let taken = (arrived.header.kind(), payload.to_vec());
    assert_eq!(arrived.header.auxiliary(), 7);
    consumer.release(arrived);
    Some(taken)
}

/// Tries again until it succeeds; what hangs fails.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < end, "{what} has not come about");
        std::thread::yield_now();
    }
}

fn payload(number: usize, longest: usize) -> Vec<u8> {
    let bytes = match number % 5 {
        0 => number % 57,
        1 => longest - number % 100,
        _ => number.wrapping_mul(0x9E37_79B9) % 20_000,
    };
    (0..bytes).map(|at| (at + number) as u8).collect()
}

#[test]
fn records_of_all_lengths_arrive_in_order_both_ways() {
    for network in [Network::Unix, "tcp".parse().unwrap()] {
        let nodes = nodes(network);
        let longest = longest_payload_bytes(nodes.jobs[0].layout().ring_lines);
        let pairs = [(0, 2), (2, 0), (1, 2), (3, 1), (0, 3)];
        let mut lanes = pairs.map(|(origin, target)| {
            let ends = (
                nodes.producer(origin, target),
                nodes.consumer(origin, target),
            );
            (origin, target, ends, 0, 0)
        });
        until("the last record", || {
            for (origin, target, (producer, consumer), sent, taken) in &mut lanes {
                let next = payload(*sent, longest);
                if *sent < 200 && nodes.send((producer, *origin, *target), *sent as u8, &next) {
                    *sent += 1;
                }
                if let Some((kind, bytes)) = take(consumer) {
                    assert_eq!(kind, *taken as u8);
                    assert_eq!(
                        bytes,
                        payload(*taken, longest),
                        "record {taken} of {origin}"
                    );
                    *taken += 1;
                }
            }
            lanes.iter().all(|lane| lane.4 == 200)
        });
        assert!(nodes.failures.take().is_none());
    }
}

#[test]
fn a_target_that_reads_nothing_stops_its_own_lanes_only() {
    let nodes = nodes(Network::Unix);
    let (slow, fast) = (nodes.producer(0, 2), nodes.producer(0, 3));
    let block = vec![1; 100_000];
    // As much as lanes and window hold, and then no more: the origin has to wait.
    let mut sent = 0;
    let mut refused_at = Instant::now();
    until("a full lane", || {
        while nodes.send((&slow, 0, 2), 1, &block) {
            sent += 1;
            refused_at = Instant::now();
        }
        refused_at.elapsed() > Duration::from_millis(50)
    });
    let ring = nodes.jobs[0].layout().ring_lines as usize * 64;
    assert!(sent * block.len() < 3 * ring, "{sent} blocks are kept");
    assert!(nodes.send((&fast, 0, 3), 2, b"passes"));
    let consumer = nodes.consumer(0, 3);
    until("the other target's record", || take(&consumer).is_some());
    // Once it reads, everything comes.
    let consumer = nodes.consumer(0, 2);
    let mut taken = 0;
    until("all that was kept", || {
        taken += usize::from(take(&consumer).is_some());
        taken == sent
    });
    assert!(nodes.send((&slow, 0, 2), 1, &block));
}

#[test]
fn a_rank_has_left_once_all_that_it_sent_is_there() {
    let nodes = nodes(Network::Unix);
    let (producer, consumer) = (nodes.producer(0, 2), nodes.consumer(0, 2));
    let block = vec![1; 100_000];
    let mut sent = 0;
    until("more than the lane holds", || {
        sent += usize::from(nodes.send((&producer, 0, 2), 1, &block));
        sent == 30
    });
    nodes.jobs[0].set_rank_state(0, RankState::Finalized);
    let mut taken = 0;
    until("the rank's end", || {
        // The state first, as who waits for a peer does.
        let left = nodes.jobs[1].rank_state(0) == RankState::Finalized;
        if !left {
            taken += usize::from(take(&consumer).is_some());
        }
        left
    });
    assert_eq!(nodes.jobs[1].process(0), None);
    assert!(nodes.jobs[1].has_ended(0) && !nodes.jobs[1].has_ended(1));
    while take(&consumer).is_some() {
        taken += 1;
    }
    assert_eq!(taken, sent);
}

#[test]
fn what_a_rank_does_not_read_before_it_leaves_is_dropped() {
    let nodes = nodes(Network::Unix);
    let producer = nodes.producer(0, 2);
    let block = vec![1; 100_000];
    nodes.jobs[1].set_rank_state(2, RankState::Finalized);
    let mut sent = 0;
    until("much more than is kept", || {
        sent += usize::from(nodes.send((&producer, 0, 2), 1, &block));
        sent == 200
    });
}

#[test]
fn clients_have_the_same_entries_on_all_nodes() {
    let nodes = nodes(Network::Unix);
    let open = |task: usize, name: &str, contexts| {
        nodes.jobs[NODES[task]].open_client(task, name, contexts)
    };
    std::thread::scope(|scope| {
        // In another order on each node.
        let first = scope.spawn(|| (open(0, "a", 2).unwrap().1, open(1, "b", 1).unwrap().1));
        let (b, a) = (open(2, "b", 1).unwrap().1, open(3, "a", 2).unwrap().1);
        assert_eq!(first.join().unwrap(), (a, b));
    });
    let refused = open(2, "a", 3).unwrap_err().to_string();
    assert!(
        refused.contains("with 3 contexts here and with 2"),
        "{refused}"
    );
    for number in 2..crate::job::client::table::CLIENTS {
        open(2, &format!("client {number}"), 1).unwrap();
    }
    for task in [0, 2] {
        let refused = open(task, "one too many", 1).unwrap_err().to_string();
        assert!(refused.contains("the job has 8 clients"), "{refused}");
    }
    // A record between contexts of both nodes: context 1 of task 2 to context 0 of task 1.
    let (from, to) = (open(2, "a", 2).unwrap().0, open(1, "a", 2).unwrap().0);
    let producer = LaneProducer::new(from.lane(5, 2).unwrap());
    let consumer = LaneConsumer::new(to.lane(5, 2).unwrap());
    let reserved = producer.try_reserve(8).unwrap().unwrap();
    producer.write_word(&reserved, 0, 4711);
    producer.commit(reserved, RecordHeader::new(3, 7, 8));
    sleep::wake(&from.block(2).unwrap().sleep);
    let mut came = None;
    until("the record", || {
        came = take(&consumer);
        came.is_some()
    });
    assert_eq!(came, Some((3, 4711_u64.to_ne_bytes().to_vec())));
    from.set_rank_state(5, RankState::Finalized);
    until("the context's end", || {
        to.rank_state(5) == RankState::Finalized
    });
}

#[test]
fn a_broken_connection_is_told() {
    let mut nodes = nodes("tcp".parse().unwrap());
    // The bridge of node 1 is gone, as if its machine were.
    drop(nodes.bridges.pop());
    let mut failure = None;
    until("the failure", || {
        failure = nodes.failures.take();
        failure.is_some()
    });
    let text = failure.unwrap().to_string();
    assert!(
        text.starts_with("node 0 has lost its connection to node 1"),
        "{text}"
    );
}

#[test]
fn what_a_node_may_not_say_is_refused() {
    let record = |origin, target, bytes| {
        let lane = LaneName {
            plane: 0,
            origin,
            target,
        };
        let header = RecordHeader::new(1, 0, bytes);
        Frame::Record { lane, header }.encode().to_vec()
    };
    let credit = {
        let lane = LaneName {
            plane: 0,
            origin: 0,
            target: 2,
        };
        Frame::Credit { lane, lines: 1 }.encode().to_vec()
    };
    let state = Frame::State {
        plane: 0,
        unit: 1,
        state: RankState::Finalized,
    };
    let words = ClientWords {
        name: 1,
        contexts: 1,
    };
    let flood: Vec<u8> = (0..30)
        .flat_map(|_| [record(2, 0, 100_000), vec![0; 100_000]].concat())
        .collect();
    let wanted = Frame::Wanted(words).encode().to_vec();
    let refused = Frame::Refused { name: 1 }.encode().to_vec();
    for (said, understood) in [
        (vec![0xFF; 16], "no frame"),
        (record(0, 1, 0), "a lane that there is not"),
        (record(2, 3, 0), "a lane that there is not"),
        (record(2, 1000, 0), "a lane that there is not"),
        (record(2, 0, 4_000_000_000), "longer than any lane"),
        (
            [record(2, 0, 600_000), vec![0; 600_000]].concat(),
            "more than was asked for",
        ),
        (flood, "more than was asked for"),
        (credit, "gives back more"),
        (state.encode().to_vec(), "not its own"),
        (wanted, "only node 0"),
        (refused, "for node 0 to do"),
    ] {
        let (jobs, failures) = (jobs(), Arc::new(Failures::new().unwrap()));
        let [mut peers, links] = links(Network::Unix);
        // Node 1, which is not the one that gives entries, hears it; or node 0 where a lane of
        // node 1's ranks is meant.
        let hears = usize::from(understood == "only node 0");
        let links = if hears == 0 {
            std::mem::replace(&mut peers, links)
        } else {
            links
        };
        let bridge =
            Bridge::start(jobs[hears].clone(), hears, links, Arc::clone(&failures)).unwrap();
        let peer = &mut peers[0].stream;
        // It may hang up in the middle of a flood.
        let _ = io::Write::write_all(peer, &said);
        let mut failure = None;
        until(understood, || {
            failure = failures.take();
            failure.is_some()
        });
        let text = failure.unwrap().to_string();
        assert!(text.contains(understood), "{text} instead of {understood}");
        drop(bridge);
    }
}
