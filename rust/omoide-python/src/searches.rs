//! A pool of threads that search while the calling thread runs other Python code.
//!
//! Useful for: a thread that answers many calls in turn. Not useful for: one call; `Engine.search` needs no other thread.
//! Invariant: each search begun is taken exactly once. `fileno` is readable exactly when a completed search has not been taken.

use crate::detach::{Failure, catching_panics};
use crate::engine::{Engine, SearchResult};
use crate::output::Hits;
use crate::query::Query;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem::take;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// If the last search took longer, one thread is woken for each queued search: they would wait for each other longer than is
/// gained by letting one thread run several in a row.
const LONG_SEARCH: Duration = Duration::from_millis(1);

/// A search to run. Its Python handles are dropped where the interpreter is held.
struct Task {
    number: u64,
    engine: Py<Engine>,
    query: Py<Query>,
}

struct Completed {
    task: Task,
    result: Result<SearchResult, Failure>,
}

/// The queue of tasks. Waking a thread is expensive: short searches share one, and no more threads are woken than there are tasks.
#[derive(Default)]
struct TaskQueue {
    state: Mutex<QueueState>,
    task_added: Condvar,
    searches_are_long: AtomicBool,
}

#[derive(Default)]
struct QueueState {
    tasks: VecDeque<Task>,
    idle_threads: usize,
    is_closed: bool,
}

impl TaskQueue {
    fn push(&self, task: Task) {
        lock(&self.state).tasks.push_back(task);
    }

    fn wake_threads(&self) {
        let most = if self.searches_are_long.load(Relaxed) {
            usize::MAX
        } else {
            1
        };
        let state = lock(&self.state);
        let count = state.tasks.len().min(state.idle_threads).min(most);
        drop(state);
        (0..count).for_each(|_| self.task_added.notify_one());
    }

    /// The next task, waiting for one; None if the queue is empty and closed.
    fn pop(&self) -> Option<Task> {
        let mut state = lock(&self.state);
        while state.tasks.is_empty() && !state.is_closed {
            state.idle_threads += 1;
            let woken = self.task_added.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
            state.idle_threads -= 1;
        }
        state.tasks.pop_front()
    }

    fn close(&self) {
        lock(&self.state).is_closed = true;
        self.task_added.notify_all();
    }
}

/// The completed searches, and the pipe that signals them: one byte for all that are taken together, written after the lock is
/// released, since the reader takes them at once.
struct CompletedQueue {
    completed: Mutex<Vec<Completed>>,
    signal: PipeWriter,
}

impl CompletedQueue {
    fn push(&self, search: Completed) {
        let mut completed = lock(&self.completed);
        completed.push(search);
        let is_first = completed.len() == 1;
        drop(completed);
        if is_first {
            // If the reading end is closed, nobody is waiting.
            let _ = (&self.signal).write_all(&[0]);
        }
    }

    /// Takes all, and the byte that signals them out of the pipe.
    fn take_all(&self, mut signals: &PipeReader) -> io::Result<Vec<Completed>> {
        let completed = take(&mut *lock(&self.completed));
        if !completed.is_empty() {
            signals.read_exact(&mut [0])?;
        }
        Ok(completed)
    }
}

/// See the module.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Searches {
    tasks: Arc<TaskQueue>,
    completed: Arc<CompletedQueue>,
    signals: PipeReader,
}

#[pymethods]
impl Searches {
    /// Starts `threads` threads.
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        let (signals, signal) = io::pipe()?;
        let completed = Arc::new(CompletedQueue {
            completed: Mutex::default(),
            signal,
        });
        let searches = Self {
            tasks: Arc::default(),
            completed,
            signals,
        };
        for _ in 0..threads {
            let tasks = Arc::clone(&searches.tasks);
            let completed = Arc::clone(&searches.completed);
            thread::Builder::new()
                .name("omoide-search".to_owned())
                .spawn(move || run_tasks(&tasks, &completed))?;
        }
        Ok(searches)
    }

    fn fileno(&self) -> RawFd {
        self.signals.as_raw_fd()
    }

    fn begin(&self, number: u64, engine: Py<Engine>, query: Py<Query>) {
        self.tasks.push(Task {
            number,
            engine,
            query,
        });
    }

    /// Wakes a thread after one or several calls of `begin`.
    fn wake(&self) {
        self.tasks.wake_threads();
    }

    /// The searches completed by now: number, and hits or the exception.
    fn take(&self, py: Python<'_>) -> PyResult<Vec<(u64, Py<PyAny>)>> {
        let completed = self.completed.take_all(&self.signals)?.into_iter();
        completed
            .map(|Completed { task, result }| Ok((task.number, hits_or_exception(py, result)?)))
            .collect()
    }
}

impl Drop for Searches {
    fn drop(&mut self) {
        self.tasks.close();
    }
}

fn hits_or_exception(py: Python<'_>, result: Result<SearchResult, Failure>) -> PyResult<Py<PyAny>> {
    Ok(match result {
        Ok(result) => Py::new(py, Hits::new(result))?.into_any(),
        Err(failure) => PyErr::from(failure).into_value(py).into_any(),
    })
}

/// What each thread does until the queue is closed.
fn run_tasks(tasks: &TaskQueue, completed: &CompletedQueue) {
    while let Some(task) = tasks.pop() {
        let began = Instant::now();
        let result = catching_panics(|| task.engine.get().run_query(task.query.get()));
        let was_long = began.elapsed() > LONG_SEARCH;
        tasks.searches_are_long.store(was_long, Relaxed);
        completed.push(Completed { task, result });
        if was_long {
            tasks.wake_threads();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
