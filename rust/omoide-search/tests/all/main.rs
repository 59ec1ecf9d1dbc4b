//! Is a whole index right, whatever happens to it and whatever is asked?
//!
//! One program: linking is the dear part of building it. `cargo test --release -p omoide-search --test all stress` runs a
//! file alone.

mod churn;
mod common;
mod crashes;
mod damage;
mod histories;
mod oracle;
mod spelling;
mod stress;
mod writings;
