//! The wrapper's end: it starts a guardian, tells it news, and hears when it had to act.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Socket;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::Pid;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::news::{News, Times, Word};
use super::process::CALLED;
use crate::job::{Children, Group, own_executable};

/// A guardian has next to nothing to do before it answers.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

const LEAVES_WITHIN: Duration = Duration::from_secs(1);

/// A running guardian. It ends when this is dropped, and ends the job then if that still runs.
pub struct Guardian {
    pid: Pid,
    socket: BufReader<UnixStream>,
}

/// What a guardian says while it guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// It has told the job to stop.
    StoppedTheJob,
    /// It is gone.
    Gone,
}

impl Guardian {
    /// Comes back once it is out of reach of the terminal.
    ///
    /// # Errors
    /// When no process can be started.
    pub async fn start() -> Result<Self> {
        let (ours, theirs) = Socket::pair().context("could not make a socket for the guardian")?;
        // Nobody reaps it here: whoever waits for children does.
        let child = Command::new(own_executable()?)
            .arg0(CALLED)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .spawn()
            .context("could not start the lease's guardian")?;
        ours.set_nonblocking(true)
            .context("could not set up the guardian's socket")?;
        let socket =
            UnixStream::from_std(ours).context("could not set up the guardian's socket")?;
        let mut guardian = Self {
            pid: Pid::from_child(&child),
            socket: BufReader::new(socket),
        };
        guardian.says(Word::Ready).await?;
        Ok(guardian)
    }

    /// Sends it away, and waits a moment for its end: it would be nobody's child after ours, and some containers
    /// have no process that cares for those.
    pub async fn leave(self, children: &mut Children) {
        let Self { pid, socket } = self;
        drop(socket);
        let reaped = async {
            while !children.changes().iter().any(|(ended, _)| *ended == pid) {
                children.changed().await;
            }
        };
        let _ = timeout(LEAVES_WITHIN, reaped).await;
    }

    /// Comes back once the group is guarded.
    ///
    /// # Errors
    /// When the guardian does not answer.
    pub async fn watch(
        &mut self,
        group: Group,
        stop_at: Duration,
        kill_at: Duration,
    ) -> Result<()> {
        let group = group.leader();
        let times = Times { stop_at, kill_at };
        self.tell(News::Watch { group, times })
            .context("could not reach the lease's guardian")?;
        self.says(Word::Watching).await
    }

    /// A guardian that is gone is noticed by [`Guardian::hear`].
    pub fn renewed(&self, stop_at: Duration, kill_at: Duration) {
        let _ = self.tell(News::Until(Times { stop_at, kill_at }));
    }

    /// The job stands on an old key, whose session ends with us.
    pub fn holds_a_key(&self) {
        let _ = self.tell(News::EndsWithUs);
    }

    pub fn stopping(&self, kill_at: Duration) {
        let _ = self.tell(News::Stopping { kill_at });
    }

    pub fn over(&self) {
        let _ = self.tell(News::Over);
    }

    /// The next thing that it has to say. Nothing is lost when this is dropped.
    pub async fn hear(&mut self) -> Heard {
        loop {
            match self.word().await {
                Ok(Some(Word::Stopped)) => return Heard::StoppedTheJob,
                Ok(_) => {}
                Err(_) => return Heard::Gone,
            }
        }
    }

    /// Whether it has acted, as far as it has said by now.
    pub async fn has_stopped_the_job(&mut self) -> bool {
        let said = timeout(Duration::ZERO, self.hear()).await;
        said == Ok(Heard::StoppedTheJob)
    }

    async fn says(&mut self, expected: Word) -> Result<()> {
        let said = timeout(ANSWERS_WITHIN, self.word()).await;
        match said {
            Ok(Ok(Some(word))) if word == expected => Ok(()),
            Ok(Err(error)) => Err(error).context("the lease's guardian has ended"),
            Ok(Ok(_)) | Err(_) => bail!("the lease's guardian does not answer"),
        }
    }

    /// A line, which is short: it comes whole. Nothing for one that is no word.
    async fn word(&mut self) -> io::Result<Option<Word>> {
        loop {
            let begun = self.socket.fill_buf().await?;
            if begun.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(end) = begun.iter().position(|byte| *byte == b'\n') {
                let word = Word::read(String::from_utf8_lossy(&begun[..end]).as_ref());
                self.socket.consume(end + 1);
                return Ok(word);
            }
            let many = begun.len();
            self.socket.consume(many);
        }
    }

    /// The socket's buffer holds hundreds of news: a guardian that is stopped keeps nobody waiting.
    fn tell(&self, news: News) -> io::Result<()> {
        let line = news.line();
        match self.socket.get_ref().try_write(line.as_bytes())? {
            written if written == line.len() => Ok(()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }
}
