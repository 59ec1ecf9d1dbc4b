//! Searches that go on while the thread that asked for them does something else with the interpreter.
//!
//! Useful for: a thread that answers many calls in turn. Not useful for: one call; `Engine.search` wakes no thread.
//! Invariant: each search that is begun is taken once. As soon as any has ended and not been taken, there is something to read
//! from `fileno`; else nothing.

use crate::detach::{Fault, caught};
use crate::engine::{Engine, Found};
use crate::output::Hits;
use crate::question::Query;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem::take;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Where the last search took so long, a thread is woken for each that waits: less would be gained by searching for several in a
/// row than they would wait for each other.
const LONG: Duration = Duration::from_millis(1);

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

/// What is to be searched, in the order of its coming. Waking a thread is dear, so one is woken for several, and none to find
/// that another has taken what there was.
#[derive(Default)]
struct Orders {
    line: Mutex<Line>,
    came: Condvar,
    are_long: AtomicBool,
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Order>,
    asleep: usize,
    over: bool,
}

impl Orders {
    fn put(&self, order: Order) {
        lock(&self.line).waiting.push_back(order);
    }

    fn wake(&self) {
        let most = if self.are_long.load(Relaxed) {
            usize::MAX
        } else {
            1
        };
        let line = lock(&self.line);
        let wanted = line.waiting.len().min(line.asleep).min(most);
        drop(line);
        (0..wanted).for_each(|_| self.came.notify_one());
    }

    /// The next; None when there will be no more.
    fn take(&self) -> Option<Order> {
        let mut line = lock(&self.line);
        while line.waiting.is_empty() && !line.over {
            line.asleep += 1;
            line = self.came.wait(line).unwrap_or_else(PoisonError::into_inner);
            line.asleep -= 1;
        }
        line.waiting.pop_front()
    }

    fn end(&self) {
        lock(&self.line).over = true;
        self.came.notify_all();
    }
}

/// What has ended, and the bell that tells of it: rung once for all that is taken at once, and with nothing locked, as whoever
/// hears it takes at once.
struct Tray {
    ended: Mutex<Vec<Ended>>,
    bell: PipeWriter,
}

impl Tray {
    fn put(&self, ended: Ended) {
        let mut all = lock(&self.ended);
        all.push(ended);
        let is_first = all.len() == 1;
        drop(all);
        if is_first {
            // With nobody left to read it, nobody waits.
            let _ = (&self.bell).write_all(&[0]);
        }
    }

    fn clear(&self, mut rung: &PipeReader) -> io::Result<Vec<Ended>> {
        let ended = take(&mut *lock(&self.ended));
        if !ended.is_empty() {
            rung.read_exact(&mut [0])?;
        }
        Ok(ended)
    }
}

/// See the module.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Searches {
    orders: Arc<Orders>,
    tray: Arc<Tray>,
    rung: PipeReader,
}

#[pymethods]
impl Searches {
    /// `threads` search at once.
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        let (rung, bell) = io::pipe()?;
        let tray = Arc::new(Tray {
            ended: Mutex::default(),
            bell,
        });
        let made = Self {
            orders: Arc::default(),
            tray,
            rung,
        };
        for _ in 0..threads {
            let (orders, tray) = (Arc::clone(&made.orders), Arc::clone(&made.tray));
            thread::Builder::new()
                .name("omoide-search".to_owned())
                .spawn(move || work(&orders, &tray))?;
        }
        Ok(made)
    }

    fn fileno(&self) -> RawFd {
        self.rung.as_raw_fd()
    }

    fn begin(&self, number: u64, engine: Py<Engine>, query: Py<Query>) {
        self.orders.put(Order {
            number,
            engine,
            query,
        });
    }

    /// Said when something has been begun, for several at once.
    fn wake(&self) {
        self.orders.wake();
    }

    /// What has ended by now: numbers, and what was found or the exception that tells why nothing was.
    fn take(&self, py: Python<'_>) -> PyResult<Vec<(u64, Py<PyAny>)>> {
        let each = self.tray.clear(&self.rung)?.into_iter();
        each.map(|Ended { order, found }| Ok((order.number, told(py, found)?)))
            .collect()
    }
}

impl Drop for Searches {
    fn drop(&mut self) {
        self.orders.end();
    }
}

fn told(py: Python<'_>, found: Result<Found, Fault>) -> PyResult<Py<PyAny>> {
    Ok(match found {
        Ok(found) => Py::new(py, Hits::new(found))?.into_any(),
        Err(fault) => PyErr::from(fault).into_value(py).into_any(),
    })
}

fn work(orders: &Orders, tray: &Tray) {
    while let Some(order) = orders.take() {
        let began = Instant::now();
        let found = caught(|| order.engine.get().found(order.query.get()));
        let was_long = began.elapsed() > LONG;
        orders.are_long.store(was_long, Relaxed);
        tray.put(Ended { order, found });
        if was_long {
            orders.wake();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
