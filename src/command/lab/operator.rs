//! What an operator types beside the pods: `lockaudit` itself, as a process of its own, so that what is shown
//! is what it prints.

use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::screen::show;
use super::stage::{Stage, in_time};
use crate::fleet::old_key;
use crate::job::own_executable;
use crate::lab::{Job, MAP};
use crate::render::narration;
use crate::text::shell_word;

/// What the fence says once it has every key.
const FENCE_STANDS: &str = "all is held";
const FENCE: [&str; 2] = ["migrate", "fence"];

/// A pod takes its lease within milliseconds.
const TRIES: u32 = 20;

/// The variable that says where the server is.
const SERVER: &str = "LOCKAUDIT_DSN";

/// A running fence, and what it has still to say. Dropped, it is killed.
pub(super) struct Fence {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Stage {
    pub(super) fn write_map(&self, job: Job) -> Result<()> {
        let name = toml_edit::Value::from(job.0);
        let key = toml_edit::Value::from(old_key(job.0).to_string());
        let text = format!("[[name]]\nname ={name}\nkey ={key}\n");
        std::fs::write(self.server.folder().join(MAP), text)
            .context("could not write the file of keys")?;
        let text = format!("writes {MAP}: {} is hashtext('{}')", old_key(job.0), job.0);
        self.event("operator", &text)
    }

    /// Where the operator sits from now on: beside the server's files, and with no need to name the server.
    pub(super) fn sit_down(&self) -> Result<()> {
        let folder = self.server.folder().display().to_string();
        let lines = format!(
            "cd {}\nexport {SERVER}={}",
            shell_word(&folder),
            shell_word(&self.server.connection_string())
        );
        show(|out| narration::command(self.style, &lines, out))
    }

    pub(super) async fn operate(&self, words: &[&str], expected: u8) -> Result<()> {
        let came = self.run(words).await?;
        ensure!(
            came == Some(expected.into()),
            "`{}` was to exit with {expected}, and did with {came:?}",
            typed(words)
        );
        Ok(())
    }

    pub(super) async fn insist(&self, words: &[&str]) -> Result<()> {
        for _ in 0..TRIES {
            if self.run(words).await? == Some(0) {
                return Ok(());
            }
        }
        bail!("`{}` was tried {TRIES} times in vain", typed(words))
    }

    /// Its exit status.
    async fn run(&self, words: &[&str]) -> Result<Option<i32>> {
        show(|out| narration::command(self.style, &typed(words), out))?;
        let output = self.lockaudit(words)?.output();
        let output = in_time("the end of it", output).await?;
        let output = output.context("could not run lockaudit")?;
        self.screen(&output.stdout)?;
        self.screen(&output.stderr)?;
        let status = output.status.code();
        let shown = status.map_or_else(|| "none: a signal".to_owned(), |code| code.to_string());
        self.event("exit status", &shown)?;
        Ok(status)
    }

    pub(super) async fn start_fence(&mut self) -> Result<()> {
        let line = format!("{} &", typed(&FENCE));
        show(|out| narration::command(self.style, &line, out))?;
        let mut process = self.lockaudit(&FENCE)?.stderr(Stdio::null()).spawn()?;
        let stdout = process.stdout.take().context("its stdout is a pipe")?;
        let mut fence = Fence {
            process,
            lines: BufReader::new(stdout).lines(),
        };
        let mut stands = false;
        while !stands {
            let line = in_time("the fence to hold all keys", fence.lines.next_line()).await??;
            let line = line.context("the fence has ended")?;
            self.screen(line.as_bytes())?;
            stands = line.contains(FENCE_STANDS);
        }
        self.fence = Some(fence);
        Ok(())
    }

    pub(super) async fn end_fence(&mut self) -> Result<()> {
        let Fence { mut process, lines } = self.fence.take().context("there is no fence")?;
        show(|out| narration::command(self.style, "kill %1", out))?;
        let pid = process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        kill_process(pid.context("the fence has ended")?, Signal::TERM)?;
        let mut said = Vec::new();
        let reading = lines.into_inner();
        tokio::pin!(reading);
        in_time("the fence's last words", reading.read_to_end(&mut said)).await??;
        self.screen(&said)?;
        in_time("the end of the fence", process.wait()).await??;
        Ok(())
    }

    /// The user's own variables do not change what is replayed.
    fn lockaudit(&self, words: &[&str]) -> Result<Command> {
        let mut command = Command::new(own_executable()?);
        command
            .args(words)
            .current_dir(self.server.folder())
            .env_clear()
            .env(SERVER, self.server.connection_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Ok(command)
    }

    /// What lockaudit printed, which made it safe to show.
    fn screen(&self, said: &[u8]) -> Result<()> {
        let said = String::from_utf8_lossy(said);
        show(|out| {
            let mut lines = said.lines();
            lines.try_for_each(|line| writeln!(out, "{line}"))
        })
    }
}

/// As a person types it: options are not quoted.
fn typed(words: &[&str]) -> String {
    let words = words.iter().map(|word| match word.starts_with('-') {
        true => (*word).to_owned(),
        false => shell_word(word),
    });
    let words: Vec<String> = words.collect();
    format!("lockaudit {}", words.join(" "))
}
