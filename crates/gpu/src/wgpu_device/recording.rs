//! Launches that are not submitted yet; they are submitted many at a time, in one compute pass.

use super::pool::create;
use crate::launches::part_text::PART_BYTES;
use std::ops::Range;
use std::sync::Arc;

/// A compiled kernel: its pipeline and bind group layout.
pub(super) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    /// Whether launches say in immediate data which part of the workgroups they do.
    pub takes_part: bool,
}

/// One launch: pipeline, buffers from binding 1 on, and number of workgroups.
pub(super) struct Recorded {
    pub pipeline: Arc<Pipeline>,
    pub buffers: Vec<wgpu::Buffer>,
    pub groups: [u32; 3],
    /// Immediate data: the part of the workgroups.
    pub part: Option<[u8; PART_BYTES as usize]>,
}

enum Step {
    /// A launch, and the bytes of its uniform block in `Recording::uniforms`.
    Launch(Recorded, Range<u64>),
    Clear(wgpu::Buffer),
}

/// The next submission: its steps, and the uniform blocks of its launches.
pub(super) struct Recording {
    steps: Vec<Step>,
    uniforms: Vec<u8>,
    /// Number of submissions since the host last waited for the device.
    submissions: u32,
    /// Steps of a submission at most.
    most_steps: usize,
}

/// Steps of a submission: few while the device is idle, so that it starts early; twice as many with each further
/// submission, up to the maximum.
const FEWEST_STEPS: usize = 2;
pub(super) const MOST_STEPS: usize = 128;
/// The maximum of an adapter in software, which does the work while it is submitted: nothing can stop it there.
pub(super) const MOST_STEPS_IN_SOFTWARE: usize = 4;

impl Recording {
    /// Nothing is recorded; so many steps go into a submission at most.
    pub(crate) fn of_steps(most_steps: usize) -> Self {
        Self { steps: Vec::new(), uniforms: Vec::new(), submissions: 0, most_steps }
    }

    /// Whether enough steps are recorded for a submission.
    pub(crate) fn is_due(&self) -> bool {
        self.steps.len() >= (FEWEST_STEPS << self.submissions.min(8)).min(self.most_steps)
    }

    /// Notes that the device has finished all submitted work.
    pub fn idle(&mut self) {
        self.submissions = 0;
    }

    /// Fills a buffer with zeros.
    pub fn clear(&mut self, buffer: wgpu::Buffer) {
        self.steps.push(Step::Clear(buffer));
    }

    /// Records a launch with its uniform block, which begins at a multiple of `alignment`.
    pub fn launch(&mut self, launch: Recorded, block: &[u8], alignment: usize) {
        let begin = self.uniforms.len() as u64;
        let block_bytes = begin..begin + block.len() as u64;
        self.uniforms.extend_from_slice(block);
        self.uniforms.resize(self.uniforms.len().next_multiple_of(alignment), 0);
        self.steps.push(Step::Launch(launch, block_bytes));
    }

    /// Submits all steps to the queue, in order.
    pub(crate) fn submit(&mut self, device: &wgpu::Device, queue: &wgpu::Queue) {
        if self.steps.is_empty() {
            return;
        }
        let (steps, uniforms) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.uniforms));
        self.submissions = self.submissions.saturating_add(1);
        let uniforms = upload(device, queue, &uniforms);
        let mut encoder = device.create_command_encoder(&Default::default());
        let is_clear = |step: &Step| matches!(step, Step::Clear(_));
        for run in steps.chunk_by(|a, b| !is_clear(a) && !is_clear(b)) {
            if let [Step::Clear(buffer)] = run {
                encoder.clear_buffer(buffer, 0, None);
                continue;
            }
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for step in run {
                if let (Step::Launch(launch, block_bytes), Some(uniforms)) = (step, &uniforms) {
                    encode(&mut pass, device, launch, uniforms, block_bytes);
                }
            }
        }
        queue.submit([encoder.finish()]);
    }
}

/// A new buffer with the uniform blocks; `None` if there are none.
fn upload(device: &wgpu::Device, queue: &wgpu::Queue, uniforms: &[u8]) -> Option<wgpu::Buffer> {
    if uniforms.is_empty() {
        return None;
    }
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let buffer = create(device, Some("uniforms"), uniforms.len() as u64, usage);
    queue.write_buffer(&buffer, 0, uniforms);
    Some(buffer)
}

fn encode(
    pass: &mut wgpu::ComputePass<'_>,
    device: &wgpu::Device,
    launch: &Recorded,
    uniforms: &wgpu::Buffer,
    block_bytes: &Range<u64>,
) {
    let size = block_bytes.end - block_bytes.start;
    let block = wgpu::BufferBinding { buffer: uniforms, offset: 0, size: std::num::NonZeroU64::new(size) };
    let mut entries =
        vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(block) }];
    entries.extend(launch.buffers.iter().enumerate().map(|(i, buffer)| wgpu::BindGroupEntry {
        binding: i as u32 + 1,
        resource: buffer.as_entire_binding(),
    }));
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &launch.pipeline.layout,
        entries: &entries,
    });
    pass.set_pipeline(&launch.pipeline.pipeline);
    pass.set_bind_group(0, &group, &[block_bytes.start as u32]);
    if let Some(part) = &launch.part {
        pass.set_immediates(0, part);
    }
    let [x, y, z] = launch.groups;
    pass.dispatch_workgroups(x, y, z);
}
