//! The line to a server, plain or encrypted: agreeing on TLS, and watching the first reply.
//!
//! It asks for TLS itself, not through tokio-postgres, which takes any answer but `S` for a "no"
//! and so can't tell a web server from a PostgreSQL without TLS.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

use super::dial::Duplex;
use super::failure::{
    ConnectFailure, FailureKind, REPLY_TAGS, closed, is_hang_up, not_postgres, tls_not_offered,
};
use super::greeting::{Greeting, NamedProcess};

/// SSLRequest: length 8, code 80877103 (protocol documentation, "Message Formats").
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// How much of the first reply is kept; enough for an authentication request's mechanisms.
const HEAD_LENGTH: usize = 64;

/// The server's answer to the request for TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TlsAnswer {
    Yes,
    No,
}

/// Asks for TLS. It reads one byte only: whatever follows must be the handshake's (CVE-2021-23222).
pub(super) async fn ask_for_tls(stream: &mut dyn Duplex) -> Result<TlsAnswer, ConnectFailure> {
    stream
        .write_all(&TLS_REQUEST)
        .await
        .map_err(|error| hung_up(&error))?;
    let answer = stream.read_u8().await.map_err(|error| hung_up(&error))?;
    match answer {
        b'S' => Ok(TlsAnswer::Yes),
        b'N' => Ok(TlsAnswer::No),
        b'E' => Err(tls_not_offered().cause("it answered the request for TLS with an error")),
        other => Err(stranger(other, stream).await),
    }
}

/// What came is all there is to tell by; a slow peer is not waited for.
async fn stranger(first: u8, stream: &mut dyn Duplex) -> ConnectFailure {
    let mut head = vec![first];
    let mut rest = [0; HEAD_LENGTH];
    let more = tokio::time::timeout(
        std::time::Duration::from_millis(100),
        stream.read(&mut rest),
    );
    if let Ok(Ok(length)) = more.await {
        head.extend_from_slice(&rest[..length]);
    }
    not_postgres(&head)
}

fn hung_up(error: &io::Error) -> ConnectFailure {
    if is_hang_up(error) {
        return closed();
    }
    ConnectFailure::new(FailureKind::Unreachable, "the connection broke").cause(error.to_string())
}

/// The first plain bytes a server sent, shared with whoever has to explain a failure.
#[derive(Debug, Clone, Default)]
pub(super) struct Head(Arc<Mutex<Vec<u8>>>);

impl Head {
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Keeps the start of what came. An error when it can't come from PostgreSQL: its "length"
    /// could make a reader wait for a gigabyte.
    fn keep(&self, came: &[u8]) -> io::Result<()> {
        let mut head = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = HEAD_LENGTH.saturating_sub(head.len());
        head.extend_from_slice(&came[..came.len().min(room)]);
        match head.first() {
            Some(tag) if !REPLY_TAGS.contains(tag) => Err(io::ErrorKind::InvalidData.into()),
            _ => Ok(()),
        }
    }
}

/// A line ready for the startup message.
pub(super) struct Line {
    stream: Box<dyn Duplex>,
    head: Head,
    greeting: Greeting,
    server_end_point: Option<Vec<u8>>,
}

impl Line {
    /// `server_end_point` is the certificate's digest for channel binding.
    pub(super) fn new(stream: Box<dyn Duplex>, server_end_point: Option<Vec<u8>>) -> Self {
        Self {
            stream,
            head: Head::default(),
            greeting: Greeting::default(),
            server_end_point,
        }
    }

    pub(super) fn head(&self) -> Head {
        self.head.clone()
    }

    pub(super) fn named_process(&self) -> NamedProcess {
        self.greeting.process()
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let came = &buffer.filled()[before..];
        self.greeting.read(came);
        Poll::Ready(self.head.keep(came))
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl TlsStream for Line {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.server_end_point {
            Some(digest) => ChannelBinding::tls_server_end_point(digest.clone()),
            None => ChannelBinding::none(),
        }
    }
}

/// tokio-postgres' door for TLS, for a line on which the handshake is already done.
pub(super) struct HandshakeDone;

impl TlsConnect<Line> for HandshakeDone {
    type Stream = Line;
    type Error = io::Error;
    type Future = std::future::Ready<io::Result<Line>>;

    fn connect(self, line: Line) -> Self::Future {
        std::future::ready(Ok(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn takes_one_byte_as_the_answer() {
        let (mut ours, mut theirs) = tokio::io::duplex(64);
        theirs.write_all(b"Sx").await.unwrap();
        assert_eq!(ask_for_tls(&mut ours).await, Ok(TlsAnswer::Yes));
        assert_eq!(ours.read_u8().await.unwrap(), b'x');
    }

    #[tokio::test]
    async fn knows_a_web_server_by_its_answer() {
        let (mut ours, mut theirs) = tokio::io::duplex(64);
        theirs
            .write_all(b"HTTP/1.1 400 Bad Request\r\n")
            .await
            .unwrap();
        let failure = ask_for_tls(&mut ours).await.unwrap_err();
        assert_eq!(
            failure.sentence,
            "what answers there is not PostgreSQL: it speaks HTTP"
        );
    }

    #[tokio::test]
    async fn stops_reading_what_is_not_postgresql() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        theirs.write_all(b"HTTP/1.1 400").await.unwrap();
        let mut line = Line::new(Box::new(ours), None);
        assert!(line.read_u8().await.is_err());
        assert_eq!(line.head().bytes(), b"H");
    }
}
