//! The overlap detector: each worker writes down when it works under which token, all to one file, and
//! whoever reads it sees whether two ever worked at once.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::harness::now;

/// One file for all workers. A line is one write, so that lines never mix.
pub struct Record {
    path: PathBuf,
}

/// One worker's way to it, by which it tells of one grant at a time.
pub struct Pen {
    file: File,
}

/// What was worked under one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    pub token: i64,
    pub start: Duration,
    /// Its own word that it stopped, or else the deadline that it knew of.
    pub end: Duration,
}

impl Record {
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            path: folder.join("record"),
        }
    }

    pub fn pen(&self) -> Pen {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(&self.path);
        Pen {
            file: file.expect("it can be written"),
        }
    }

    /// All work on each name, in the order of its start.
    pub fn work(&self) -> BTreeMap<String, Vec<Work>> {
        let content = fs::read_to_string(&self.path).expect("it can be read");
        read(&content)
    }
}

impl Pen {
    /// The work goes on until the deadline, unless it stops before.
    pub fn works(&mut self, name: &str, token: i64, deadline: Duration) {
        self.line(&format!("works {name} {token} {}", deadline.as_micros()));
    }

    pub fn stops(&mut self, name: &str, token: i64) {
        self.line(&format!("stops {name} {token} 0"));
    }

    fn line(&mut self, words: &str) {
        let line = format!("{} {words}\n", now().as_micros());
        self.file
            .write_all(line.as_bytes())
            .expect("it takes a line");
    }
}

fn read(content: &str) -> BTreeMap<String, Vec<Work>> {
    let mut grants: BTreeMap<(String, i64), Work> = BTreeMap::new();
    for line in content.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [at, word, name, token, deadline] = words[..] else {
            panic!("no line of a record: {line}");
        };
        let (at, deadline) = (moment(at), moment(deadline));
        let token = token.parse().expect("a token is a number");
        let start = Work {
            token,
            start: at,
            end: deadline,
        };
        let work = grants.entry((name.to_owned(), token)).or_insert(start);
        match word {
            "works" => work.end = deadline,
            _ => work.end = work.end.min(at),
        }
    }
    let mut of_name: BTreeMap<String, Vec<Work>> = BTreeMap::new();
    for ((name, _), work) in grants {
        of_name.entry(name).or_default().push(work);
    }
    of_name
        .values_mut()
        .for_each(|work| work.sort_by_key(|work| work.start));
    of_name
}

fn moment(text: &str) -> Duration {
    Duration::from_micros(text.parse().expect("a moment is a number of microseconds"))
}

/// Each piece of work that began before another on the same name had ended.
pub fn overlaps(work: &[Work]) -> Vec<(Work, Work)> {
    let pairs = work.iter().enumerate().flat_map(|(at, next)| {
        let earlier = work[..at].iter().filter(|earlier| earlier.end > next.start);
        earlier.map(|earlier| (*earlier, *next))
    });
    pairs.collect()
}

pub fn tokens_rise(work: &[Work]) -> bool {
    work.is_sorted_by(|one, next| one.token < next.token)
}

#[test]
fn work_ends_when_its_worker_says_so_and_at_its_last_deadline_otherwise() {
    let work =
        read("10 works a 1 50\n30 works a 1 70\n60 stops a 1 0\n61 works a 2 90\n99 stops a 2 0\n");
    let spans: Vec<_> = work["a"]
        .iter()
        .map(|work| (work.start, work.end))
        .collect();
    let micros = Duration::from_micros;
    assert_eq!(spans, [(micros(10), micros(60)), (micros(61), micros(90))]);
    assert!(overlaps(&work["a"]).is_empty() && tokens_rise(&work["a"]));
}

#[test]
fn two_at_work_on_one_name_are_found_and_on_two_names_are_not() {
    let work = read("10 works a 1 50\n20 works b 1 60\n49 works a 2 90\n50 stops a 1 0\n");
    assert_eq!(overlaps(&work["a"]).len(), 1);
    assert!(overlaps(&work["b"]).is_empty());
    let long = read("10 works a 1 100\n20 works a 2 30\n40 works a 3 60\n");
    assert_eq!(overlaps(&long["a"]).len(), 2, "not only the one before");
}

#[test]
fn a_token_that_falls_is_seen() {
    let work = read("10 works a 2 20\n30 works a 1 40\n");
    assert!(!tokens_rise(&work["a"]));
}
