//! `lockaudit budget fit`: what would?

use anyhow::{Result, bail};

use super::planned::{self, Planned};
use crate::budget::answers;
use crate::cli::BudgetFitArgs;
use crate::exit::Exit;
use crate::render::table;

pub(super) fn run(args: &BudgetFitArgs) -> Result<Exit> {
    let planned = planned::read(&args.plan)?;
    refuse_strangers(&planned, &args.of)?;
    let answers = answers::all(&planned.plan, &args.of).map_err(|error| planned.placed(error))?;
    super::write(&args.output, |style, mut out| {
        table::budget_fit::write(&answers, style, &mut out)
    })?;
    match answers.iter().all(|answer| answer.value.is_some()) {
        true => Ok(Exit::Clean),
        false => Ok(Exit::Findings),
    }
}

fn refuse_strangers(planned: &Planned, of: &[String]) -> Result<()> {
    let roles = &planned.plan.roles;
    match of
        .iter()
        .find(|name| roles.iter().all(|role| role.name != **name))
    {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
            bail!("no role is called `{name}`; there is {}", names.join(", "))
        }
    }
}
