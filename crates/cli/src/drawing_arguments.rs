//! How a field is drawn in a picture.

use clap::Args;
use veloxel::report::{FieldDrawing, PictureGround, PictureKey, PlaneChoice};

/// Options of `--picture`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Outputs")]
pub struct DrawingArguments {
    /// The plane of --picture: axial, coronal, sagittal (each where most of the image moves), or an axis with a voxel, z=120;
    /// without it axial
    #[arg(long, value_name = "PLANE", requires = "picture")]
    plane: Option<PlaneChoice>,

    /// The length with full colour in --picture, in mm (of pictures without spacing in pixels); without it a round number that
    /// 99 % of the vectors do not exceed
    #[arg(long, value_name = "LENGTH", requires = "picture", value_parser = length)]
    scale: Option<f64>,

    /// Draw --picture over FIXED in grey
    #[arg(long, requires = "picture")]
    overlay: bool,

    /// Add a strip with the plane, the wheel of directions and its scale below --picture
    #[arg(long, requires = "picture")]
    wheel: bool,
}

/// Reads a length above 0.
pub fn length(text: &str) -> Result<f64, String> {
    let length = text.parse().ok().filter(|length: &f64| length.is_finite() && *length > 0.0);
    length.ok_or_else(|| "expected a number above 0".to_owned())
}

impl DrawingArguments {
    pub fn drawing(self) -> FieldDrawing {
        FieldDrawing {
            plane: self.plane.unwrap_or_default(),
            scale: self.scale,
            ground: if self.overlay { PictureGround::Image } else { PictureGround::White },
            key: if self.wheel { PictureKey::Wheel } else { PictureKey::LeftOut },
        }
    }
}
