//! Spreads work over the machine's cores.
//!
//! Useful for: independent pieces of a tenth of a millisecond and more. Not useful for: smaller ones; every call starts a
//! thread for each core.
//! Invariant: the result is the same on any number of cores, and also if the system refuses threads.

use std::iter::from_fn;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, usize::from));

/// The results of `work` for 0, 1, ... below `count`, in this order.
pub fn parallel_map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    parallel_map_on(Builder::new, count, work)
}

/// The same on threads of this kind; the caller does what they leave, in case none could be started.
fn parallel_map_on<T: Send>(
    builder: fn() -> Builder,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let next_item = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        (at < count).then(|| (at, work(at)))
    };
    let helpers = count.min(*CORES).saturating_sub(1);
    let mut done: Vec<(usize, T)> = scope(|scope| {
        let started: Vec<_> = (0..helpers)
            .map_while(|_| {
                let work = || from_fn(next_item).collect::<Vec<_>>();
                builder().spawn_scoped(scope, work).ok()
            })
            .collect();
        let mut done: Vec<_> = from_fn(next_item).collect();
        for helper in started {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|each| each.0);
    done.into_iter().map(|each| each.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_on_many_cores() {
        for count in [0, 1, 2, 1_000] {
            let squares: Vec<usize> = (0..count).map(|at| at * at).collect();
            assert_eq!(parallel_map(count, |at| at * at), squares);
        }
    }

    #[test]
    fn without_threads_the_caller_does_all_the_work() {
        let endless = || Builder::new().stack_size(1 << 60);
        assert!(endless().spawn(|| {}).is_err());
        assert_eq!(parallel_map_on(endless, 4, |at| at * at), [0, 1, 4, 9]);
    }

    #[test]
    #[should_panic(expected = "桁")]
    fn a_panic_in_one_piece_reaches_the_caller() {
        parallel_map(100, |at| assert!(at < 99, "桁"));
    }
}
