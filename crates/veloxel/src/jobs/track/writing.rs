//! The files of one method's run.

use crate::Result;
use crate::jobs::FieldFormat;
use crate::jobs::outputs::film::Film;
use crate::pipelines::heart::TrackedRun;
use veloxel_core::Warnings;
use veloxel_io::{self as io, CinePlace, Target};
use veloxel_report::{OutlineFilm, TrackView};

/// What the files of a run are called, and what they say beside it.
pub(super) struct RunFiles<'a> {
    pub folder: &'a Target,
    /// How their names begin.
    pub prefix: &'a str,
    pub place: &'a CinePlace,
    /// The format of the fields, where one is asked for.
    pub field_format: Option<&'a FieldFormat>,
    /// The frame that motion is told from.
    pub reference: usize,
}

impl RunFiles<'_> {
    fn target(&self, name: &str) -> Target {
        self.folder.join(format!("{}{name}", self.prefix))
    }

    /// Writes outlines, labels, fields and tables of a run.
    pub fn write(&self, run: &TrackedRun) -> Result<()> {
        for name in ["contours.json", "contours.csv"] {
            io::write_contours(self.target(name), &run.contours, self.place)?;
        }
        io::write_sequence(self.target("labels.nii.gz"), &run.labels)?;
        for (frame, field) in run.fields.iter().enumerate().filter(|(frame, _)| *frame != self.reference) {
            let extension = FieldFormat::extension(self.field_format, field.grid());
            io::write_flow(
                self.target(&format!("field_{:03}_{frame:03}.{extension}", self.reference)),
                field,
            )?;
        }
        io::write_text(self.target("function.csv"), &run.function.to_csv())?;
        if let Some(strain) = &run.strain {
            io::write_text(self.target("strain.csv"), &strain.to_csv())?;
        }
        if let Some(distances) = &run.distances {
            io::write_text(self.target("distances.csv"), &distances.to_csv())?;
        }
        if let Some(errors) = &run.expected_errors {
            io::write_text(self.target("expected_errors.csv"), &errors.to_csv())?;
        }
        Ok(())
    }

    /// Writes the outlines over the moving images as one beat.
    pub fn write_film(&self, view: TrackView<'_>, slices: &[usize]) -> Result<()> {
        let pictures = OutlineFilm::new(view, slices);
        let mut film = Film::new(self.target("loop.gif"), self.place.frame_interval_ms);
        for frame in 0..self.place.frames {
            film.push(frame as u64, &pictures.picture(frame))?;
        }
        film.finish(&mut Warnings::new())
    }
}
