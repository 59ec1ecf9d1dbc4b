//! Is a whole index right, whatever happens to it and whatever is asked?
//!
//! All files are one program, since linking is the expensive part of the build. `cargo test --release -p omoide-search --test
//! all stress` runs one file alone.

mod churn;
mod common;
mod crashes;
mod damage;
mod histories;
mod long_questions;
mod oracle;
mod spelling;
mod stress;
mod windows;
mod writings;
