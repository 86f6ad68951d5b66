//! The half of a session that moves bytes, and what the server says outside of answers.
//!
//! tokio-postgres drops notices, and the last words of a session that is ended while idle, unless
//! somebody polls for them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::AsyncMessage;

use super::failure::ServerWords;
use super::line::Line;

/// Enough for a console's help text; older ones give way.
const NOTICES_KEPT: usize = 100;

/// Whoever waits for a notification takes it soon; older ones give way.
const NOTIFICATIONS_KEPT: usize = 100;

/// What the server said unasked, readable also after the session has ended.
#[derive(Debug, Clone, Default)]
pub struct Unasked {
    said: Arc<Mutex<Said>>,
    notified: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Said {
    fatal: Option<ServerWords>,
    notices: VecDeque<ServerWords>,
    /// What `NOTIFY` brought, of the only channel that we listen to.
    payloads: VecDeque<String>,
}

impl Unasked {
    /// The words the session ended with, such as 57P01 after `pg_terminate_backend`. `None` while
    /// it lives, and when it ended without words or in the middle of an answer (which then has them).
    pub fn fatal(&self) -> Option<ServerWords> {
        self.said().fatal.clone()
    }

    /// The notices since the last call, oldest first, the last hundred at most.
    pub fn take_notices(&self) -> Vec<ServerWords> {
        self.said().notices.drain(..).collect()
    }

    /// Comes back once a notification with this payload has come since the last call.
    pub async fn notified_of(&self, payload: &str) {
        while !self.has_been_notified_of(payload) {
            self.notified.notified().await;
        }
    }

    fn has_been_notified_of(&self, payload: &str) -> bool {
        let payloads: Vec<String> = self.said().payloads.drain(..).collect();
        payloads.iter().any(|heard| heard == payload)
    }

    fn hear_notification(&self, payload: &str) {
        let mut said = self.said();
        if said.payloads.len() == NOTIFICATIONS_KEPT {
            said.payloads.pop_front();
        }
        said.payloads.push_back(payload.to_owned());
        // One waits at most, and one that comes later finds a permit.
        self.notified.notify_one();
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, notice: ServerWords) {
        let mut said = self.said();
        if said.notices.len() == NOTICES_KEPT {
            said.notices.pop_front();
        }
        said.notices.push_back(notice);
    }

    fn hear_the_end(&self, error: &tokio_postgres::Error) {
        if let Some(words) = error.as_db_error() {
            self.said().fatal = Some(ServerWords::from(words));
        }
    }
}

/// Moves the session's bytes in the background, until the client is dropped or the server ends it.
pub(super) fn drive(
    mut connection: tokio_postgres::Connection<Line, Line>,
) -> (Unasked, JoinHandle<()>) {
    let unasked = Unasked::default();
    let ear = unasked.clone();
    let driver = tokio::spawn(async move {
        while let Some(message) =
            std::future::poll_fn(|context| connection.poll_message(context)).await
        {
            match message {
                Ok(AsyncMessage::Notice(notice)) => ear.hear(ServerWords::from(&notice)),
                Ok(AsyncMessage::Notification(told)) => ear.hear_notification(told.payload()),
                Ok(_) => {}
                Err(error) => return ear.hear_the_end(&error),
            }
        }
    });
    (unasked, driver)
}
