//! Macros that declare once what a kernel's launches bind: the WGSL text, the binding numbers, and the structs that a launch
//! fills by name are made from the declaration.

/// Declares a struct of numbers in WGSL's layout: a uniform block, which is called `Block` in WGSL whatever its name in Rust,
/// or a struct of such blocks, which has one name in both.
macro_rules! block {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$about:meta])* $member:ident: $type:ty,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default)]
        $visibility struct $name {
            $($(#[$about])* pub $member: <$type as veloxel_gpu::wgsl::Value>::Given,)+
        }

        impl veloxel_gpu::wgsl::Value for $name {
            const TYPE: veloxel_gpu::wgsl::Type = veloxel_gpu::wgsl::Type::Struct(
                stringify!($name),
                &[$(veloxel_gpu::wgsl::Member {
                    name: stringify!($member),
                    type_: <$type as veloxel_gpu::wgsl::Value>::TYPE,
                }),+],
            );
            type Given = Self;
            fn write(given: &Self, block: &mut veloxel_gpu::wgsl::Block) {
                let alignment = const { <Self as veloxel_gpu::wgsl::Value>::TYPE.alignment() };
                block.align(alignment);
                $(<$type as veloxel_gpu::wgsl::Value>::write(&given.$member, block);)+
                block.align(alignment);
            }
        }
    };
}
pub(crate) use block;

/// Declares buffers by name that several declarations have in common, as [`bindings!`] does.
macro_rules! slots {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident<$a:lifetime> {
            $(
                $(#[$about:meta])*
                $slot:ident $([$($component:ident),+])?: $access:ident $element:ty $(as $sample:ident)?,
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        $visibility struct $name<$a> {
            $(
                $(#[$about])*
                pub $slot: $crate::bindings::slot!(
                    $access { type } $a, $element, ($($sample)?), ($($($component)+)?)
                ),
            )+
        }

        impl<$a> veloxel_gpu::BindingSlots<$a> for $name<$a> {
            const SLOTS: &'static [veloxel_gpu::BindingSlot] = &[$(
                $crate::bindings::slot!($access { declared } $slot, $element, ($($($component)+)?)),
            )+];
            fn bind(&self, buffers: &mut Vec<veloxel_gpu::BoundBuffer<$a>>) {
                $($crate::bindings::slot!($access { bind } self.$slot, buffers, ($($($component)+)?));)+
            }
        }
    };
}
pub(crate) use slots;

/// Declares what launches of a shader bind: the uniform block, or the name of one that is declared elsewhere, then buffers.
///
/// A buffer is `read` or `write` (`may_read` or `may_write` if some launches have none) and consists of elements of a WGSL
/// type; `as` names another type that Rust's buffer holds. `name[x, y]` are components of a field; a component that a launch
/// lacks is bound to no buffer. `group` takes the buffers of another declaration. `-> sums:` gives the elements of the last
/// buffer, which [`PreparedLaunch::sums`](crate::kernel::PreparedLaunch::sums) makes.
macro_rules! bindings {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident<$a:lifetime> {
            $(#[$block_meta:meta])*
            block: $block:ident { $($members:tt)+ },
            $($slots:tt)*
        } $(-> $sums:ident: $sums_element:ty)?
    ) => {
        $crate::bindings::block! {
            $(#[$block_meta])*
            $visibility struct $block { $($members)+ }
        }
        $crate::bindings::bindings! {
            $(#[$meta])*
            $visibility struct $name<$a> {
                block: $block,
                $($slots)*
            } $(-> $sums: $sums_element)?
        }
    };
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident<$a:lifetime> {
            block: $block:ty,
            $(
                $(#[$about:meta])*
                $slot:ident $([$($component:ident),+])?: $access:ident $element:ty $(as $sample:ident)?,
            )*
        } $(-> $sums:ident: $sums_element:ty)?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        $visibility struct $name<$a> {
            /// The uniform block.
            pub block: $block,
            $(
                $(#[$about])*
                pub $slot: $crate::bindings::slot!(
                    $access { type } $a, $element, ($($sample)?), ($($($component)+)?)
                ),
            )*
        }

        impl<$a> veloxel_gpu::BindingSlots<$a> for $name<$a> {
            const SLOTS: &'static [veloxel_gpu::BindingSlot] = &[$(
                $crate::bindings::slot!($access { declared } $slot, $element, ($($($component)+)?)),
            )*];
            fn bind(&self, buffers: &mut Vec<veloxel_gpu::BoundBuffer<$a>>) {
                $($crate::bindings::slot!($access { bind } self.$slot, buffers, ($($($component)+)?));)*
            }
        }

        impl<$a> veloxel_gpu::Bindings<$a> for $name<$a> {
            const DECLARATION: &'static veloxel_gpu::BindingDeclaration = {
                static DECLARATION: veloxel_gpu::BindingDeclaration = veloxel_gpu::BindingDeclaration {
                    block: <$block as veloxel_gpu::wgsl::Value>::TYPE.members(),
                    slots: <$name<'static> as veloxel_gpu::BindingSlots<'static>>::SLOTS,
                    sums: $crate::bindings::sums!($($sums: $sums_element)?),
                };
                &DECLARATION
            };
            type Block = $block;
            fn block(&self) -> &$block {
                &self.block
            }
        }
    };
}
pub(crate) use bindings;

/// The memory of sums at the end of a declaration.
macro_rules! sums {
    () => {
        None
    };
    ($name:ident: $element:ty) => {
        Some(veloxel_gpu::BindingSlot::of::<$element>(&[stringify!($name)], veloxel_gpu::BufferAccess::Write))
    };
}
pub(crate) use sums;

/// The type of a buffer's field, its slot, and how it is bound.
macro_rules! slot {
    (@access read) => { veloxel_gpu::BufferAccess::Read };
    (@access may_read) => { veloxel_gpu::BufferAccess::Read };
    (@access write) => { veloxel_gpu::BufferAccess::Write };
    (@access may_write) => { veloxel_gpu::BufferAccess::Write };
    (@buffer $element:ty, ()) => { veloxel_gpu::Buffer<<$element as veloxel_gpu::wgsl::Stored>::Sample> };
    (@buffer $element:ty, (any)) => { dyn veloxel_gpu::AnyBuffer };
    (@buffer $element:ty, ($sample:ident)) => { veloxel_gpu::Buffer<$sample> };

    (group { type } $a:lifetime, $group:ty, (), ()) => { $group };
    (group { declared } $slot:ident, $group:ty, ()) => {
        veloxel_gpu::BindingSlot::Group(<$group as veloxel_gpu::BindingSlots<'_>>::SLOTS)
    };
    (group { bind } $value:expr, $buffers:ident, ()) => { veloxel_gpu::BindingSlots::bind(&$value, $buffers) };

    ($access:ident { type } $a:lifetime, $element:ty, $sample:tt, ($($component:ident)+)) => {
        &$a [$crate::bindings::slot!(@buffer $element, $sample)]
    };
    (may_read { type } $a:lifetime, $element:ty, $sample:tt, ()) => {
        Option<&$a $crate::bindings::slot!(@buffer $element, $sample)>
    };
    (may_write { type } $a:lifetime, $element:ty, $sample:tt, ()) => {
        Option<&$a $crate::bindings::slot!(@buffer $element, $sample)>
    };
    ($access:ident { type } $a:lifetime, $element:ty, $sample:tt, ()) => {
        &$a $crate::bindings::slot!(@buffer $element, $sample)
    };

    ($access:ident { declared } $slot:ident, $element:ty, ()) => {
        veloxel_gpu::BindingSlot::of::<$element>(&[stringify!($slot)], $crate::bindings::slot!(@access $access))
    };
    ($access:ident { declared } $slot:ident, $element:ty, ($($component:ident)+)) => {
        veloxel_gpu::BindingSlot::of::<$element>(
            &[$(stringify!($component)),+],
            $crate::bindings::slot!(@access $access),
        )
    };

    ($access:ident { bind } $value:expr, $buffers:ident, ($($component:ident)+)) => {
        $buffers.extend(veloxel_gpu::BoundBuffer::components(
            $crate::bindings::slot!(@access $access),
            $value,
            [$(stringify!($component)),+].len(),
        ))
    };
    (may_read { bind } $value:expr, $buffers:ident, ()) => {
        $buffers.push($value.map_or(veloxel_gpu::BoundBuffer::Absent, |buffer| veloxel_gpu::BoundBuffer::In(buffer)))
    };
    (may_write { bind } $value:expr, $buffers:ident, ()) => {
        $buffers.push($value.map_or(veloxel_gpu::BoundBuffer::Spare, |buffer| veloxel_gpu::BoundBuffer::Out(buffer)))
    };
    (read { bind } $value:expr, $buffers:ident, ()) => {
        $buffers.push(veloxel_gpu::BoundBuffer::In($value))
    };
    (write { bind } $value:expr, $buffers:ident, ()) => {
        $buffers.push(veloxel_gpu::BoundBuffer::Out($value))
    };
}
pub(crate) use slot;
