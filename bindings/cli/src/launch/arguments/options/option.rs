//! One option of the table: what it does, how it is spelt, and its help.
//!
//! Before: none. After: [`super::table`] has a row for each.

/// What an option does when it is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Number of ranks of this program.
    Ranks,
    /// Ranks a node: refused when it would need more nodes than there are.
    RanksPerNode,
    /// Groups of ranks that share no memory.
    Nodes,
    /// What those groups are joined by.
    Network,
    /// Which processors a rank may use.
    BindTo,
    /// In which order ranks go over the machine.
    MapBy,
    /// How many cores each rank has.
    Width,
    /// So many ranks to each object.
    PerObject,
    /// So many ranks to each package.
    PerPackage,
    /// One rank a node.
    PerNode,
    /// In which order ranks are given to places.
    RankBy,
    /// A file that says which cores each rank has.
    RankFile,
    /// The processors that the job is confined to.
    ProcessorSet,
    /// A placement that has an option of its own in older scripts.
    OldPlacement,
    /// A file that holds the rest of the command line.
    ConfigFile,
    /// Print the binding of each rank.
    ReportBindings,
    /// Print the plan only.
    DryRun,
    /// More ranks than cores are welcome.
    Oversubscribe,
    /// More ranks than cores are refused.
    NoOversubscribe,
    /// Count who sends how much to whom.
    ProfileCommunication,
    /// Counts some iterations apart.
    ProfileIterations,
    /// Take large allocations from memory that the other ranks can map.
    SharedHeap,
    /// Leave the ranks' heaps as the system has them.
    SmallPages,
    /// Move processor share from early to late ranks.
    Balance,
    /// Say what balancing decides.
    BalanceReport,
    /// Write the run's cycles to a file.
    BalanceRecord,
    /// Run a command while ranks wait.
    FillIdle,
    /// Who keeps that command out of the ranks' way.
    FillBy,
    /// `NAME` or `NAME=VALUE` for this program.
    Export,
    /// `NAME VALUE` for this program.
    Environment,
    /// Only the named variables for this program.
    EnvironmentList,
    /// No inherited variable for this program.
    EnvironmentNone,
    /// The whole environment for this program.
    EnvironmentAll,
    /// `NAME VALUE` for every program.
    GlobalEnvironment,
    /// Only the named variables for every program.
    GlobalEnvironmentList,
    /// No inherited variable for every program.
    GlobalEnvironmentNone,
    /// The whole environment for every program.
    GlobalEnvironmentAll,
    /// Working directory of this program.
    Directory,
    /// Prefix of each line.
    TagOutput,
    /// Another prefix of each line.
    PrependPattern,
    /// The time before each line.
    TimestampOutput,
    /// Standard error goes to standard output.
    MergeErrors,
    /// Files for standard output.
    OutputPattern,
    /// Files for standard error.
    ErrorPattern,
    /// Names of files for both.
    OutputName,
    /// Who reads standard input.
    InputTo,
    /// Seconds until the job is ended.
    Timeout,
    /// Hosts, which have to be this one.
    Hosts,
    /// A file of hosts, which have to be this one.
    HostFile,
    /// Say nothing that is not an error of the launcher.
    Quiet,
    /// Say what is done.
    Verbose,
    /// Another implementation's setting (two values), noted and not used.
    ForeignSetting,
    /// Another implementation's flag, which is always true here.
    ForeignFlag,
    /// The same with a value.
    ForeignValue,
    /// Another implementation's option that would change the result and is not there.
    Refused,
    /// Print the help.
    Help,
    /// Print the version.
    Version,
}

/// One option of the table.
#[derive(Debug)]
pub struct LaunchOption {
    /// What it does.
    pub action: Action,
    /// Spellings without their dashes; the first is the one that help shows.
    pub names: &'static [&'static str],
    /// Names of the values it takes, in order.
    pub values: &'static [&'static str],
    /// Help, one sentence or two.
    pub help: &'static str,
}

/// A titled group of options, as `--help` shows them.
#[derive(Debug)]
pub struct OptionGroup {
    /// Title above the group.
    pub title: &'static str,
    /// The options.
    pub options: &'static [LaunchOption],
}

pub(super) const fn option(
    action: Action,
    names: &'static [&'static str],
    values: &'static [&'static str],
    help: &'static str,
) -> LaunchOption {
    LaunchOption {
        action,
        names,
        values,
        help,
    }
}
