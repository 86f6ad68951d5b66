//! The plan beside a server: its numbers instead of the file's, and who is connected now.

mod group;

pub use group::{Group, Standing};

use std::collections::BTreeMap;

use super::OutOfRange;
use super::assessment::Assessment;
use super::demand;
use super::finding::Code;
use super::plan::{Limit, Plan, Whose};
use super::said::{count, verb};
use super::server::{Numbers, Server};
use crate::snapshot::{Session, Snapshot};

/// What was read from the server.
#[derive(Debug, Clone)]
pub struct Observed {
    pub snapshot: Snapshot,
    pub role_limits: BTreeMap<String, u64>,
    /// Slots that a provider's own setting keeps.
    pub provider_reserved: u64,
}

impl Observed {
    /// The server's own numbers; what a provider keeps without a setting only the file can know.
    pub fn server(&self, expected: &Numbers) -> Server {
        let limits = &self.snapshot.limits;
        let known = expected.provider_reserved.unwrap_or(0);
        Server {
            max_connections: unsigned(limits.max_connections),
            superuser_reserved: unsigned(limits.superuser_reserved_connections),
            reserved: unsigned(limits.reserved_connections.unwrap_or(0)),
            provider_reserved: known.max(self.provider_reserved),
            major: u32::try_from(self.snapshot.server.version_num / 10_000).unwrap_or(0),
            place: expected.place,
        }
    }

    /// The plan with the server's limits in the place of the file's, where it has any.
    pub fn limits_for(&self, plan: &mut Plan) -> Result<(), OutOfRange> {
        for whose in demand::by_whose(plan)?.into_keys() {
            let Some(connections) = self.limit(&whose) else {
                continue;
            };
            match plan.limits.iter_mut().find(|limit| limit.whose == whose) {
                Some(limit) => limit.connections = connections,
                None => plan.limits.push(Limit {
                    whose,
                    connections,
                    place: None,
                }),
            }
        }
        Ok(())
    }

    fn limit(&self, whose: &Whose) -> Option<u64> {
        match whose {
            Whose::User(name) => self.role_limits.get(name).copied(),
            Whose::Database(name) => {
                let mut databases = self.snapshot.databases.values();
                let database = databases.find(|database| database.name == *name)?;
                database.connection_limit.map(u64::from)
            }
        }
    }

    fn clients(&self) -> impl Iterator<Item = &Session> {
        let viewer = self.snapshot.viewer.pid;
        let sessions = self.snapshot.sessions.iter();
        sessions.filter(move |session| session.is_client_backend() && session.pid != viewer)
    }
}

/// What the file says of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    pub numbers: Numbers,
    pub limits: Vec<Limit>,
}

/// Adds to the assessment of `plan` what the server shows.
pub fn compare(plan: &Plan, expected: &Expected, observed: &Observed, assessment: &mut Assessment) {
    differences(plan, &expected.numbers, assessment);
    other_limits(&expected.limits, observed, assessment);
    let groups = group::all(plan, observed, assessment);
    over_plan(&groups, assessment);
    strangers(&groups, assessment);
    visibility(observed, assessment);
    assessment.connected = Some(groups);
    assessment.sort();
}

fn differences(plan: &Plan, expected: &Numbers, assessment: &mut Assessment) {
    let server = plan.server.clone();
    let numbers = [
        (
            "max_connections",
            expected.max_connections,
            server.max_connections,
        ),
        (
            "superuser_reserved_connections",
            expected.superuser_reserved,
            server.superuser_reserved,
        ),
        ("reserved_connections", expected.reserved, server.reserved),
        (
            "provider_reserved",
            expected.provider_reserved,
            server.provider_reserved,
        ),
        (
            "postgres",
            expected.major.map(u64::from),
            server.major.into(),
        ),
    ];
    let mut check = assessment.check("the server is as the file says");
    for (name, said, found) in numbers {
        if let Some(said) = said.filter(|said| *said != found) {
            let message = format!("the file says {name} = {said}, and the server has {found}");
            let details = vec!["the server's number was used".to_owned()];
            check.finds(Code::ServerDiffers, expected.place, message, details);
        }
    }
}

fn other_limits(expected: &[Limit], observed: &Observed, assessment: &mut Assessment) {
    let mut check = assessment.check("limits are as the file says");
    for limit in expected {
        let found = observed.limit(&limit.whose);
        if found == Some(limit.connections) {
            continue;
        }
        let whose = limit.whose.said();
        let (found, used) = match found {
            Some(found) => (found.to_string(), "the server's limit was used"),
            None => ("none".to_owned(), "the file's limit was used all the same"),
        };
        let message = format!(
            "the file says that the CONNECTION LIMIT of {whose} is {}, and the server has {found}",
            limit.connections
        );
        check.finds(
            Code::ServerDiffers,
            limit.place,
            message,
            vec![used.to_owned()],
        );
    }
}

fn over_plan(groups: &[Group], assessment: &mut Assessment) {
    let mut check = assessment.check("nobody is over plan");
    for group in groups
        .iter()
        .filter(|group| group.standing() == Standing::OverPlan)
    {
        let peak = group.planned.map_or(0, |planned| planned.peak);
        let message = format!(
            "`{}` has {} open, and the plan has {peak} at the peak of a deploy",
            group.who(),
            count(group.now, "connection")
        );
        check.finds(Code::OverPlan, None, message, Vec::new());
    }
}

fn strangers(groups: &[Group], assessment: &mut Assessment) {
    let strangers: Vec<&Group> = groups
        .iter()
        .filter(|group| group.planned.is_none())
        .collect();
    let sum: u64 = strangers.iter().map(|group| group.now).sum();
    let mut check = assessment.check("everybody is in the plan");
    if sum > 0 {
        let message = format!(
            "{} {} open that the plan does not know",
            count(sum, "connection"),
            verb(sum, "is", "are")
        );
        let mut details: Vec<String> = strangers
            .iter()
            .take(MOST_STRANGERS)
            .map(|group| format!("{} by {}", group.now, group.who()))
            .collect();
        if let Some(more @ 1..) = strangers.len().checked_sub(MOST_STRANGERS) {
            details.push(format!("and {more} more"));
        }
        details
            .push("put them into an [[external]], or give a role its application_name".to_owned());
        check.finds(Code::Unplanned, None, message, details);
    }
}

/// More nobody reads.
const MOST_STRANGERS: usize = 8;

fn visibility(observed: &Observed, assessment: &mut Assessment) {
    let viewer = &observed.snapshot.viewer;
    let mut check = assessment.check("all sessions can be seen");
    if !viewer.reads_all_stats {
        let message = format!(
            "role `{}` can't see other roles' sessions whole: which of them are clients is a guess",
            viewer.role
        );
        let details = vec![format!("GRANT pg_monitor TO {}", viewer.role)];
        check.finds(Code::HiddenSessions, None, message, details);
    }
    let taken = u64::try_from(observed.clients().count()).unwrap_or(u64::MAX);
    check.notes(
        None,
        format!(
            "{} {} open now, beside ours",
            count(taken, "connection"),
            verb(taken, "is", "are")
        ),
    );
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use crate::planted::quiet;

    fn observed(snapshot: Snapshot) -> Observed {
        Observed {
            snapshot,
            role_limits: BTreeMap::new(),
            provider_reserved: 0,
        }
    }

    #[test]
    fn the_file_knows_what_a_provider_keeps_without_a_setting() {
        let mut observed = observed(quiet());
        observed.provider_reserved = 2;
        let kept = |provider_reserved| {
            let numbers = Numbers {
                provider_reserved,
                place: Some(Place { line: 2, column: 1 }),
                ..Numbers::default()
            };
            observed.server(&numbers).provider_reserved
        };
        assert_eq!((kept(None), kept(Some(1)), kept(Some(15))), (2, 2, 15));
    }
}
