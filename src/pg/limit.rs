//! A time limit over several steps, that knows which step was under way when it ran out.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::failure::{ConnectFailure, Stage, timed_out};

/// `None` inside: no limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit(Option<(Instant, Duration)>);

impl Limit {
    pub(super) fn starting_now(length: Option<Duration>) -> Self {
        Self(length.and_then(|length| Some((Instant::now().checked_add(length)?, length))))
    }

    /// The step's own result, or a time-out that names `stage`.
    pub(super) async fn run<T>(
        self,
        stage: Stage,
        step: impl Future<Output = Result<T, ConnectFailure>>,
    ) -> Result<T, ConnectFailure> {
        match self.0 {
            None => step.await,
            Some((end, length)) => timeout_at(end, step)
                .await
                .unwrap_or_else(|_| Err(timed_out(stage, length))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn names_the_step_that_was_under_way() {
        let limit = Limit::starting_now(Some(Duration::from_secs(3)));
        let failure = limit
            .run(Stage::Login, std::future::pending::<Result<(), _>>())
            .await
            .unwrap_err();
        assert_eq!(
            failure.sentence,
            "it accepts connections, but said nothing for 3 s"
        );
    }
}
