//! A session of every kind of part in the three formats, and one that attacks its reader.

mod fixture;
mod formats;
mod hostile;
