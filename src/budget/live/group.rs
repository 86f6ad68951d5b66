//! Who is connected, by the plan's own names where it knows them.

use std::collections::BTreeMap;

use super::Observed;
use crate::budget::assessment::Assessment;
use crate::budget::demand::{self, Connections, PartSource};
use crate::budget::plan::Plan;
use crate::snapshot::Session;

/// Sessions that belong together, beside what the plan has for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The plan's name for them; `None`: the plan does not know them.
    pub name: Option<String>,
    pub user: Option<String>,
    pub application_name: Option<String>,
    pub now: u64,
    /// `None`: the plan does not know them.
    pub planned: Option<Connections>,
}

/// How what is connected stands to the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    UnderPlan,
    AsPlanned,
    /// More than without a deploy, and no more than during one.
    AsDuringADeploy,
    OverPlan,
    NotPlanned,
}

impl Standing {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnderPlan => "under plan",
            Self::AsPlanned => "as planned",
            Self::AsDuringADeploy => "as during a deploy",
            Self::OverPlan => "over plan",
            Self::NotPlanned => "not planned",
        }
    }
}

impl Group {
    pub fn standing(&self) -> Standing {
        match self.planned {
            None => Standing::NotPlanned,
            Some(planned) if self.now > planned.peak => Standing::OverPlan,
            Some(planned) if self.now > planned.steady => Standing::AsDuringADeploy,
            Some(planned) if self.now < planned.steady => Standing::UnderPlan,
            Some(_) => Standing::AsPlanned,
        }
    }

    /// `web`, or for strangers `psql as postgres`.
    pub fn who(&self) -> String {
        let application = match self.application_name.as_deref() {
            None | Some("") => "(no application_name)",
            Some(name) => name,
        };
        match (&self.name, &self.user) {
            (Some(name), _) => name.clone(),
            (None, Some(user)) => format!("{application} as {user}"),
            (None, None) => application.to_owned(),
        }
    }
}

/// The plan's own, in its order, then the strangers, most connections first.
pub(super) fn all(plan: &Plan, observed: &Observed, assessment: &Assessment) -> Vec<Group> {
    let mut known: BTreeMap<(PartSource, &str), u64> = BTreeMap::new();
    let mut strangers: BTreeMap<(Option<String>, Option<String>), u64> = BTreeMap::new();
    for session in observed.clients() {
        match whose(plan, session) {
            Some(part) => *known.entry(part).or_default() += 1,
            None => {
                let who = (session.usename.clone(), session.application_name.clone());
                *strangers.entry(who).or_default() += 1;
            }
        }
    }
    let parts = assessment.parts.iter().filter(|part| part.takes_slots());
    let mut groups: Vec<Group> = parts
        .map(|part| Group {
            name: Some(part.name.clone()),
            user: None,
            application_name: None,
            now: known
                .get(&(part.source, part.name.as_str()))
                .copied()
                .unwrap_or(0),
            planned: Some(part.connections),
        })
        .collect();
    let strangers = strangers
        .into_iter()
        .map(|((user, application_name), now)| Group {
            name: None,
            user,
            application_name,
            now,
            planned: None,
        });
    let mut strangers: Vec<Group> = strangers.collect();
    strangers.sort_by_key(|group| std::cmp::Reverse(group.now));
    groups.extend(strangers);
    groups
}

/// Whose session it is: by the application's name, then through a pooler by user and database, then
/// by a user that only one role has.
fn whose<'p>(plan: &'p Plan, session: &Session) -> Option<(PartSource, &'p str)> {
    let application = session.application_name.as_deref();
    let user = session.usename.as_deref();
    let direct = || plan.roles.iter().filter(|role| role.via.is_none());
    if let Some(role) = direct().find(|role| application == Some(role.application_name.as_str())) {
        return Some((PartSource::Role, &role.name));
    }
    let externals = || plan.externals.iter();
    if let Some(one) = externals().find(|one| application == Some(one.name.as_str())) {
        return Some((PartSource::External, &one.name));
    }
    let pooled = plan.poolers.iter().find(|pooler| {
        let mut clients = demand::clients(plan, pooler);
        clients.any(|role| {
            user == Some(role.user.as_str())
                && session.datname.as_deref() == Some(role.database.as_str())
        })
    });
    if let Some(pooler) = pooled {
        return Some((PartSource::Pooler, &pooler.name));
    }
    if let Some(one) = externals().find(|one| one.user.is_some() && one.user.as_deref() == user) {
        return Some((PartSource::External, &one.name));
    }
    let mut with_user = direct().filter(|role| user == Some(role.user.as_str()));
    match (with_user.next(), with_user.next()) {
        (Some(only), None) => Some((PartSource::Role, &only.name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::server::Server;
    use crate::budget_file::{ServerFrom, read};
    use crate::planted::{Plant, quiet};
    use crate::snapshot::SessionState::Idle;

    fn plan(text: &str) -> Plan {
        let text = format!("version = 1\n{text}");
        let draft = read("budget.toml", &text, ServerFrom::Live).expect("it is understood");
        draft.on(Server::with_max_connections(100))
    }

    #[test]
    fn a_session_belongs_to_the_role_of_its_application_before_that_of_its_user() {
        let snapshot = quiet().session(10, Idle).named(10, "web");
        let user = snapshot.sessions[0].usename.clone().expect("it has one");
        let plan = plan(&format!(
            "[[role]]\nname = \"jobs\"\nnodes = 1\npool = 1\nuser = \"{user}\"\n\
             [[role]]\nname = \"web\"\nnodes = 1\npool = 1\n"
        ));
        let mut session = snapshot.sessions[0].clone();
        assert_eq!(whose(&plan, &session), Some((PartSource::Role, "web")));
        session.application_name = Some("something else".to_owned());
        assert_eq!(whose(&plan, &session), Some((PartSource::Role, "jobs")));
        session.usename = Some("nobody".to_owned());
        assert_eq!(whose(&plan, &session), None);
    }

    #[test]
    fn a_user_of_two_roles_tells_neither() {
        let role =
            |name| format!("[[role]]\nname = \"{name}\"\nnodes = 1\npool = 1\nuser = \"app\"\n");
        let plan = plan(&(role("web") + &role("jobs")));
        let mut session = quiet().session(10, Idle).sessions[0].clone();
        session.usename = Some("app".to_owned());
        assert_eq!(whose(&plan, &session), None);
    }

    #[test]
    fn through_a_pooler_a_session_is_known_by_user_and_database() {
        let plan = plan(
            "[[pgbouncer]]\nname = \"main\"\n\
             [[role]]\nname = \"web\"\nnodes = 1\npool = 1\nuser = \"app\"\ndatabase = \"orders\"\nvia = \"main\"\n",
        );
        let mut session = quiet().session(10, Idle).sessions[0].clone();
        session.usename = Some("app".to_owned());
        session.datname = Some("orders".to_owned());
        assert_eq!(whose(&plan, &session), Some((PartSource::Pooler, "main")));
        session.datname = Some("archive".to_owned());
        assert_eq!(whose(&plan, &session), None);
    }
}
