//! Peers that answer as the real ones do when they are busy, old, foreign or hostile.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use crate::destination::Destination;

/// Listens until the tests end, and plays its part for each client.
pub struct Imposter {
    port: u16,
}

impl Imposter {
    /// `part` makes the behaviour towards one client.
    pub fn that<F, P>(part: F) -> Self
    where
        F: Fn(()) -> P + Send + 'static,
        P: FnOnce(TcpStream),
    {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                part(())(client);
            }
        });
        Self { port }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn destination(&self) -> Destination {
        Destination::localhost(self.port)
    }
}

/// A port on which nobody listens.
pub fn unused_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

pub fn wait_for_hang_up(mut client: TcpStream) {
    let mut sink = [0; 1024];
    while client.read(&mut sink).is_ok_and(|length| length > 0) {}
}

/// Reads one message, answers `bytes` and hangs up.
pub fn says(bytes: &'static [u8]) -> impl FnOnce(TcpStream) {
    move |client| answer(client, bytes)
}

/// Refuses with an error as poolers send it: without the field V.
pub fn refuses(sqlstate: &str, message: &str) -> impl FnOnce(TcpStream) + use<> {
    let fields = format!("SFATAL\0C{sqlstate}\0M{message}\0\0");
    move |client| answer(client, &framed(b'E', fields.as_bytes()))
}

/// Asks for an authentication method by its number.
pub fn asks_for(method: u8) -> impl FnOnce(TcpStream) {
    move |client| answer(client, &framed(b'R', &[0, 0, 0, method]))
}

/// Lets everybody in, says its version, and answers nothing.
pub fn is_version(version: &str) -> impl FnOnce(TcpStream) + use<> {
    let parameter = format!("server_version\0{version}\0");
    let mut welcome = framed(b'R', &[0, 0, 0, 0]);
    welcome.extend(framed(b'S', parameter.as_bytes()));
    welcome.extend(framed(b'Z', b"I"));
    move |mut client| {
        receive(&mut client);
        let _ = client.write_all(&welcome);
        wait_for_hang_up(client);
    }
}

fn answer(mut client: TcpStream, bytes: &[u8]) {
    receive(&mut client);
    let _ = client.write_all(bytes);
}

fn receive(client: &mut TcpStream) {
    let mut request = [0; 1024];
    let _ = client.read(&mut request);
}

fn framed(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).expect("it is short");
    [&[tag], length.to_be_bytes().as_slice(), body].concat()
}
