//! Owns the thread that drives all connections, so that tests are plain functions.

use std::future::{Future, pending};
use std::sync::{LazyLock, mpsc};
use std::thread;

use tokio::runtime::{Builder, Handle};

static HANDLE: LazyLock<Handle> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime starts");
        sender
            .send(runtime.handle().clone())
            .expect("the first test waits for it");
        runtime.block_on(pending::<()>())
    });
    receiver
        .recv()
        .expect("the runtime's thread gives its handle")
});

pub fn block_on<F: Future>(future: F) -> F::Output {
    HANDLE.block_on(future)
}

pub fn spawn<F>(future: F) -> tokio::task::JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    HANDLE.spawn(future)
}
