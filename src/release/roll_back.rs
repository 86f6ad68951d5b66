//! The way out of a prepared holder: for a person to run, in its own database.

use crate::finding::advice::roll_back;
use crate::picture::Picture;
use crate::snapshot::PreparedTransaction;

/// A statement, and where it works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollBack {
    pub sql: String,
    /// How and where: `roll it back, connected to orders as app or a superuser`.
    pub place: String,
}

impl RollBack {
    pub fn of(picture: &Picture<'_>, prepared: &PreparedTransaction) -> Self {
        let database = picture
            .database_label(prepared.database)
            .unwrap_or_else(|| prepared.database.to_string());
        let role = prepared.owner.as_deref().unwrap_or("its owner");
        let (how, sql) = roll_back(prepared);
        Self {
            sql,
            place: format!("roll it back{how}, connected to {database} as {role} or a superuser"),
        }
    }
}
