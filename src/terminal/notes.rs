//! Notes of a process that has no time to wait for whoever reads them: a pipe may be full, a terminal may be
//! stopped with Ctrl-S, and in the background it stops whoever writes to it (`stty tostop`). A thread of its
//! own writes them, and waits in the process's stead.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};

/// What the thread is told.
enum Told {
    Write(String),
    /// Answered when all that came before has been written.
    Answer(Sender<()>),
}

static WRITER: OnceLock<Sender<Told>> = OnceLock::new();

/// How long the end of a process waits for its last notes.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// From now on this process waits for nobody who reads its notes.
///
/// # Errors
/// When no thread can be started.
pub fn begin() -> io::Result<()> {
    let (writer, told) = channel();
    thread::Builder::new()
        .name("notes".to_owned())
        .spawn(move || write_what_is_told(&told))?;
    // Whoever begins twice goes on with the first thread.
    let _ = WRITER.set(writer);
    Ok(())
}

/// At the end, which would take a note with it that is on its way.
pub fn finish() {
    let (answer, written) = channel();
    if let Some(writer) = WRITER.get()
        && writer.send(Told::Answer(answer)).is_ok()
    {
        // What could not be written by then is not read by anybody.
        let _ = written.recv_timeout(WRITTEN_WITHIN);
    }
}

/// Whether there is somebody who writes it; else it is given back.
pub(super) fn hand_over(line: String) -> Result<(), String> {
    let Some(writer) = WRITER.get() else {
        return Err(line);
    };
    writer
        .send(Told::Write(line))
        .map_err(|unsent| match unsent.0 {
            Told::Write(line) => line,
            Told::Answer(_) => String::new(),
        })
}

fn write_what_is_told(told: &Receiver<Told>) {
    // A terminal stops no thread that does not hear of it.
    let mut tostop = SigSet::empty();
    tostop.add(Signal::SIGTTOU);
    let _ = tostop.thread_block();
    for told in told {
        match told {
            Told::Write(line) => super::write_line(&line),
            Told::Answer(answer) => {
                // Whoever asked may have gone on.
                let _ = answer.send(());
            }
        }
    }
}
