//! The one door for work that takes long: the GIL released, progress shown, Ctrl-C heard.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use gammon_core::parallel::{self, Control};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::Kind;
use crate::numbers::whole;

/// How often progress is shown and Ctrl-C looked for.
const TICK: Duration = Duration::from_millis(50);

/// Runs `work` on another thread without the GIL. `progress` is called with (done, total) now and then and at the end.
///
/// Returns what the work returned and, if Ctrl-C or an error in `progress` cancelled it, that error.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    total: u64,
    work: impl FnOnce(&Control) -> T + Send,
) -> (T, Option<PyErr>) {
    let control = Control::default();
    let progress = progress.map(|callable| callable.clone().unbind());
    let show = |py: Python<'_>, done: u64| match &progress {
        Some(callable) => callable.call1(py, (done, total)).map(|_| ()),
        None => Ok(()),
    };
    let (answer, mut error) = py.detach(|| {
        thread::scope(|scope| {
            let (sender, finished) = mpsc::channel::<()>();
            let control = &control;
            let worker = scope.spawn(move || {
                // Dropped when the work ends, by a panic too, which ends the wait below.
                let _sender = sender;
                work(control)
            });
            let mut error = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(TICK) {
                if error.is_none()
                    && let Err(raised) = Python::attach(|py| {
                        py.check_signals()?;
                        show(py, control.done())
                    })
                {
                    control.cancel();
                    error = Some(raised);
                }
            }
            let answer = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (answer, error)
        })
    });
    if error.is_none() {
        error = py.check_signals().and_then(|()| show(py, control.done())).err();
    }
    (answer, error)
}

/// Checks `threads=`: `None` is one for each core.
pub fn threads(threads: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(value) = threads else {
        return Ok(parallel::threads_or_all(None));
    };
    match whole(value)? {
        n @ 1..=1024 => Ok(n as usize),
        _ => Err(Kind::InvalidArgument.error(value.py(), format!("threads is 1 to 1024 or None, not {value}"))),
    }
}

/// Checks `seed=`.
pub fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    unsigned(value, "seed", u64::MAX)
}

/// Checks a whole number from 0 to `most`.
pub fn unsigned(value: &Bound<'_, PyAny>, name: &str, most: u64) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if number <= most => Ok(number),
        Err(error) if !error.is_instance_of::<pyo3::exceptions::PyOverflowError>(value.py()) => {
            // Negative numbers overflow; anything else is no number at all.
            if error.is_instance_of::<PyValueError>(value.py()) {
                Err(out_of_range(value, name, most))
            } else {
                Err(error)
            }
        }
        _ => Err(out_of_range(value, name, most)),
    }
}

fn out_of_range(value: &Bound<'_, PyAny>, name: &str, most: u64) -> PyErr {
    Kind::InvalidArgument.error(value.py(), format!("{name} is 0 to {most}, not {value}"))
}
