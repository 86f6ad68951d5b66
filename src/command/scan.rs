//! `lockaudit scan`: what was seen, judged and shown.

use anyhow::Result;

use super::{audit, output};
use crate::cli::{ScanArgs, Threshold};
use crate::exit::Exit;
use crate::finding::Severity;
use crate::report::Report;
use crate::saved;
use crate::snapshot::BlindSpot;

pub(super) fn run(args: &ScanArgs) -> Result<Exit> {
    if args.print_sql {
        output::write(None, |out| out.write_all(saved::PSQL_SCRIPT.as_bytes()))?;
        return Ok(Exit::Clean);
    }
    let expectations = audit::expectations(args)?;
    let observed = audit::look(args)?;
    let report = audit::judge(&observed, &expectations, args)?;
    audit::show(&report, args)?;
    Ok(exit(&report, args))
}

fn exit(report: &Report<'_>, args: &ScanArgs) -> Exit {
    let threshold = match args.fail_on {
        Threshold::Info => Severity::Info,
        Threshold::Warning => Severity::Warning,
        Threshold::Critical => Severity::Critical,
    };
    let blind = report
        .blind_spots()
        .iter()
        .any(BlindSpot::weakens_the_verdict);
    match (args.strict && blind, report.has_findings_at(threshold)) {
        (true, _) => Exit::Unanswered,
        (false, true) => Exit::Findings,
        (false, false) => Exit::Clean,
    }
}
