//! Command lines, as users write them: what they ask for, and what is refused.

use super::super::request::layout::RankBy;
use super::*;
use pamir_driver::binding::MapBy;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn launch(line: &str) -> Launch {
    match parse(&words(line)) {
        Ok(Invocation::Run(launch)) => *launch,
        other => panic!("{line}: {other:?}"),
    }
}

fn refused(line: &str) -> String {
    parse(&words(line)).expect_err(line).to_string()
}

#[test]
fn every_spelling_of_the_rank_count() {
    for line in [
        "-n 3 a", "-np 3 a", "--np 3 a", "--n=3 a", "-np=3 a", "-c 3 a",
    ] {
        assert_eq!(launch(line).ranks(), 3, "{line}");
    }
    assert_eq!(launch("a").ranks(), 1);
}

#[test]
fn a_number_that_is_none_is_refused_with_what_is_allowed() {
    for value in [
        "99999999999",
        "4194305",
        "99999999999999999999999",
        "-1",
        "0",
        "x",
        "2.5",
    ] {
        let message = refused(&format!("-n {value} a"));
        let told = format!(
            "option `-n`: `{value}` is not a whole number from 1 to 1024 (with --dry-run to 4194304)"
        );
        assert_eq!(message, told);
    }
    assert!(refused("-n= a").contains("`` is not a whole number from 1"));
    assert_eq!(launch("-n 1024 a").ranks(), 1024);
    let together = refused("-n 1024 a : -n 1 a");
    assert!(
        together.contains("the job has 1025 ranks; it may have at most 1024"),
        "{together}"
    );
    assert_eq!(launch("--dry-run -n 4194304 a").ranks(), 4_194_304);
    assert!(refused("--dry-run -n 4194304 a : -n 1 a").contains("at most 4194304"));
    for option in ["--ppn", "--cpus-per-rank", "--nodes"] {
        for value in ["99999999999999999999999", "-1", "0", "x"] {
            let message = refused(&format!("{option} {value} a"));
            let told = format!("`{value}` is not a whole number of at least 1 that fits 64 bits");
            assert!(
                message.contains(&told) && message.contains(option),
                "{message}"
            );
        }
    }
}

#[test]
fn a_pattern_with_an_unknown_letter_is_refused() {
    for option in ["-outfile-pattern", "-errfile-pattern", "-prepend-pattern"] {
        let message = refused(&format!("{option} out.%q a"));
        let told = format!("option `{option}`: `out.%q` is not a pattern: behind % stands r");
        assert!(message.starts_with(&told), "{message}");
        assert!(refused(&format!("{option} 100% a")).contains("100%"));
        launch(&format!("{option} %r.%g.%p.%h.%% a"));
    }
}

#[test]
fn words_that_are_no_utf_8_are_read() {
    let word = |bytes: &[u8]| OsStr::from_bytes(bytes).to_os_string();
    let unknown = parse(&[word(b"-\xff="), word(b"prog")]).unwrap_err();
    assert!(unknown.to_string().contains("unknown option"), "{unknown}");
    let set = parse(&[word(b"-x=\xfe=\xff"), word(b"prog")]);
    let Ok(Invocation::Run(launch)) = set else {
        panic!("{set:?}");
    };
    let environment = &launch.programs[0].environment;
    assert_eq!(environment.set, [(word(b"\xfe"), word(b"\xff"))]);
}

#[test]
fn what_follows_the_program_belongs_to_it() {
    let launch = launch("-n 2 prog -n 7 --help --bind-to none");
    assert_eq!(launch.ranks(), 2);
    assert_eq!(
        launch.programs[0].command,
        words("prog -n 7 --help --bind-to none")
    );
    assert_eq!(launch.bind_to, None);
}

#[test]
fn two_dashes_end_the_options() {
    assert_eq!(
        launch("-n 2 -- -odd x").programs[0].command,
        words("-odd x")
    );
}

#[test]
fn colons_separate_programs() {
    let launch = launch("-genv A 1 -n 2 -env B 2 a x : -n 3 -wdir /tmp b : c");
    let ranks: Vec<usize> = launch
        .programs
        .iter()
        .map(|program| program.ranks)
        .collect();
    assert_eq!(ranks, [2, 3, 1]);
    assert_eq!(launch.environment.set, [("A".into(), "1".into())]);
    assert_eq!(
        launch.programs[0].environment.set,
        [("B".into(), "2".into())]
    );
    assert!(launch.programs[1].environment.set.is_empty());
    assert_eq!(launch.programs[1].directory, Some(PathBuf::from("/tmp")));
    assert_eq!(launch.programs[2].command, words("c"));
}

#[test]
fn options_with_one_dash_two_dashes_and_equals() {
    let launch = launch(
        "-bind-to hwthread --map-by=numa:nooversubscribe -report-bindings --tag-output \
         --timeout 1.5 -x A=1=2 -hosts localhost,me -q a",
    );
    assert_eq!(launch.bind_to, Some(BindTo::HwThread));
    assert_eq!(launch.map_by, Some(MapBy::Numa));
    assert!(launch.refuse_oversubscription && launch.report_bindings && launch.output.rank);
    assert_eq!(launch.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(
        launch.programs[0].environment.set,
        [("A".into(), "1=2".into())]
    );
    assert_eq!(launch.hosts, ["localhost", "me"]);
    assert_eq!(launch.verbosity, Verbosity::Quiet);
}

#[test]
fn processors_can_be_listed() {
    let listed = BindTo::List(vec![vec![0], vec![2, 3]]);
    assert_eq!(
        launch("--bind-to list:0,2+3 a").bind_to,
        Some(listed.clone())
    );
    let launch = launch("--bind-to list:0,2+3:nooversubscribe a");
    assert_eq!(launch.bind_to, Some(listed));
    assert!(launch.refuse_oversubscription);
}

#[test]
fn environment_lists() {
    let launch = launch("-genvnone -envlist HOME,PATH a");
    assert_eq!(launch.environment.inherited, Some(Inherited::Only(vec![])));
    let names = vec!["HOME".into(), "PATH".into()];
    assert_eq!(
        launch.programs[0].environment.inherited,
        Some(Inherited::Only(names))
    );
}

#[test]
fn an_empty_value_stays_a_value() {
    let words = ["-env", "A", "", "a"].map(OsString::from);
    let Ok(Invocation::Run(launch)) = parse(&words) else {
        panic!()
    };
    assert_eq!(
        launch.programs[0].environment.set,
        [("A".into(), "".into())]
    );
}

#[test]
fn help_and_version_win_before_a_program() {
    assert_eq!(parse(&words("-n 2 --help")), Ok(Invocation::Help));
    assert_eq!(parse(&words("-version")), Ok(Invocation::Version));
}

#[test]
fn refusals_name_what_is_wrong() {
    assert!(refused("-n 0 a").contains("from 1 to"));
    assert!(refused("-n x a").contains("`x`"));
    assert!(refused("-n").contains("needs N"));
    assert!(refused("-n 2").contains("no program"));
    assert!(refused("a :").contains("part 2"));
    assert!(refused("--bind-too core a").contains("--bind-to"));
    assert!(refused("--bind-to shelf a").contains("shelf"));
    assert!(refused("--bind-to list:x a").contains("list:0,2"));
    assert!(refused("--map-by core:peas=2 a").contains("peas=2"));
    assert!(refused("--report-bindings=1 a").contains("no value"));
    assert!(refused("--timeout -1 a").contains("above 0"));
    assert!(refused("--timeout nan a").contains("above 0"));
}

#[test]
fn files_may_be_named_in_a_mapping() {
    let launch = launch("--map-by rankfile:file=a:b --rank-by fill --cpu-set 0-1,4 a");
    assert_eq!(launch.layout.rank_file, Some(PathBuf::from("a:b")));
    assert_eq!(launch.layout.rank_by, RankBy::Filled);
    assert_eq!(launch.layout.processors, Some(vec![0, 1, 4]));
    assert!(refused("--cpu-set 0-x a").contains("0-3,8"));
}

#[test]
fn older_words_place_ranks() {
    assert_eq!(launch("--bind-to-socket a").bind_to, Some(BindTo::Package));
    assert_eq!(launch("-bind-to-none a").bind_to, Some(BindTo::None));
    assert_eq!(launch("--bysocket a").map_by, Some(MapBy::Package));
    assert_eq!(launch("--bynode a").map_by, Some(MapBy::Node));
    let threads = launch("--use-hwthread-cpus a").map_by;
    assert_eq!(threads, Some(MapBy::HwThread));
}

#[test]
fn options_of_other_launchers_are_asides_or_refused() {
    let launch = launch("-launcher ssh -enable-x a");
    assert_eq!((launch.asides.len(), launch.notes.len()), (2, 0));
    assert!(refused("-disable-auto-cleanup a").contains("not there"));
}

#[test]
fn foreign_settings_are_noted() {
    assert_eq!(
        launch("--mca btl self,vader --allow-run-as-root a")
            .notes
            .len(),
        1
    );
}
