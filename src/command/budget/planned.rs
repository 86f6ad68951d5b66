//! The plan: read from a file or put together from flags, and set on a live server if that was asked.

use crate::place::Place;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::budget::deploy::{Deploy, Strategy};
use crate::budget::live::{self, Expected, Observed};
use crate::budget::plan::{Plan, Policy, Role};
use crate::budget::server::{Numbers, Server};
use crate::budget::{Assessment, OutOfRange, assess};
use crate::budget_file::{Draft, ServerFrom};
use crate::cli::{PlanArgs, TypedRole};
use crate::command::{budget_source, destination};
use crate::pg::QueryTexts;
use crate::pg::ceilings;
use crate::pg::sample::Sampling;
use crate::toml_file::Mistakes;

/// What is read when neither a file nor a role is named.
const USUAL_FILE: &str = "budget.toml";

/// A plan, and where it comes from.
pub(super) struct Planned {
    /// `None`: the command line.
    pub file: Option<String>,
    pub plan: Plan,
    expected: Expected,
    observed: Option<Observed>,
}

impl Planned {
    /// Adds up and judges; beside the server if it was asked.
    pub(super) fn assess(&self) -> Result<Assessment> {
        let mut assessment = assess(&self.plan).map_err(|error| self.placed(error))?;
        if let Some(observed) = &self.observed {
            live::compare(&self.plan, &self.expected, observed, &mut assessment);
        }
        Ok(assessment)
    }

    /// What does not add up, with where it stands in the file.
    pub(super) fn placed(&self, error: OutOfRange) -> anyhow::Error {
        match (&self.file, error.place) {
            (Some(file), Some(place)) => {
                let Place { line, column } = place;
                anyhow::Error::new(error).context(format!(
                    "could not add up {file}, line {line}, column {column}"
                ))
            }
            _ => error.into(),
        }
    }
}

pub(super) fn read(args: &PlanArgs) -> Result<Planned> {
    if !args.live && args.connection.names_a_connection() {
        bail!("a connection is named, but nothing asks the server: add --live, or leave it out");
    }
    let file = file_name(args);
    let mut draft = match &file {
        Some(_) => from_file(args)?,
        None => typed(args),
    };
    if let Some(min_free) = args.min_free {
        draft.policy.min_free = min_free.into();
    }
    if let Some(reserved) = args.provider_reserved {
        draft.numbers.provider_reserved = Some(reserved.into());
    }
    let expected = Expected {
        numbers: draft.numbers.clone(),
        limits: draft.limits.clone(),
    };
    let observed = args.live.then(|| ask(args)).transpose()?;
    let server = match &observed {
        Some(observed) => observed.server(&expected.numbers),
        None => expected
            .numbers
            .server()
            .context("say how many connections the server takes: --max-connections N, or --live")?,
    };
    refuse_a_full_server(&server)?;
    let mut plan = draft.on(server);
    if let Some(observed) = &observed {
        observed.limits_for(&mut plan)?;
    }
    Ok(Planned {
        file,
        plan,
        expected,
        observed,
    })
}

fn file_name(args: &PlanArgs) -> Option<String> {
    match &args.file {
        Some(file) => Some(file.display().to_string()),
        None if args.role.is_empty() => Some(USUAL_FILE.to_owned()),
        None => None,
    }
}

fn from_file(args: &PlanArgs) -> Result<Draft> {
    let server_from = match args.live {
        true => ServerFrom::Live,
        false => ServerFrom::File,
    };
    match &args.file {
        Some(file) => budget_source::read(file, server_from),
        None => budget_source::read(Path::new(USUAL_FILE), server_from).map_err(with_other_ways),
    }
}

/// Nobody named the file that is missing.
fn with_other_ways(error: anyhow::Error) -> anyhow::Error {
    if error.is::<Mistakes>() {
        return error;
    }
    error.context(
        "neither a FILE nor a --role is given (`lockaudit budget init` writes budget.toml, which is then used)",
    )
}

fn typed(args: &PlanArgs) -> Draft {
    let number = |number: Option<u32>| number.map(u64::from);
    Draft {
        numbers: Numbers {
            max_connections: number(args.max_connections),
            superuser_reserved: number(args.superuser_reserved),
            reserved: number(args.reserved),
            ..Numbers::default()
        },
        policy: Policy::default(),
        roles: args
            .role
            .iter()
            .map(|role| typed_role(role, args.overlap))
            .collect(),
        poolers: Vec::new(),
        externals: Vec::new(),
        limits: Vec::new(),
    }
}

fn typed_role(typed: &TypedRole, overlap: u64) -> Role {
    let TypedRole {
        name,
        nodes,
        processes,
        pool,
        overflow,
        extra,
    } = typed.clone();
    Role {
        nodes,
        max_nodes: None,
        processes,
        pool,
        overflow,
        extra,
        user: name.clone(),
        database: "app".to_owned(),
        application_name: name.clone(),
        via: None,
        deploy: Deploy::with(Strategy::Factor { percent: overlap }),
        locks: Vec::new(),
        place: None,
        name,
    }
}

fn ask(args: &PlanArgs) -> Result<Observed> {
    let resolved = destination::resolve(&args.connection)?;
    let sampling = Sampling {
        role: args.connection.set_role.clone(),
        texts: QueryTexts::LeaveOut,
    };
    ceilings::look(&resolved, &sampling)
}

fn refuse_a_full_server(server: &Server) -> Result<()> {
    if server.usable() == 0 {
        bail!(
            "of {} connections {} are kept in reserve: nothing is left for ordinary roles",
            server.max_connections,
            server.kept()
        );
    }
    Ok(())
}
