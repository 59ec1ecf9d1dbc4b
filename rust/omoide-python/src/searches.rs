//! A pool of threads that search while the calling thread runs other Python code.
//!
//! Useful for: a thread that answers many calls in turn. Not useful for: one call; `Engine.search` needs no other thread.
//! Invariant: each search begun is taken exactly once. `fileno` is readable exactly when a search has ended and has not
//! been taken.

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

/// If the last search took longer, one thread is woken for each waiting search: they would wait for each other longer than is
/// gained by letting one thread run several in a row.
const LONG: Duration = Duration::from_millis(1);

/// A search to run. Its Python handles are dropped where the interpreter is held.
struct Order {
    number: u64,
    engine: Py<Engine>,
    query: Py<Query>,
}

struct Ended {
    order: Order,
    found: Result<Found, Fault>,
}

/// The queue of searches. Waking a thread is expensive: short searches share one, and no more are woken than there are searches
/// waiting.
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

    /// The next search, waiting for one; None after `end`.
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

/// The finished searches, and the pipe that signals them: one byte for all that are taken together, written after the lock is
/// released, since the reader takes them at once.
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
            // If the reading end is closed, nobody is waiting.
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
    /// Starts `threads` threads.
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

    /// Wakes a thread after one or several calls of `begin`.
    fn wake(&self) {
        self.orders.wake();
    }

    /// The searches finished by now: number, and hits or the exception.
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
