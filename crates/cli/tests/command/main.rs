//! The binary as a user meets it: exit codes, one-line messages, files whole or absent.

mod bad_input;
mod batch;
mod compare;
mod contours;
mod dicom_cine;
mod distances;
mod end_to_end;
mod help;
mod hostile;
mod images;
mod inputs;
mod maps;
mod papers;
mod parameters;
mod phase;
mod segment;
mod sequences;
mod stereo;
mod streams;
mod summaries;
mod tiles;
mod track;
mod track_points;
mod weights;
mod workplace;
