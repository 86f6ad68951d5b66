//! `lockaudit explain`: a rule in prose.

use std::io::Write;

use anyhow::{Context, Result};

use super::output;
use crate::cli::ExplainArgs;
use crate::exit::Exit;
use crate::finding::{self, RULES};
use crate::render::page;
use crate::terminal::{self, ColourChoice};

pub(super) fn run(args: &ExplainArgs) -> Result<Exit> {
    match &args.rule {
        None => output::write(None, |out| list(out))?,
        Some(name) => {
            let rule = finding::rule(name).with_context(|| finding::no_such_rule(name))?;
            let style = terminal::style(ColourChoice::Auto);
            output::write(None, |out| page::write(rule, style, out))?;
        }
    }
    Ok(Exit::Clean)
}

fn list(out: &mut dyn Write) -> std::io::Result<()> {
    for rule in &RULES {
        writeln!(out, "{:28}{}", rule.name, rule.summary)?;
    }
    Ok(())
}
