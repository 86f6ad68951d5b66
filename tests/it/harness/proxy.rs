//! Owns a network that can be made worse while a test runs: a TCP proxy in front of a server.

use std::future::pending;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;

use super::address::{Address, Door};
use super::runtime::{block_on, spawn};

/// What becomes of the bytes from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    Passes,
    /// Each way takes so long.
    Slow(Duration),
    /// A black hole: nothing arrives, and nobody is told. What was sent arrives late, when it passes again.
    Holds,
    /// Questions arrive, answers vanish, and nobody is told.
    LosesAnswers,
    /// Questions arrive, and the connection is reset as soon as the answer comes: after the commit.
    CutsAtTheAnswer,
}

/// A running proxy; its connections end with it.
pub struct Proxy {
    door: Door,
    wires: Wires,
    accepting: JoinHandle<()>,
}

/// What all connections share.
#[derive(Clone)]
struct Wires {
    network: watch::Sender<Network>,
    cut: broadcast::Sender<()>,
    lost: Arc<AtomicU64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Question,
    Answer,
}

impl Proxy {
    /// In front of the server that listens on this port of 127.0.0.1.
    pub fn to(port: u16) -> Self {
        let listener = block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
        let listener = listener.expect("there is a free port");
        let address = listener.local_addr().expect("it listens");
        let wires = Wires {
            network: watch::Sender::new(Network::Passes),
            cut: broadcast::Sender::new(1),
            lost: Arc::default(),
        };
        Self {
            door: Door {
                socket_folder: "/nowhere".into(),
                port: address.port(),
            },
            accepting: spawn(accept(listener, port, wires.clone())),
            wires,
        }
    }

    pub fn port(&self) -> u16 {
        self.door.port
    }

    /// The same place, through here.
    pub fn address_of(&self, address: &Address) -> Address {
        address.through(self.door.clone()).over_tcp()
    }

    pub fn becomes(&self, network: Network) {
        self.wires.network.send_replace(network);
    }

    /// Resets every connection.
    pub fn resets(&self) {
        // Nobody is connected: nothing to reset.
        let _ = self.wires.cut.send(());
    }

    /// How many answers were lost on purpose.
    pub fn lost_answers(&self) -> u64 {
        self.wires.lost.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.resets();
    }
}

async fn accept(listener: TcpListener, server: u16, wires: Wires) {
    while let Ok((client, _)) = listener.accept().await {
        let wires = wires.clone();
        spawn(async move {
            // A server that is down refuses, and so do we, by closing.
            if let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).await {
                join(client, server, &wires).await;
            }
        });
    }
}

async fn join(client: TcpStream, server: TcpStream, wires: &Wires) {
    // Closing then resets: neither side can take it for an orderly end.
    for stream in [&client, &server] {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_zero_linger();
    }
    let mut cut = wires.cut.subscribe();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        _ = cut.recv() => (),
        // A client that has gone: what it sent is worked through, until the server closes.
        () = async {
            pump(from_client, to_server, Way::Question, wires).await;
            pending().await
        } => (),
        () = pump(from_server, to_client, Way::Answer, wires) => (),
    }
}

/// Ends with either side, or when the network cuts.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, way: Way, wires: &Wires) {
    let mut network = wires.network.subscribe();
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        let now = *network
            .wait_for(|network| *network != Network::Holds)
            .await
            .expect("we hold the sender");
        match (now, way) {
            (Network::LosesAnswers, Way::Answer) => {
                wires.lost.fetch_add(1, Ordering::SeqCst);
                continue;
            }
            (Network::CutsAtTheAnswer, Way::Answer) => {
                wires.lost.fetch_add(1, Ordering::SeqCst);
                return;
            }
            (Network::Slow(time), _) => tokio::time::sleep(time).await,
            _ => (),
        }
        if to.write_all(&chunk[..read]).await.is_err() {
            return;
        }
    }
}
