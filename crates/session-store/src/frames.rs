//! Contents of turns as they are stored: packed, compressed in frames, checked.

pub(crate) mod codec;
pub(crate) mod contents;
pub(crate) mod damaged_contents;
pub(crate) mod frame;
pub(crate) mod frame_buffer;
pub(crate) mod last_frames;
pub(crate) mod packed_content;
pub(crate) mod packed_turns;
