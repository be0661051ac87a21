//! Problems that are not the job's: more processes, other links, other counts (`--what-if`).
//!
//! Step before: the job was placed. Step after: [`super::report`] has the tables.
//! Invariant: each figure is the true cost of a problem that was written out and searched.

use pamir_transport::placement::algorithm::suited;
use pamir_transport::placement::what_if::change::Scenario;
use pamir_transport::placement::{
    CommunicationGraph, EdgeFunction, Limits, Problem, Solution, TopologyGraph, Weight, solve,
};

use super::error::PlaceError;
use super::report::{self, Changed};
use super::source;
use crate::command::machine::MachineReader;

/// The job and its machine, as they are.
pub struct Present<'p> {
    pub weight: Weight,
    pub graph: &'p CommunicationGraph,
    pub topology: &'p TopologyGraph,
    pub function: EdgeFunction,
    pub solution: &'p Solution,
    /// What the search of the job was limited by.
    pub limits: Limits,
}

/// The changes of an option's text; none if it only asks what would help.
pub fn scenario(text: &str) -> Result<Option<Scenario>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let scenario: Result<Scenario, _> = text.parse();
    scenario.map(Some).map_err(|error| error.to_string())
}

impl Present<'_> {
    /// Another search, for half of the time that the first one had.
    fn search(&self, problem: &Problem) -> Result<Solution, PlaceError> {
        let limits = Limits {
            time: self.limits.time.map(|time| time / 2),
            ..self.limits
        };
        Ok(solve(problem, suited(problem), limits, &mut |_| {})?)
    }

    fn problem(
        &self,
        graph: &CommunicationGraph,
        topology: &TopologyGraph,
    ) -> Result<Problem, PlaceError> {
        Ok(Problem::new(graph, self.weight, topology, self.function)?)
    }

    /// What the pattern of the job costs, repeated: twice and four times the ranks.
    pub fn more_processes(
        &self,
        source: &source::Arguments,
        reader: MachineReader,
    ) -> Result<String, PlaceError> {
        let mut costs = Vec::new();
        for copies in [2, 4] {
            let more = self.graph.repeated(copies);
            let site = source::site(source, reader, more.ranks())?;
            let solution = self.search(&self.problem(&more, &site.topology)?)?;
            costs.push((more.ranks(), solution.cost));
        }
        let ranks = self.graph.ranks();
        Ok(report::more_processes(ranks, self.solution, &costs))
    }

    /// What the mapping costs if this changes, and what a new one would.
    pub fn changed(&self, scenario: &Scenario) -> Result<String, PlaceError> {
        let graph = scenario.on_job(self.graph)?;
        let topology = scenario.on_machine(self.topology)?;
        let problem = self.problem(&graph, &topology)?;
        let kept = problem.cost(&self.solution.mapping)?;
        let found = self.search(&problem)?.cost;
        let changed = Changed {
            name: scenario.to_string(),
            kept,
            found: found.min(kept),
        };
        Ok(report::changed(self.solution, &changed))
    }
}
