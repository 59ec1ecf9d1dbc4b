//! Searches that go on while the thread that asked for them does something else with the interpreter.
//!
//! Useful for: a thread that answers many calls in turn. Not useful for: one call; `Engine.search` wakes no thread.
//! Invariant: each search that is begun is taken once. While any has ended and not been taken, there is something to read
//! from `fileno`; else nothing.

use crate::detach::{Fault, caught};
use crate::engine::{Engine, Found};
use crate::output::Hits;
use crate::question::Query;
use pyo3::prelude::*;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem::take;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What is to be searched: Python's handles, which go back to where the interpreter is held.
struct Order {
    number: u64,
    engine: Py<Engine>,
    query: Py<Query>,
}

struct Ended {
    order: Order,
    found: Result<Found, Fault>,
}

/// What has ended, and the bell that tells of it.
struct Tray {
    ended: Vec<Ended>,
    bell: PipeWriter,
}

impl Tray {
    fn put(&mut self, ended: Ended) {
        // With nobody left to read it, nobody waits.
        if self.ended.is_empty() {
            let _ = self.bell.write_all(&[0]);
        }
        self.ended.push(ended);
    }

    fn clear(&mut self, mut rung: &PipeReader) -> io::Result<Vec<Ended>> {
        if !self.ended.is_empty() {
            rung.read_exact(&mut [0])?;
        }
        Ok(take(&mut self.ended))
    }
}

/// See the module.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Searches {
    orders: Sender<Order>,
    tray: Arc<Mutex<Tray>>,
    rung: PipeReader,
}

#[pymethods]
impl Searches {
    /// `threads` search at once.
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        let (rung, bell) = io::pipe()?;
        let tray = Arc::new(Mutex::new(Tray {
            ended: Vec::new(),
            bell,
        }));
        let (orders, taken) = channel();
        let taken = Arc::new(Mutex::new(taken));
        for _ in 0..threads {
            let (taken, tray) = (Arc::clone(&taken), Arc::clone(&tray));
            thread::Builder::new()
                .name("omoide-search".to_owned())
                .spawn(move || work(&taken, &tray))?;
        }
        Ok(Self { orders, tray, rung })
    }

    fn fileno(&self) -> RawFd {
        self.rung.as_raw_fd()
    }

    fn begin(&self, number: u64, engine: Py<Engine>, query: Py<Query>) {
        let order = Order {
            number,
            engine,
            query,
        };
        self.orders
            .send(order)
            .expect("the threads end when this does");
    }

    /// What has ended by now: numbers, and what was found or the exception that tells why nothing was.
    fn take(&self, py: Python<'_>) -> PyResult<Vec<(u64, Py<PyAny>)>> {
        let ended = lock(&self.tray).clear(&self.rung)?;
        let each = ended.into_iter();
        each.map(|Ended { order, found }| Ok((order.number, told(py, found)?)))
            .collect()
    }
}

fn told(py: Python<'_>, found: Result<Found, Fault>) -> PyResult<Py<PyAny>> {
    Ok(match found {
        Ok((found, words)) => Py::new(py, Hits::new(py, found, words)?)?.into_any(),
        Err(fault) => PyErr::from(fault).into_value(py).into_any(),
    })
}

fn work(orders: &Mutex<Receiver<Order>>, tray: &Mutex<Tray>) {
    loop {
        let Ok(order) = lock(orders).recv() else {
            return;
        };
        let found = caught(|| order.engine.get().found(order.query.get()));
        lock(tray).put(Ended { order, found });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
