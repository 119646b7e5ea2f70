//! Masks, flows and starts in the memory of a device.

use crate::error::Result;
use crate::steps::buffers::{copied, copied_field, stacked};
use veloxel_core::{CoreError, Flow, Grid, Mask, Volume};
use veloxel_gpu::{Buffer, ComputeError, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{InPlace, Multiply, Operation};
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_kernels::variational::flow_length::FlowLength;

/// A mask in the memory of a device, 1 inside and 0 outside; or a weight image, whose values lie in between.
#[derive(Debug)]
pub struct ResidentMask {
    /// Where it lies.
    pub grid: Grid,
    /// A weight for every voxel.
    pub weight: Buffer,
}

impl ResidentMask {
    /// Copies a mask to the device.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub fn upload(device: &Device, mask: &Mask) -> Result<Self> {
        let weight = mask.data().iter().map(|&inside| f32::from(u8::from(inside))).collect();
        Ok(Self { grid: mask.grid().clone(), weight: device.upload(weight)? })
    }

    /// Copies a weight image to the device.
    ///
    /// # Errors
    /// [`MotionError::Input`](crate::MotionError::Input) for a weight outside of [0, 1];
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub fn upload_weight(device: &Device, image: &Volume<f32>) -> Result<Self> {
        require_weights(image)?;
        Ok(Self { grid: image.grid().clone(), weight: device.upload_copy(image.data())? })
    }
}

/// A pair's masks and its weight image in the memory of a device, all on the fixed grid.
#[derive(Debug, Default)]
pub struct ResidentRegion {
    /// Where data count; none: everywhere.
    pub mask: Option<ResidentMask>,
    /// Where volume is preserved; none: wherever data count.
    pub volume_mask: Option<ResidentMask>,
    /// How much data count, from 0 to 1; none: all alike.
    pub weight: Option<ResidentMask>,
}

impl ResidentRegion {
    /// Copies the masks of data and of volume, and the weight image to the device.
    ///
    /// # Errors
    /// As [`ResidentMask::upload_weight`].
    pub fn upload(device: &Device, masks: [Option<&Mask>; 2], weight: Option<&Volume<f32>>) -> Result<Self> {
        let [mask, volume_mask] =
            masks.map(|mask| mask.map(|mask| ResidentMask::upload(device, mask)).transpose());
        let weight = weight.map(|weight| ResidentMask::upload_weight(device, weight)).transpose();
        Ok(Self { mask: mask?, volume_mask: volume_mask?, weight: weight? })
    }

    /// Where data count.
    pub(crate) fn lend(&self) -> DataRegion<'_> {
        let Self { mask, volume_mask, weight } = self;
        DataRegion { mask: mask.as_ref(), volume_mask: volume_mask.as_ref(), weight: weight.as_ref() }
    }
}

/// Checks that every sample of a weight image lies in [0, 1].
///
/// # Errors
/// [`CoreError::NotAWeight`] with the first one that does not.
pub fn require_weights(image: &Volume<f32>) -> Result<(), CoreError> {
    let wrong = image.data().iter().enumerate().find(|(_, w)| !(0.0..=1.0).contains(*w));
    wrong.map_or(Ok(()), |(index, &value)| {
        Err(CoreError::NotAWeight { value, position: image.grid().position(index) })
    })
}

/// A flow in the memory of a device.
#[derive(Debug)]
pub struct ResidentFlow {
    /// The fixed grid.
    pub grid: Grid,
    /// Planar components in voxels; NaN where unknown.
    pub components_vox: Field,
}

impl ResidentFlow {
    /// Copies a flow to the device.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub fn upload(device: &Device, flow: &Flow) -> Result<Self> {
        let upload = |component: &[f32]| device.upload_copy(component);
        let components_vox = flow.components_vox().map(upload).collect::<Result<_, _>>()?;
        Ok(Self { grid: flow.grid().clone(), components_vox })
    }

    /// A copy on the host.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn download(self, device: &Device) -> Result<Flow> {
        let mut planar_vox = device.download_planar_after(vec![self.components_vox], None)?;
        Ok(Flow::from_planar_vox(self.grid, planar_vox.pop().unwrap_or_default())?)
    }

    /// All components in one buffer of the device, voxels, one after the other: as other libraries take a field.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub fn into_planar_vox(self, device: &Device) -> Result<Buffer> {
        Ok(stacked(device, &self.components_vox)?)
    }

    /// The mean length of its vectors within a mask, voxels; none where nothing is known.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub(crate) fn mean_length_vox(
        &self,
        device: &Device,
        mask: Option<&ResidentMask>,
    ) -> Result<Option<f64>> {
        let length = FlowLength { flow: &self.components_vox, weight: mask.map(|mask| &mask.weight) };
        let (sum, count) = length.run(device)?.get(device)?;
        Ok((count > 0.0).then(|| sum / count))
    }

    /// Copies of the first components; a start may have holes: where nothing is known they are 0.
    pub(crate) fn without_holes(&self, device: &Device, count: usize) -> Result<Field, ComputeError> {
        let mut field = copied_field(device, &self.components_vox[..count])?;
        let operation = Operation::MapAffine { gain: 1.0, offset: 0.0 };
        InPlace { operation, field: &mut field }.run(device)?;
        Ok(field)
    }

    /// A copy in other memory of the same device.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub fn duplicate(&self, device: &Device) -> Result<Self> {
        Ok(Self { grid: self.grid.clone(), components_vox: copied_field(device, &self.components_vox)? })
    }
}

/// What is known before the first step, as methods take it.
#[derive(Debug, Clone, Copy, Default)]
pub enum ResidentStart<'a> {
    /// Nothing.
    #[default]
    Zero,
    /// An affine map of the fixed grid onto itself, voxel positions; smoothness is asked of what comes on top.
    Affine(VoxelAffine),
    /// A field, refined from the level that resolves it on.
    Flow(&'a ResidentFlow),
    /// A field that is right within a voxel or two nearly everywhere.
    Matches(&'a ResidentFlow),
}

impl<'a> ResidentStart<'a> {
    /// The field, if it is one.
    pub fn flow(&self) -> Option<&'a ResidentFlow> {
        match self {
            Self::Flow(flow) | Self::Matches(flow) => Some(flow),
            _ => None,
        }
    }

    /// The affine map, if it is one.
    pub(crate) fn linear(&self) -> Option<VoxelAffine> {
        match self {
            Self::Affine(map) => Some(*map),
            _ => None,
        }
    }

    /// The affine map, or the identity.
    pub fn affine(&self) -> VoxelAffine {
        self.linear().unwrap_or(VoxelAffine::IDENTITY)
    }
}

/// Where a pair's data count, on its fixed grid.
#[derive(Debug, Clone, Copy, Default)]
pub struct DataRegion<'a> {
    /// Where data count; none: everywhere.
    pub mask: Option<&'a ResidentMask>,
    /// Where volume is preserved; none: wherever data count.
    pub volume_mask: Option<&'a ResidentMask>,
    /// How much data count, from 0 to 1; none: all alike. Methods without weights in their energy do not look at it.
    pub weight: Option<&'a ResidentMask>,
}

impl<'a> DataRegion<'a> {
    /// How much data count, for methods with weights in their energy: the weight image within the mask; none: all alike.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub(crate) fn counting(&self, device: &Device) -> Result<Option<Buffer>> {
        let Some(first) = self.weight.or(self.mask) else { return Ok(None) };
        let mut weight = copied(device, &first.weight)?;
        if let (Some(_), Some(mask)) = (self.weight, self.mask) {
            Multiply { factor: &mask.weight, out: &mut weight }.run(device)?;
        }
        Ok(Some(weight))
    }
    /// Where a field is measured: where volume is preserved, else where data count.
    pub fn measured(&self) -> Option<&'a ResidentMask> {
        self.volume_mask.or(self.mask)
    }
}
