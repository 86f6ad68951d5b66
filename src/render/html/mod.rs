//! One page for the post-mortem, in one file that asks no network for anything.
//!
//! Foreign text is escaped, and a content security policy stands behind that: only the script whose
//! hash it names runs, whatever else may have got into the page.

mod escape;
mod findings;
mod graph;
mod layout;
mod pools;
mod table;
mod waits;

use std::io::{self, Write};

use super::masthead::{label, not_seen, origin};
use super::{lock_rows, pooler_rows};
use crate::report::{Figures, Outcome, Report};
use crate::words;
use escape::text;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("sort.js");

/// Of [`SCRIPT`], as a policy names it.
const SCRIPT_HASH: &str = "sha256-HayXPGIxw/q3ydXTALxfjzGBYK20OifQK7FyQl4FSGE=";

/// Writes the whole page.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    head(report, out)?;
    verdict(report, out)?;
    if let Outcome::Seen(picture) = &report.outcome {
        pools::write(picture, out)?;
        graph::write(picture, out)?;
    }
    findings::write(&report.findings, out)?;
    if let Outcome::Seen(picture) = &report.outcome {
        waits::write(picture, out)?;
        let locks = lock_rows::all(picture);
        table::write("Advisory locks held", &lock_rows::columns(), &locks, out)?;
    }
    let poolers = pooler_rows::all(report.poolers());
    table::write("Poolers", &pooler_rows::columns(), &poolers, out)?;
    writeln!(
        out,
        "<footer class=\"muted\">Written by lockaudit {}.</footer>\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    )
}

fn head(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let word = label(report.summary.severity);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{word}: {} – lockaudit</title><style>\n{STYLE}</style>\n</head>\n<body>\n<main>",
        text(&report.summary.verdict)
    )
}

fn verdict(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let word = label(report.summary.severity);
    writeln!(
        out,
        "<section class=\"verdict {}\">\n<span class=\"badge\">{word}</span>\n<h1>{}</h1>\n\
         <p class=\"muted\">{}</p>\n</section>",
        word.to_lowercase(),
        text(&report.summary.verdict),
        text(&origin(report))
    )?;
    if let Some(figures) = &report.summary.figures {
        write_figures(figures, out)?;
    }
    let unseen = not_seen(report);
    if !unseen.is_empty() {
        writeln!(out, "<ul class=\"unseen\">")?;
        for sentence in unseen {
            writeln!(out, "<li><b>Not seen:</b> {}</li>", text(&sentence))?;
        }
        writeln!(out, "</ul>")?;
    }
    Ok(())
}

fn write_figures(figures: &Figures, out: &mut impl Write) -> io::Result<()> {
    let Figures {
        locks,
        holders,
        idle_holders,
        idle_in_transaction_holders,
        prepared_holders,
        waiters,
        longest_wait,
        starved_pools,
        suspected_pools,
    } = figures;
    let longest = longest_wait.map_or("–".to_owned(), words::duration);
    let resting = idle_holders + idle_in_transaction_holders + prepared_holders;
    let starved = match (starved_pools, suspected_pools) {
        (certain, 0) => certain.to_string(),
        (0, likely) => format!("{likely} likely"),
        (certain, likely) => format!("{certain} + {likely}?"),
    };
    writeln!(out, "<dl class=\"figures\">")?;
    for (name, figure) in [
        ("Locks held", locks.to_string()),
        ("Holders", holders.to_string()),
        ("Holders at rest", resting.to_string()),
        ("Sessions waiting", waiters.to_string()),
        ("Longest wait", longest),
        ("Pools starved", starved),
    ] {
        writeln!(out, "<div><dt>{name}</dt><dd>{figure}</dd></div>")?;
    }
    writeln!(out, "</dl>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::quiet;
    use crate::render::planted::{crowd, hostile, incident, refused, report, written};
    use crate::snapshot::Snapshot;
    use sha2::{Digest, Sha256};

    fn page(snapshot: Snapshot) -> String {
        let mut page = String::new();
        report(&[snapshot], |report| {
            page = written(|mut out| write(report, &mut out));
        });
        page
    }

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let mut group = [0; 3];
            group[..chunk.len()].copy_from_slice(chunk);
            let bits = group
                .iter()
                .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
            for at in 0..4 {
                let digit = char::from(DIGITS[bits >> (18 - 6 * at) & 63]);
                text.push(if at <= chunk.len() { digit } else { '=' });
            }
        }
        text
    }

    #[test]
    fn the_policy_names_the_script_that_the_page_has() {
        let hash = base64(&Sha256::digest(SCRIPT));
        assert_eq!(SCRIPT_HASH, format!("sha256-{hash}"));
    }

    #[test]
    fn asks_no_network_for_anything() {
        let page = page(incident());
        for address in ["http://", "https://", "src=", "href=", "@import"] {
            assert!(!page.contains(address), "{address}");
        }
    }

    #[test]
    fn has_a_section_for_each_part_of_the_picture() {
        let page = page(incident());
        let headings: Vec<&str> = page
            .split("<h2>")
            .skip(1)
            .filter_map(|rest| rest.split("</h2>").next())
            .collect();
        assert_eq!(
            headings,
            [
                "Connection pools",
                "Who waits for whom",
                "Findings",
                "Waits",
                "Advisory locks held"
            ]
        );
        assert!(
            page.contains("<td class=\"right\" data-value=\"60\">&gt;= 1m</td>"),
            "{page}"
        );
    }

    #[test]
    fn hostile_text_is_no_markup() {
        let page = page(hostile());
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(
            page.matches("</title><s").count(),
            1,
            "ours, before the style"
        );
        for hostile in ["<img", "onerror=\"", "\u{1b}", "\u{202e}"] {
            assert!(!page.contains(hostile), "{hostile}");
        }
    }

    #[test]
    fn a_refusal_and_a_quiet_server_have_a_page_too() {
        assert!(page(quiet()).contains("no advisory lock is held or waited for"));
        refused(|report| {
            let page = written(|mut out| write(report, &mut out));
            assert!(
                page.contains("<b>Not seen:</b> nothing could be read"),
                "{page}"
            );
        });
    }

    #[test]
    fn a_crowd_stays_one_readable_page() {
        let page = page(crowd(1_000));
        assert!(page.len() < 2_000_000, "{} bytes", page.len());
        assert!(page.contains("and 992 more behind it"));
        assert!(page.contains(" more sessions not drawn."));
    }
}
