//! What holds of any text: it is read or refused, and what is written is understood.

use proptest::prelude::*;

use super::import;
use super::tests::{POOL_OF_TEN, by_pool_variable, plan, web};
use crate::manifest::{self, Source};

const CHART: &str = include_str!("../../tests/it/budget_import/manifests/chart.yaml");

/// The chart, with a piece of it replaced.
fn changed_chart() -> impl proptest::strategy::Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,3}",
        "[\\[\\]{}:,&*!|>'\"%@`#\\-?~<\n\t\r 0-9]{0,4}",
        Just("0".to_owned()),
        Just("\"\\u202e\\n[[role]]\\n\"".to_owned()),
    ];
    (0..CHART.len(), 0..40_usize, piece).prop_map(|(at, length, piece)| {
        let begin = (0..=at).rev().find(|at| CHART.is_char_boundary(*at));
        let begin = begin.unwrap_or_default();
        let rest = CHART[begin..].chars().skip(length).collect::<String>();
        format!("{}{piece}{rest}", &CHART[..begin])
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let source = Source { name: "m.yaml".to_owned(), text };
        // Whatever it is, it comes to an end.
        let _ = manifest::read(&[source]);
    }

    #[test]
    fn any_yaml_is_read_or_refused(text in "[\\[\\]{}:,&*!|>'\"%@`#\\-?~<ab\n\t\r .0]{0,120}") {
        let source = Source { name: "m.yaml".to_owned(), text };
        let _ = manifest::read(&[source]);
    }

    /// Whatever manifests say, the file is one that `budget check` understands but for each `"?"`.
    #[test]
    fn what_is_written_is_always_understood(text in changed_chart()) {
        let source = Source { name: "m.yaml".to_owned(), text };
        if let Ok(import) = manifest::read(&[source])
            .map_err(|_| ())
            .and_then(|manifests| import(&manifests, &by_pool_variable()).map_err(|_| ()))
        {
            prop_assert_eq!(plan(&import).roles.len() + plan(&import).externals.len(), import.len());
        }
    }

    #[test]
    fn any_name_is_a_role_of_that_name(name in "\\PC{1,20}|[\"'\\\\\n#\\[\\]= \u{0}\u{1b}\u{202e}a]{1,20}") {
        let quoted = serde_json::to_string(&name).expect("text is JSON");
        let text = web("", POOL_OF_TEN).replace("name: web", &format!("name: {quoted}"));
        let source = Source { name: "m.yaml".to_owned(), text };
        if let Ok(manifests) = manifest::read(&[source]) {
            let import = import(&manifests, &by_pool_variable()).expect("it has a role");
            prop_assert_eq!(&plan(&import).roles[0].name, &name);
            let shown = import.to_string().replace('\n', "");
            prop_assert!(!shown.contains(crate::text::is_hostile));
        }
    }
}
