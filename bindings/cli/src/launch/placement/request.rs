//! The words of `--map-by`, `--bind-to` and `--rank-by`, with what may stand behind their colons.
//!
//! What: [`map_by`] and [`bind_to`] read them; what the driver's policies have no word for is
//! in a [`Layout`](crate::launch::request::layout::Layout).
//! Why: one option says many things at once (`ppr:2:package:PE=4:oversubscribe`), and Open MPI and MPICH
//! say them differently (`PE=4`, `core:4`).
//! Step before: [`super::super::arguments`]. Step after: [`mod@super::seats`].

use pamir_driver::binding::BindTo;
use pamir_driver::topology::Level;

use crate::launch::request::Launch;
use crate::launch::request::layout::{RequestError, object};

const MODIFIERS: &str = "known here: use PE=N, oversubscribe, nooversubscribe, overload-allowed, \
                         span, hwtcpus, corecpus, display, or donotlaunch";

/// Reads the value of `--map-by`.
pub fn map_by(text: &str, launch: &mut Launch) -> Result<(), RequestError> {
    let wrong = |word: &str, wanted| RequestError::Word {
        option: "--map-by",
        text: text.to_string(),
        word: word.to_string(),
        wanted,
    };
    let mut words = text.split([':', ',']);
    let policy = words.next().unwrap_or_default();
    if policy.eq_ignore_ascii_case("ppr") {
        let number = words.next().unwrap_or_default();
        let ranks = number.parse().ok().filter(|ranks| *ranks > 0);
        let ranks = ranks.ok_or_else(|| wrong(number, "a number of ranks, as in ppr:2:package"))?;
        let word = words.next().unwrap_or_default();
        let level = object(word).ok_or_else(|| {
            wrong(
                word,
                "node, package, numa, l3cache or core, as in ppr:2:package",
            )
        })?;
        if level == Level::Machine {
            launch.ranks_per_node = Some(ranks);
        }
        launch.layout.per_object = Some((ranks, level));
        launch.map_by = None;
    } else if !policy.is_empty() {
        launch.map_by = Some(policy.parse()?);
        launch.layout.per_object = None;
    }
    for word in words {
        modify(word, launch).ok_or_else(|| wrong(word, MODIFIERS))?;
    }
    Ok(())
}

/// Carries out what stands behind a colon, if it is known.
fn modify(word: &str, launch: &mut Launch) -> Option<()> {
    match word.to_ascii_lowercase().as_str() {
        "oversubscribe" | "overload-allowed" => launch.refuse_oversubscription = false,
        "nooversubscribe" | "no-overload" => launch.refuse_oversubscription = true,
        "hwtcpus" => launch.map_by = Some(pamir_driver::binding::MapBy::HwThread),
        "display" | "displaymap" => launch.report_bindings = true,
        "donotlaunch" => launch.dry_run = true,
        // On one machine they change nothing.
        "span" | "corecpus" | "inherit" | "noinherit" | "if-supported" => {}
        other => {
            let number = other.strip_prefix("pe=")?.parse().ok();
            launch.layout.width = Some(number.filter(|number| *number > 0)?);
        }
    }
    Some(())
}

/// Reads the value of `--bind-to`: an object, perhaps with how many of it a rank gets, and modifiers.
pub fn bind_to(text: &str, launch: &mut Launch) -> Result<(), RequestError> {
    let mut rest = text;
    let mut width = None;
    while let Some((before, word)) = rest.rsplit_once(':') {
        let number = word.parse().ok().filter(|number| *number > 0);
        let named = ["list", "user"]
            .iter()
            .any(|list| before.eq_ignore_ascii_case(list));
        if number.is_some() && !named {
            width = number;
        } else if modify(word, launch).is_none() {
            break;
        }
        rest = before;
    }
    // Only modifiers: they hold for the default.
    if rest.is_empty() && text.starts_with(':') {
        return Ok(());
    }
    let bind_to: BindTo = rest.parse()?;
    match (&bind_to, width) {
        (BindTo::Core | BindTo::HwThread, Some(width)) => launch.layout.width = Some(width),
        (_, None | Some(1)) => {}
        (_, Some(_)) => {
            return Err(RequestError::Word {
                option: "--bind-to",
                text: text.to_string(),
                word: rest.to_string(),
                wanted: "what a rank can have several of: use core:N or hwthread:N",
            });
        }
    }
    launch.bind_to = Some(bind_to);
    Ok(())
}

#[cfg(test)]
mod tests {
    use pamir_driver::binding::MapBy;

    use super::*;

    fn mapped(text: &str) -> Launch {
        let mut launch = Launch::default();
        map_by(text, &mut launch).expect(text);
        launch
    }

    #[test]
    fn mappings_say_many_things_at_once() {
        let launch = mapped("ppr:2:socket:PE=4:oversubscribe");
        assert_eq!(launch.layout.per_object, Some((2, Level::Package)));
        assert_eq!(launch.layout.width, Some(4));
        let launch = mapped("slot:pe=2,nooversubscribe");
        assert_eq!(
            (launch.map_by, launch.layout.width),
            (Some(MapBy::Slot), Some(2))
        );
        assert!(launch.refuse_oversubscription);
        assert_eq!(mapped(":oversubscribe"), Launch::default());
        assert_eq!(mapped("node:hwtcpus").map_by, Some(MapBy::HwThread));
        assert!(mapped("core:display:donotlaunch").dry_run);
        for wrong in [
            "core:peas=2",
            "core:pe=0",
            "ppr:0:node",
            "ppr:2:rack",
            "ppr",
            "shelf",
            "core:nolocal",
        ] {
            assert!(map_by(wrong, &mut Launch::default()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bindings_may_have_a_number() {
        let bound = |text: &str| {
            let mut launch = Launch::default();
            bind_to(text, &mut launch).map(|()| launch)
        };
        let launch = bound("core:2:overload-allowed").unwrap();
        assert_eq!(
            (launch.bind_to, launch.layout.width),
            (Some(BindTo::Core), Some(2))
        );
        assert_eq!(bound("hwthread:3").unwrap().layout.width, Some(3));
        assert_eq!(bound("list:7").unwrap().layout.width, None);
        assert_eq!(bound("numa:1").unwrap().bind_to, Some(BindTo::Numa));
        assert_eq!(
            bound("core:if-supported").unwrap().bind_to,
            Some(BindTo::Core)
        );
        assert_eq!(bound(":overload-allowed").unwrap().bind_to, None);
        assert!(bound("numa:2").unwrap_err().to_string().contains("core:N"));
        assert!(bound("core:none").is_err() && bound("core:0").is_err() && bound("").is_err());
    }
}
