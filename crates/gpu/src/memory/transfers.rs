//! Allocation of buffers on a device, uploads from the host, and readback to the host.

use crate::device::{Device, DeviceKind};
use crate::error::ComputeError;
use crate::gpu::{HostSide, MemoryStretch};
use crate::memory::buffer::{AnyBuffer, Buffer, Field, Memory};
use crate::memory::element::{Element, Word, elements_of, try_words_of, words_of};
use crate::memory::host_memory::{HostMemory, MemoryContent};
use crate::memory::planar_memory::PlanarPart;
use crate::memory::result_memory::ResultRoom;
use crate::processor::Cpu;
use crate::rows::Shared;
use crate::timestamp::Timestamp;
use std::ops::Range;
use std::sync::Arc;

impl Device {
    /// Allocates a buffer of `len` samples, filled with zeros.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`] with the bytes asked for.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>, ComputeError> {
        self.allocate(len, MemoryContent::Zeros)
    }
    /// Allocates a buffer of `len` samples of undefined content; a kernel writes them before they are read.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn scratch<T: Element>(&self, len: usize) -> Result<Buffer<T>, ComputeError> {
        self.allocate(len, MemoryContent::Any)
    }
    fn allocate<T: Element>(&self, len: usize, content: MemoryContent) -> Result<Buffer<T>, ComputeError> {
        let words = words_of::<T>(len);
        let memory = match self.kind() {
            DeviceKind::Cpu(cpu) => Memory::Host(HostMemory::take(&cpu.memory, words, content)?),
            DeviceKind::Gpu(gpu) => Memory::Gpu(gpu.allocate(words, content)?),
        };
        Ok(Buffer::new(memory, len))
    }
    /// Allocates as [`Self::scratch_field`] does, for components that will be [downloaded](Self::download_planar_after): the
    /// processor then gives them away without a copy, as they lie one after the other.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    ///
    /// # Safety
    /// A kernel writes every sample before anything reads one: the processor's memory holds nothing defined until then.
    pub unsafe fn scratch_to_download(&self, count: usize, len: usize) -> Result<Field, ComputeError> {
        let DeviceKind::Cpu(cpu) = self.kind() else { return self.scratch_field(count, len) };
        let ResultRoom { mut words, is_new } = self.results().room(count.saturating_mul(len))?;
        if is_new {
            cpu.memory.count_given_away(words.capacity() * size_of::<Word>());
        }
        #[allow(
            clippy::uninit_vec,
            reason = "the caller promises to write the words before anything reads them"
        )]
        // SAFETY: there is room for as many, and the caller writes them.
        unsafe {
            words.set_len(count * len);
        }
        let parts = PlanarPart::divide(words, count, len).into_iter();
        Ok(parts.map(|part| Buffer::new(Memory::Part(part), len)).collect())
    }
    /// Makes a buffer hold `len` samples of undefined content: in its own memory if that has room, else in new memory. Where
    /// several GPUs work as one, memory of that length alone has room: the beginning of longer memory lies on the first GPU.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn fit<T: Element>(&self, buffer: &mut Buffer<T>, len: usize) -> Result<(), ComputeError> {
        let has_room = self.gpus() == 1 || buffer.len() == len;
        if !has_room || buffer.resize(len).is_err() {
            *buffer = self.scratch(len)?;
        }
        Ok(())
    }
    /// Allocates as [`Self::scratch`] does, for `count` components of `len` samples each.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn scratch_field(&self, count: usize, len: usize) -> Result<Field, ComputeError> {
        (0..count).map(|_| self.scratch(len)).collect()
    }
    /// Allocates as [`Self::zeros`] does, for `count` components of `len` samples each.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn zeros_field(&self, count: usize, len: usize) -> Result<Field, ComputeError> {
        (0..count).map(|_| self.zeros(len)).collect()
    }
    /// Moves samples from the host into a buffer. The processor takes over the vector if its samples have four bytes;
    /// all other cases copy.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn upload<T: Element>(&self, samples: Vec<T>) -> Result<Buffer<T>, ComputeError> {
        let len = samples.len();
        match self.kind() {
            DeviceKind::Cpu(_) => match try_words_of(samples) {
                Ok(words) => Ok(Buffer::new(Memory::Host(HostMemory::from_words(words)), len)),
                Err(samples) => self.upload_copy(&samples),
            },
            DeviceKind::Gpu(_) => self.upload_copy(&samples),
        }
    }
    /// Copies samples from the host into a new buffer.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn upload_copy<T: Element>(&self, samples: &[T]) -> Result<Buffer<T>, ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(cpu) => {
                let mut buffer = self.scratch(samples.len())?;
                let to = Shared::new(buffer.host_mut());
                let copy = |range: Range<usize>| {
                    // SAFETY: the ranges of a fold do not overlap.
                    unsafe { to.get_mut(range.clone()) }.copy_from_slice(&samples[range]);
                };
                cpu.fold(samples.len(), words_of::<T>(samples.len()), &copy, &|(), ()| ());
                Ok(buffer)
            }
            DeviceKind::Gpu(gpu) => {
                let memory = gpu.upload(bytemuck::cast_slice(samples))?;
                self.counted_traffic().count_to_device(size_of_val(samples));
                Ok(Buffer::new(Memory::Gpu(memory), samples.len()))
            }
        }
    }
    /// A buffer of samples that others hold too and that are only read; the processor makes no copy.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn share<T: Element>(&self, samples: &Arc<Vec<T>>) -> Result<Buffer<T>, ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(_) => Ok(Buffer::new(Memory::Shared(samples.clone()), samples.len())),
            DeviceKind::Gpu(_) => self.upload_copy(samples),
        }
    }
    /// Reads a buffer back to the host and frees it.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`] if the device was lost.
    pub fn download<T: Element>(&self, buffer: Buffer<T>) -> Result<Vec<T>, ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(_) => Ok(buffer.into_samples()),
            DeviceKind::Gpu(_) => self.read(&buffer),
        }
    }
    /// Reads several buffers back together as [`Self::download`] does, pipelined: while one is on the bus, another is copied on
    /// the host. Waits only for work submitted before `mark` ([`Self::mark`]), if one is given, not for later work.
    ///
    /// # Errors
    /// As [`Self::download`].
    pub fn download_all_after<T: Element>(
        &self,
        buffers: Vec<Buffer<T>>,
        mark: Option<&Timestamp>,
    ) -> Result<Vec<Vec<T>>, ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(_) => Ok(buffers.into_iter().map(Buffer::into_samples).collect()),
            DeviceKind::Gpu(_) => self.read_all_after(&buffers.iter().collect::<Vec<_>>(), mark),
        }
    }
    /// [`Self::download_all_after`] for fields: each comes as one vector, its components one after the other.
    ///
    /// # Errors
    /// As [`Self::download`].
    pub fn download_planar_after(
        &self,
        fields: Vec<Field>,
        mark: Option<&Timestamp>,
    ) -> Result<Vec<Vec<f32>>, ComputeError> {
        match self.kind() {
            DeviceKind::Cpu(cpu) => fields.into_iter().map(|field| self.in_one_vector(cpu, field)).collect(),
            DeviceKind::Gpu(gpu) => {
                let stretches = fields.iter().map(|field| {
                    field
                        .iter()
                        .map(|buffer| Ok(MemoryStretch { memory: buffer.gpu()?, words: 0..buffer.len() }))
                        .collect()
                });
                let words = gpu.download(
                    &stretches.collect::<Result<Vec<_>, ComputeError>>()?,
                    mark,
                    self.host_side(),
                )?;
                let samples = |words: Vec<Word>| {
                    let len = words.len();
                    self.counted_traffic().count_to_host(len * size_of::<Word>());
                    elements_of(words, 0, len)
                };
                Ok(words.into_iter().map(samples).collect())
            }
        }
    }
    /// Takes back the memory of a result whose samples are not needed any more: a later result of about that size comes in it, and
    /// costs the system no new pages. At most 512 MiB are kept, until [`Self::release_kept`].
    pub fn reuse<T: Element>(&self, result: Vec<T>) {
        if let Ok(words) = try_words_of(result) {
            self.results().keep(words);
        }
    }
    fn host_side(&self) -> HostSide<'_> {
        HostSide { control: self.control(), results: self.results() }
    }
    /// The samples of a field on the processor, its components one after the other: as they are where they lie so, else copied by
    /// all threads, which find the pages of new memory as they go.
    fn in_one_vector(&self, cpu: &Cpu, field: Field) -> Result<Vec<f32>, ComputeError> {
        let field = match whole_of(field) {
            Ok(samples) => return Ok(samples),
            Err(field) => field,
        };
        let mut all = self.results().room(field.iter().map(Buffer::len).sum())?.words;
        for component in field {
            let (from, begin): (&[Word], _) = (bytemuck::cast_slice(component.host()), all.len());
            let to = Shared::new(&mut all.spare_capacity_mut()[..from.len()]);
            cpu.split(from.len(), from.len(), |range| {
                // SAFETY: the ranges of a split do not overlap.
                let to = unsafe { to.get_mut(range.clone()) };
                for (to, word) in to.iter_mut().zip(&from[range]) {
                    to.write(*word);
                }
            });
            // A run that is stopped leaves ranges out.
            cpu.check()?;
            // SAFETY: each word up to there was written.
            unsafe { all.set_len(begin + from.len()) };
        }
        let samples = all.len();
        Ok(elements_of(all, 0, samples))
    }
    /// Reads a buffer back to the host; the buffer is kept.
    ///
    /// # Errors
    /// As [`Self::download`].
    pub fn read<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, ComputeError> {
        Ok(self.read_all_after(&[buffer], None)?.pop().unwrap_or_default())
    }
    /// Reads parts of buffers back to the host, all in one transfer; a range counts samples.
    ///
    /// # Errors
    /// As [`Self::download`].
    ///
    /// # Panics
    /// If a range is not inside its buffer.
    pub fn read_parts<T: Element>(
        &self,
        parts: &[(&Buffer<T>, Range<usize>)],
    ) -> Result<Vec<Vec<T>>, ComputeError> {
        self.read_parts_after(parts, None)
    }
    /// Reads several buffers back to the host, and waits only for work submitted before `mark`, if one is given.
    pub(crate) fn read_all_after<T: Element>(
        &self,
        buffers: &[&Buffer<T>],
        mark: Option<&Timestamp>,
    ) -> Result<Vec<Vec<T>>, ComputeError> {
        let whole: Vec<_> = buffers.iter().map(|&buffer| (buffer, 0..buffer.len())).collect();
        self.read_parts_after(&whole, mark)
    }
    fn read_parts_after<T: Element>(
        &self,
        parts: &[(&Buffer<T>, Range<usize>)],
        mark: Option<&Timestamp>,
    ) -> Result<Vec<Vec<T>>, ComputeError> {
        let is_inside = |(buffer, range): &(&Buffer<T>, Range<usize>)| range.end <= buffer.len();
        assert!(parts.iter().all(is_inside), "a part should lie in its buffer");
        match self.kind() {
            DeviceKind::Cpu(_) => {
                Ok(parts.iter().map(|(b, range)| b.host()[range.clone()].to_vec()).collect())
            }
            _ if parts.is_empty() => Ok(Vec::new()),
            DeviceKind::Gpu(gpu) => {
                // Transfers move whole words; samples of the first word before the range are dropped here.
                let per_word = size_of::<Word>() / size_of::<T>();
                let wanted = parts.iter().map(|(buffer, range)| {
                    let words = range.start / per_word..words_of::<T>(range.end);
                    Ok(vec![MemoryStretch { memory: buffer.gpu()?, words }])
                });
                let wanted = wanted.collect::<Result<Vec<_>, ComputeError>>()?;
                let words = gpu.download(&wanted, mark, self.host_side())?;
                let part = |(words, (_, range)): (Vec<Word>, &(&Buffer<T>, Range<usize>))| {
                    self.counted_traffic().count_to_host(size_of_val(words.as_slice()));
                    elements_of(words, range.start % per_word, range.len())
                };
                Ok(words.into_iter().zip(parts).map(part).collect())
            }
        }
    }
}
/// The samples of a field whose components lie one after the other in memory that can leave as it is; another field comes back.
fn whole_of(mut field: Field) -> Result<Vec<f32>, Field> {
    if field.len() == 1 {
        return Ok(field.remove(0).into_samples());
    }
    let len = field.first().map_or(0, Buffer::len);
    if !field.iter().all(Buffer::is_whole_part) {
        return Err(field);
    }
    let parts: Vec<PlanarPart> = field.into_iter().filter_map(Buffer::into_part).collect();
    match PlanarPart::join(parts) {
        Ok(words) => {
            let samples = words.len();
            Ok(elements_of(words, 0, samples))
        }
        Err(parts) => Err(parts.into_iter().map(|part| Buffer::new(Memory::Part(part), len)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planar(device: &Device, field: Field) -> Vec<f32> {
        device.download_planar_after(vec![field], None).unwrap().remove(0)
    }

    #[test]
    fn a_field_to_download_leaves_a_processor_in_its_own_memory() {
        let device = Device::cpu(2).unwrap();
        let filled = || {
            // SAFETY: every sample is written below.
            let mut field = unsafe { device.scratch_to_download(3, 5).unwrap() };
            field
                .iter_mut()
                .zip([1.0, 2.0, 3.0])
                .for_each(|(component, value)| component.host_mut().fill(value));
            field
        };
        let field = filled();
        let address = field[0].host().as_ptr();
        let samples = planar(&device, field);
        assert_eq!((samples.as_ptr(), samples.len(), samples[4..6].to_vec()), (address, 15, vec![1.0, 2.0]));

        let mut shortened = filled();
        shortened.iter_mut().for_each(|component| component.resize(2).unwrap());
        assert_eq!(planar(&device, shortened), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
        let mut turned = filled();
        turned.rotate_left(1);
        assert_eq!(planar(&device, turned)[4..6], [2.0, 3.0]);
        assert_eq!(filled().remove(1).into_samples(), [2.0; 5], "one of them leaves as a copy");
    }

    #[test]
    fn fields_are_copied_by_all_threads_into_memory_that_came_back() {
        let device = Device::cpu(2).unwrap();
        let ramp = |from: usize| (from..from + 40_000).map(|i| i as f32).collect::<Vec<_>>();
        let field = || vec![device.upload(ramp(0)).unwrap(), device.upload(ramp(40_000)).unwrap()];
        let first = planar(&device, field());
        assert!(first.iter().enumerate().all(|(i, v)| *v == i as f32));
        let address = first.as_ptr();
        device.reuse(first);
        let second = planar(&device, field());
        assert_eq!(second.as_ptr(), address);
        assert!(second.iter().enumerate().all(|(i, v)| *v == i as f32));
    }
}
