//! One balancing cycle from the calls to the new ranges.
//!
//! Before: somebody notes who called the synchronisation, and when. After: members fetch what their
//! new ranges add ([`crate::balance::partition`]).
//!
//! ```text
//! note ─▶ history ─▶ reaction: prepare for a larger, a smaller portion
//!            │ all have called
//!            ▼
//! decide: average ─▶ order ─▶ noise, threshold ─▶ law (with the learnt slope) ─▶ receivers ─▶ partition
//! ```
//!
//! The document's slowest member gives to the fastest. A group of thousands would need thousands
//! of cycles that way. So as many receive as it takes, and the amounts are those that end all
//! together ([`super::evening`]); or the second slowest gives in the same cycle to the second
//! fastest, and so on ([`Settings::pairs`]): each giver has receivers of its own, and the rule is the
//! document's for each of them.
//!
//! Invariants: a decision depends on the history alone, so every member comes to the same one;
//! nobody gives and receives in one cycle; nobody gives more than half of what it has.

use super::damping::Damping;
use super::evaluation::{self, Extremes, Reaction, Threshold};
use super::evening::even_out;
use super::forecast::Forecast;
use super::law::Law;
use super::noise::Noise;
use super::receivers::{Number, Shares, apportion, choose};
use crate::balance::history::{Arrival, Cycle, Directive, History, Notice};
use crate::balance::partition::{Partition, PartitionError, Transfer};

/// Cycles that are kept: this one and what came before.
const DEPTH: usize = 8;

/// How a controller decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// From which difference on load is moved.
    pub threshold: Threshold,
    /// How much.
    pub law: Law,
    /// To how many, for each giver.
    pub number: Number,
    /// In which parts.
    pub shares: Shares,
    /// How many of the slowest give in one cycle; at most half of the members do.
    pub givers: usize,
    /// Whether costs that wander or grow are met where they will be.
    pub forecast: bool,
}

impl Default for Settings {
    /// As many receive as it takes for all to end together, where costs are expected to be.
    fn default() -> Self {
        Self {
            threshold: Threshold::default(),
            law: Law::DataPerTime,
            number: Number::Needed,
            shares: Shares::RelativeTime,
            givers: usize::MAX,
            forecast: true,
        }
    }
}

impl Settings {
    /// Data per time; each of the slower half gives to one of the faster half, by the last cycle.
    pub fn pairs() -> Self {
        Self {
            number: Number::Fixed(1),
            forecast: false,
            ..Self::default()
        }
    }
}

/// The controller of a group.
#[derive(Clone, Debug)]
pub struct Controller {
    settings: Settings,
    history: History,
    damping: Damping,
    noise: Noise,
    forecast: Forecast,
    /// The slope that the decision counts with.
    slope: f64,
    /// What moving cost lately, in nanoseconds.
    moving_ns: u64,
    partition: Partition,
}

impl Controller {
    /// A controller that begins with equal portions of `items` items.
    ///
    /// # Errors
    ///
    /// [`PartitionError`] if there can be no such partition.
    pub fn new(settings: Settings, items: u64, members: usize) -> Result<Self, PartitionError> {
        Ok(Self {
            settings,
            history: History::new(members, DEPTH),
            damping: Damping::default(),
            noise: Noise::default(),
            forecast: Forecast::default(),
            slope: Damping::default().slope(),
            moving_ns: 0,
            partition: Partition::equal(items, members)?,
        })
    }

    /// Who has which items.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Notes a call in cycle `number`, and says what `own` should do upon it.
    pub fn note(&mut self, number: u64, arrival: Arrival, own: usize) -> Reaction {
        if self.history.note(number, arrival) != Notice::Noted {
            return Reaction::None;
        }
        let cycle = self.history.cycle(number);
        cycle.map_or(Reaction::None, |cycle| {
            evaluation::react(cycle, own, arrival.member)
        })
    }

    /// Moving took so long lately, in nanoseconds: a difference has to be worth that, too.
    pub fn expect_moving(&mut self, moving_ns: u64) {
        self.moving_ns = moving_ns;
    }

    fn threshold(&self) -> Threshold {
        let threshold = self.settings.threshold;
        Threshold {
            moving_ns: threshold.moving_ns.max(self.moving_ns),
            ..threshold
        }
    }

    /// Decides after cycle `number` who gives how much to whom, and moves the ranges. Nothing
    /// moves after a cycle in which somebody is missing or a clock went backwards.
    ///
    /// # Errors
    ///
    /// [`PartitionError::TooMuch`] if a member's load was noted as more than its range holds.
    pub fn decide(&mut self, number: u64) -> Result<Vec<Transfer>, PartitionError> {
        let calls = self.history.cycle(number).and_then(Cycle::by_member);
        let Some(calls) = calls else {
            return Ok(Vec::new());
        };
        self.learn(number, &calls);
        let expected = self.expected(number, &calls);
        // Costs that move by themselves teach nothing of what moving load does.
        self.slope = match expected {
            Some(_) => 1.0,
            None => self.damping.slope(),
        };
        let averaged = self.noise.averaged(number, &calls);
        let cycle = expected.as_ref().unwrap_or(&averaged);
        let Some(extremes) = evaluation::extremes(cycle) else {
            return Ok(Vec::new());
        };
        let order = cycle.order();
        let slowest_ns = order.last().map_or(0, Arrival::busy_ns);
        let noise_ns = self.noise.range_ns(order.len(), slowest_ns);
        // What was foretold better than by persistence is no noise.
        let is_noise = extremes.difference_ns < noise_ns && !self.noise.refines();
        if expected.is_none() && is_noise {
            return Ok(Vec::new());
        }
        let transfers = self.transfers(&extremes, &order);
        self.apply(number, &transfers)?;
        Ok(transfers)
    }

    /// Takes over what the slowest member has decided after cycle `number`, of which it tells all
    /// calls, so that whoever is the slowest next time knows as much.
    ///
    /// # Errors
    ///
    /// [`PartitionError`] if the transfers cannot be; then no range has changed.
    pub fn follow(
        &mut self,
        number: u64,
        calls: &[Arrival],
        transfers: &[Transfer],
    ) -> Result<(), PartitionError> {
        for call in calls {
            self.history.note(number, *call);
        }
        let calls = self.history.cycle(number).and_then(Cycle::by_member);
        if let Some(calls) = calls {
            self.learn(number, &calls);
        }
        self.apply(number, transfers)
    }

    /// As [`Self::follow`], for who never decides: nothing is learnt.
    ///
    /// # Errors
    ///
    /// As for [`Self::follow`].
    pub fn obey(
        &mut self,
        number: u64,
        calls: &[Arrival],
        transfers: &[Transfer],
    ) -> Result<(), PartitionError> {
        for call in calls {
            self.history.note(number, *call);
        }
        self.apply(number, transfers)
    }

    /// What the last decision but `back` told `member` to do next; nothing where that is forgotten.
    pub fn directive(&self, back: usize, member: usize) -> Option<Directive> {
        self.history.directive(back, member)
    }

    fn apply(&mut self, number: u64, transfers: &[Transfer]) -> Result<(), PartitionError> {
        self.partition.apply(transfers)?;
        self.history.direct(number, transfers);
        if !transfers.is_empty() {
            self.noise.moved();
        }
        Ok(())
    }

    /// The load of all items has changed to `load`: every member keeps its share of it.
    ///
    /// # Errors
    ///
    /// [`PartitionError`] if there can be no such partition.
    pub fn scale(&mut self, load: u64) -> Result<(), PartitionError> {
        self.partition = self.partition.scaled(load)?;
        Ok(())
    }

    /// Learns what a change of load does, from the calls of cycle `number` and the one before.
    fn learn(&mut self, number: u64, calls: &[Arrival]) {
        let before = number.checked_sub(1);
        let before = before.and_then(|number| self.history.cycle(number));
        let before = before.and_then(Cycle::by_member);
        if let Some(before) = &before {
            self.damping.learn(before, calls, self.noise.variance());
        }
        let slope = self.damping.slope();
        self.noise.learn(before.as_deref(), calls, slope);
        if self.settings.forecast {
            self.forecast.note(calls);
        }
    }

    /// The cycle after `calls` as it will be if nothing is moved, where that is not what it was.
    fn expected(&self, number: u64, calls: &[Arrival]) -> Option<Cycle> {
        if !self.settings.forecast {
            return None;
        }
        let units = self.forecast.next()?;
        let mut cycle = Cycle::new(number, calls.len());
        for (call, unit) in calls.iter().zip(units) {
            let busy_ns = (unit * call.load as f64) as u64;
            cycle.note(Arrival {
                arrived_ns: call.started_ns.saturating_add(busy_ns),
                ..*call
            });
        }
        Some(cycle)
    }

    /// What each giver gives, the slowest first.
    fn transfers(&self, extremes: &Extremes, order: &[Arrival]) -> Vec<Transfer> {
        let busy_ns = order.last().map_or(0, Arrival::busy_ns);
        if !self.threshold().is_met(extremes.difference_ns, busy_ns) {
            return Vec::new();
        }
        if self.settings.number == Number::Needed {
            return even_out(order, self.slope);
        }
        let givers = self.settings.givers.clamp(1, order.len() / 2);
        let (faster, slower) = order.split_at(order.len() - givers);
        let mut transfers = Vec::with_capacity(givers);
        for (position, giver) in slower.iter().rev().enumerate() {
            // Every so-manieth of the faster ones is this giver's.
            let own = faster.iter().skip(position).step_by(givers);
            let wanted = self.settings.number.of(extremes.difference_ns);
            let mut group: Vec<Arrival> = own.take(wanted).copied().collect();
            group.push(*giver);
            self.give(&group, &mut transfers);
        }
        transfers
    }

    /// Lets the last of `group`, which is in order of completion, give to the others.
    fn give(&self, group: &[Arrival], transfers: &mut Vec<Transfer>) {
        let Some((giver, faster)) = group.split_last() else {
            return;
        };
        let receivers = choose(group, &Number::Fixed(faster.len()), self.settings.shares);
        let weights: Vec<u64> = receivers.iter().map(|receiver| receiver.1).collect();
        let difference_ns = mean_difference_ns(giver, faster, &weights);
        let threshold = self.threshold();
        let noise_ns = self.noise.pair_ns(giver.busy_ns());
        if difference_ns < noise_ns || !threshold.is_met(difference_ns, giver.busy_ns()) {
            return;
        }
        let amount = self
            .settings
            .law
            .amount(difference_ns, self.unit_ns(giver, faster));
        let amount = (amount.round() as u64).min(giver.load / 2);
        for (receiver, amount) in receivers.iter().zip(apportion(amount, &weights)) {
            if amount > 0 {
                transfers.push(Transfer {
                    giver: giver.member,
                    receiver: receiver.0,
                    amount,
                });
            }
        }
    }

    /// What one more unit of load costs the giver, and the receivers that share it, in nanoseconds.
    fn unit_ns(&self, giver: &Arrival, faster: &[Arrival]) -> (f64, f64) {
        let unit = |call: &Arrival| {
            // Who had nothing to do is taken for as fast as the giver.
            let known = if call.load > 0 { call } else { giver };
            self.slope * known.busy_ns() as f64 / known.load as f64
        };
        let count = faster.len() as f64;
        let mean = faster.iter().map(unit).sum::<f64>() / count;
        (unit(giver), mean / count)
    }
}

/// By how much the receivers were earlier than the giver, weighted as they receive.
fn mean_difference_ns(giver: &Arrival, faster: &[Arrival], weights: &[u64]) -> u64 {
    let sum: f64 = weights.iter().map(|weight| *weight as f64).sum();
    let difference = |call: &Arrival| giver.arrived_ns.saturating_sub(call.arrived_ns) as f64;
    let weighted = faster.iter().zip(weights);
    let weighted: f64 = weighted
        .map(|(call, weight)| difference(call) * *weight as f64)
        .sum();
    if sum > 0.0 {
        (weighted / sum) as u64
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::random::Random;

    /// Notes a cycle in which member m was busy for `busy_ns[m]`, and decides.
    fn run(controller: &mut Controller, number: u64, busy_ns: &[u64]) -> Vec<Transfer> {
        let sizes = controller.partition().sizes();
        for (member, (&arrived_ns, load)) in busy_ns.iter().zip(sizes).enumerate() {
            let arrival = Arrival {
                member,
                started_ns: 0,
                arrived_ns,
                load,
            };
            controller.note(number, arrival, 0);
        }
        controller.decide(number).unwrap()
    }

    fn load_balance(busy_ns: &[u64]) -> f64 {
        let sum: u64 = busy_ns.iter().sum();
        sum as f64 / busy_ns.len() as f64 / *busy_ns.iter().max().unwrap() as f64
    }

    fn longest_wait_ns(busy_ns: &[u64]) -> u64 {
        busy_ns.iter().max().unwrap() - busy_ns.iter().min().unwrap()
    }

    /// The document's two cycles, replayed; then each processor keeps the speed of the second.
    #[test]
    fn the_documents_numbers_replay_and_settle_in_four_cycles() {
        let (first, second) = ([1000, 1000, 1000, 1500], [1200, 1000, 1000, 900]);
        assert_eq!(load_balance(&first), 0.75);
        assert!((load_balance(&second) - 0.854).abs() < 0.0005);
        assert_eq!(longest_wait_ns(&second), 300);

        let mut controller = Controller::new(Settings::pairs(), 4000, 4).unwrap();
        let moved = run(&mut controller, 1, &first);
        assert_eq!((moved[0].giver, moved[0].receiver), (3, 0));
        // Two thirds of 500 / (1.5 + 1.0).
        assert_eq!(moved[0].amount, 133);
        let sizes = controller.partition().sizes();
        let speeds = sizes
            .iter()
            .zip(second)
            .map(|(&size, ns)| ns as f64 / size as f64);
        let speeds: Vec<f64> = speeds.collect();
        run(&mut controller, 2, &second);
        let settled = (3..7).find(|&number| {
            let sizes = controller.partition().sizes();
            let times = sizes.iter().zip(&speeds);
            let times: Vec<u64> = times.map(|(&size, ns)| (size as f64 * ns) as u64).collect();
            run(&mut controller, number, &times);
            longest_wait_ns(&times) * 50 <= *times.iter().max().unwrap()
        });
        assert!(settled.is_some(), "{:?}", controller.partition().sizes());
        assert_eq!(controller.partition().sizes().iter().sum::<u64>(), 4000);
    }

    /// Whoever is the slowest decides; all others follow, and then know the same.
    #[test]
    fn members_that_follow_know_what_the_slowest_knows() {
        let controller = || Controller::new(Settings::default(), 4000, 4).unwrap();
        let (mut slowest, mut follower) = (controller(), controller());
        for (number, busy_ns) in [(1, [1000, 1000, 1000, 1500]), (2, [1200, 1000, 1000, 900])] {
            let transfers = run(&mut slowest, number, &busy_ns);
            let cycle = slowest.history.cycle(number).unwrap().clone();
            follower
                .follow(number, cycle.arrivals(), &transfers)
                .unwrap();
            assert_eq!(follower.partition(), slowest.partition());
            assert_eq!(follower.damping, slowest.damping);
            assert_eq!(follower.noise, slowest.noise);
            assert_eq!(follower.forecast, slowest.forecast);
            let told = |controller: &Controller| {
                [0, 1, 2, 3].map(|member| controller.directive(0, member))
            };
            assert_eq!(told(&follower), told(&slowest));
        }
        let mut taken = follower.partition().clone();
        let impossible = Transfer {
            giver: 1,
            receiver: 0,
            amount: 9999,
        };
        assert!(follower.follow(3, &[], &[impossible]).is_err());
        taken.apply(&[]).unwrap();
        assert_eq!(follower.partition(), &taken);
    }

    /// In how many of so many cycles, the first ten not counted, load moves between members that
    /// take `time` for what they have.
    fn cycles_that_move(
        controller: &mut Controller,
        cycles: u64,
        mut time: impl FnMut(f64) -> f64,
    ) -> usize {
        let mut moved = 0;
        for number in 1..=cycles {
            let sizes = controller.partition().sizes();
            let times = sizes.iter().map(|size| time(*size as f64) as u64);
            let transfers = run(controller, number, &times.collect::<Vec<_>>());
            moved += usize::from(number > 10 && !transfers.is_empty());
        }
        moved
    }

    /// Equal members whose times vary by 8 parts in 100.
    #[test]
    fn noise_hardly_moves_anything() {
        for members in [2_usize, 4, 16] {
            let mut random = Random::new(11);
            let mut controller = Controller::new(Settings::default(), 1000, members).unwrap();
            let moved = cycles_that_move(&mut controller, 100, |size| {
                let sum: f64 = (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0;
                1e4 * size * (1.0 + 0.08 * sum)
            });
            let sizes = controller.partition().sizes();
            assert!(moved <= 10, "{members} members: {moved} of 90 cycles moved");
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= most / 6, "{sizes:?}");
        }
    }

    /// Equal members, each of which takes twice as long now and then, since another program ran.
    #[test]
    fn strays_hardly_move_anything() {
        for members in [4_usize, 8] {
            let mut random = Random::new(5);
            let mut controller = Controller::new(Settings::default(), 1000, members).unwrap();
            let moved = cycles_that_move(&mut controller, 200, |size| {
                let noise = 1.0 + 0.03 * (2.0 * random.fraction() - 1.0);
                let stray = if random.fraction() < 0.02 { 2.0 } else { 1.0 };
                1e4 * size * noise * stray
            });
            assert!(
                moved <= 20,
                "{members} members: {moved} of 190 cycles moved"
            );
        }
    }

    #[test]
    fn several_receivers_share_what_one_giver_gives() {
        let settings = Settings {
            number: Number::Fixed(2),
            shares: Shares::Even,
            givers: 1,
            ..Settings::pairs()
        };
        let mut controller = Controller::new(settings, 400, 4).unwrap();
        let moved = run(&mut controller, 1, &[1000, 1000, 1200, 2000]);
        let ends: Vec<_> = moved.iter().map(|t| (t.giver, t.receiver)).collect();
        assert_eq!(ends, [(3, 0), (3, 1)]);
        assert_eq!(moved[0].amount + moved[1].amount, 27);
    }

    #[test]
    fn as_many_receive_as_it_takes() {
        let mut controller = Controller::new(Settings::default(), 400, 4).unwrap();
        let moved = run(&mut controller, 1, &[1000, 1000, 1000, 3000]);
        let receivers: Vec<_> = moved.iter().map(|one| one.receiver).collect();
        assert_eq!(receivers, [0, 1, 2]);
        // Two thirds of what a slope of 1 would move: 40, of which 39 make whole units.
        assert_eq!(controller.partition().sizes(), [113, 113, 113, 61]);
    }

    #[test]
    fn a_missing_member_or_a_difference_below_the_threshold_moves_nothing() {
        let mut controller = Controller::new(Settings::default(), 400, 4).unwrap();
        assert!(run(&mut controller, 1, &[1000, 1000, 3000]).is_empty());
        assert!(run(&mut controller, 2, &[1000, 1000, 1000, 1009]).is_empty());
        // Within ten cycles 30 would win back 300.
        controller.expect_moving(301);
        assert!(run(&mut controller, 3, &[1000, 1000, 1000, 1030]).is_empty());
        controller.expect_moving(0);
        assert!(controller.decide(9).unwrap().is_empty());
        assert_eq!(controller.partition().sizes(), [100; 4]);
    }

    #[test]
    fn moving_settles_and_does_not_swing_for_slopes_from_a_third_to_three() {
        for slope in [0.3, 0.5, 1.0, 2.0, 3.0] {
            let mut controller = Controller::new(Settings::default(), 8000, 8).unwrap();
            let mut waits = Vec::new();
            for number in 1..=12 {
                let sizes = controller.partition().sizes().into_iter().enumerate();
                let time = |(member, size): (usize, u64)| {
                    let own = 1.0 + member as f64 / 8.0;
                    (1e6 * own * (size as f64 / 1000.0).powf(slope)) as u64
                };
                let times: Vec<u64> = sizes.map(time).collect();
                waits.push(longest_wait_ns(&times) as f64 / *times.iter().max().unwrap() as f64);
                run(&mut controller, number, &times);
            }
            assert!(
                waits[6..].iter().all(|wait| *wait < 0.03),
                "{slope}: {waits:?}"
            );
        }
    }
}
