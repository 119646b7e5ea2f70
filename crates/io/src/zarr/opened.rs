//! An image, a sequence or a field of a store, of which any frame is read without the others.

use crate::address::StoreAddress;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Scaling, Stored};
use crate::read::geometry::WorldAxes;
use crate::read::layout::{Arrangement, AxisOrder, Layout, Meaning, VectorKind};
use crate::read::stored::{StorePlace, StoredSamples};
use crate::zarr::image::axes::AxisKind;
use crate::zarr::image::place::Place;
use crate::zarr::image::{self, Level, chosen_channel};
use crate::zarr::region::{self, Destination, Region, Sample, Tally};
use crate::zarr::store::{Store, plain};
use std::path::{Path, PathBuf};
use veloxel_core::matrix3::{IDENTITY, apply};
use veloxel_core::{GridBox, WarningKind};

/// What is read of a store.
pub(crate) struct Opened<'a> {
    store: Store<'a>,
    level: Level,
    place: Place,
    layout: Layout,
    /// The index of axes that are neither space, time nor components.
    fixed: Vec<usize>,
    time: Option<usize>,
    /// The axis of components, and the component of each of the world's axes.
    components: Option<Components>,
}

struct Components {
    axis: usize,
    of_world: Vec<usize>,
}

/// Opens a store, at the image that the path leads to within it.
///
/// # Errors
/// [`IoError::Open`](crate::IoError::Open), and what metadata cause that cannot be followed.
pub(crate) fn open<'a>(place: StorePlace<'a>, context: &mut Context) -> Result<Box<dyn StoredSamples + 'a>> {
    let around = match &place {
        StorePlace::Path(path) => store_around(path),
        StorePlace::Memory(_) => None,
    };
    let (root, node) = match around {
        Some((root, below)) => (StorePlace::Path(root), below),
        None => (place, String::new()),
    };
    let node = plain(&node, "the path in the store", context)?;
    let store = Store::open(root, context)?;
    let level = image::find(&store, &node, context)?;
    Ok(Box::new(Opened::of(store, level, context)?))
}

/// The store that a path leads into, and the key of what it names there; none for a path that is a store itself.
pub(crate) fn store_around(path: &Path) -> Option<(PathBuf, String)> {
    if let Some(StoreAddress { root, below }) = StoreAddress::of(path) {
        return (!below.is_empty()).then(|| (root.into(), below));
    }
    let root = path.ancestors().skip(1).filter(|folder| is_store_name(folder)).last()?;
    let below = path.strip_prefix(root).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    root.is_dir().then(|| (root.to_owned(), below))
}

/// Whether a name is that of a folder of a store.
pub(crate) fn is_store_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("zarr"))
        && path.file_stem().is_some_and(|stem| !stem.is_empty())
}

impl<'a> Opened<'a> {
    fn of(store: Store<'a>, level: Level, context: &mut Context) -> Result<Self> {
        let place = level.place(context)?;
        let mut fixed = vec![0; level.axes.len()];
        let time = level.axis_of(AxisKind::Time, context)?;
        if let Some(channel) = level.axis_of(AxisKind::Channel, context)? {
            fixed[channel] = chosen_channel(level.array.shape[channel], &level.channels, context)?;
        }
        for (axis, found) in level.axes.iter().enumerate() {
            let is_other = found.kind == AxisKind::Other && level.array.shape[axis] > 1;
            let what = format!("an axis {} of {}", found.name, level.array.shape[axis]);
            context.support(
                !is_other,
                what,
                "axes are space, time, channels and components of displacements",
            )?;
        }
        let components = components(&level, &place, context)?;
        let frames = time.map_or(1, |axis| level.array.shape[axis]);
        let meaning = match &components {
            None => Meaning::Scalar,
            Some(found) => Meaning::Vector {
                axes: WorldAxes::Lps,
                kind: VectorKind::Displacement,
                components: found.of_world.len(),
            },
        };
        let element = level.array.sample.element();
        let layout = Layout {
            grid: place.axes.clone().into_grid(context)?,
            meaning,
            arrangement: Arrangement::Planar,
            axis_order: AxisOrder::XFastest,
            frames,
            frame_interval_ms: if frames > 1 { place.frame_interval_ms } else { None },
            stored: Stored { element, order: ByteOrder::Little, scaling: Scaling::NONE },
        };
        Ok(Self { store, level, place, layout, fixed, time, components })
    }

    /// All of the grid.
    fn whole(&self) -> GridBox {
        GridBox { begin: [0; 3], size: self.layout.grid.size() }
    }

    /// The array's axes that are the grid's: what is one voxel thick lies last in a grid.
    fn space_of_grid(&self) -> [Option<usize>; 3] {
        let [x, y, z] = self.place.space;
        match self.place.axes.size {
            [_, _, 1] => [x, y, z],
            [_, 1, _] => [x, z, y],
            [1, _, _] => [y, z, x],
            _ => [x, y, z],
        }
    }

    /// Reads the samples of a box of a frame, or of a component of it, into a part of the result.
    fn read<T: Sample>(
        &self,
        frame: usize,
        component: Option<usize>,
        part: GridBox,
        samples: &mut [T],
        tally: &mut Tally,
        context: &Context,
    ) -> Result<()> {
        let mut region = Region { start: self.fixed.clone(), size: vec![1; self.fixed.len()] };
        let (mut strides, mut step) = (vec![0; self.fixed.len()], 1);
        for (a, axis) in self.space_of_grid().into_iter().enumerate() {
            let Some(axis) = axis else { continue };
            (region.start[axis], region.size[axis], strides[axis]) = (part.begin[a], part.size[a], step);
            step *= region.size[axis];
        }
        if let Some(time) = self.time {
            region.start[time] = frame;
        }
        if let (Some(found), Some(component)) = (&self.components, component) {
            region.start[found.axis] = found.of_world[component];
        }
        let into = Destination { samples, strides: &strides };
        region::read(&self.level.array, &self.store, &region, into, tally, context)
    }

    /// Says what was found on the way.
    fn tell(&self, tally: &Tally, context: &mut Context) {
        if tally.missing > 0 {
            let value = self.level.array.fill.float;
            let Tally { chunks, missing, .. } = tally;
            let text = format!(
                "{missing} of {chunks} chunks are not there: their samples are the fill value, {value}"
            );
            context.note(WarningKind::Samples, text);
        }
        if tally.is_rounded {
            let name = self.level.array.sample.name();
            context.note(WarningKind::Samples, format!("{name} samples were rounded to 32-bit floats"));
        }
    }

    /// From components along the image's own coordinates to those of the world.
    fn turn(&self, planar: &mut [f32], context: &Context) -> Result<()> {
        let world = &self.place.world_from_intrinsic;
        let count = self.layout.components();
        if *world == IDENTITY {
            return Ok(());
        }
        let length = planar.len() / count;
        for voxel in 0..length {
            if voxel.is_multiple_of(1 << 16) {
                context.check()?;
            }
            let own = [0, 1, 2].map(|a| if a < count { f64::from(planar[a * length + voxel]) } else { 0.0 });
            let turned = apply(world, own);
            (0..count).for_each(|a| planar[a * length + voxel] = turned[a] as f32);
        }
        Ok(())
    }
}

/// The axis of components, which are as many as the axes of space and in their order.
fn components(level: &Level, place: &Place, context: &Context) -> Result<Option<Components>> {
    let Some(axis) = level.axis_of(AxisKind::Displacement, context)? else { return Ok(None) };
    let mut space: Vec<usize> = place.space.into_iter().flatten().collect();
    let of_world: Vec<usize> = {
        let order = space.clone();
        space.sort_unstable();
        order.iter().filter_map(|axis| space.iter().position(|other| other == axis)).collect()
    };
    let got = level.array.shape[axis];
    let expected = format!("{}, one an axis of space", space.len());
    context.require(got == space.len(), "the components of the field", expected, got)?;
    let is_plane = place.space[..2].iter().all(Option::is_some);
    context.support(is_plane, "a field without an axis x or y", "give the field its axes x and y")?;
    Ok(Some(Components { axis, of_world }))
}

impl StoredSamples for Opened<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn samples(&self, frames: &[usize], context: &mut Context) -> Result<Vec<f32>> {
        let length = self.layout.grid.len();
        let parts = frames.len().max(1).saturating_mul(self.layout.components());
        let count = length.checked_mul(parts);
        let count = count.ok_or_else(|| context.malformed("size", "a product below 2^64", "more"))?;
        let mut samples = context.room_for(count)?;
        samples.resize(count, 0.0);
        let (mut tally, whole) = (Tally::default(), self.whole());
        for (nth, part) in samples.chunks_exact_mut(length).enumerate() {
            let components = self.layout.components();
            let frame = frames.get(nth / components).copied().unwrap_or_default();
            self.read(frame, Some(nth % components), whole, part, &mut tally, context)?;
        }
        if self.components.is_some() {
            self.turn(&mut samples, context)?;
        }
        self.tell(&tally, context);
        Ok(samples)
    }

    fn part(&self, frame: usize, part: GridBox, context: &mut Context) -> Result<Vec<f32>> {
        let count = part.size.iter().product();
        let mut samples = context.room_for(count)?;
        samples.resize(count, 0.0);
        let mut tally = Tally::default();
        self.read(frame, None, part, &mut samples, &mut tally, context)?;
        self.tell(&tally, context);
        Ok(samples)
    }

    fn vectors(&self, part: GridBox, context: &mut Context) -> Result<Vec<f32>> {
        let (length, components) = (part.len(), self.layout.components());
        let mut samples = context.room_for(length * components)?;
        samples.resize(length * components, 0.0);
        let mut tally = Tally::default();
        for (component, samples) in samples.chunks_exact_mut(length).enumerate() {
            self.read(0, Some(component), part, samples, &mut tally, context)?;
        }
        self.turn(&mut samples, context)?;
        self.tell(&tally, context);
        Ok(samples)
    }

    fn labels(&self, context: &mut Context) -> Result<Option<Vec<i32>>> {
        if !self.level.array.sample.is_whole() || self.components.is_some() || self.layout.frames > 1 {
            return Ok(None);
        }
        let mut labels = context.room_for(self.layout.grid.len())?;
        labels.resize(self.layout.grid.len(), 0);
        let mut tally = Tally::default();
        self.read(0, None, self.whole(), &mut labels, &mut tally, context)?;
        if let Some(beyond) = tally.beyond {
            return Err(context.malformed("a label", "a whole number within ±2^31", beyond));
        }
        self.tell(&tally, context);
        Ok(Some(labels))
    }
}
