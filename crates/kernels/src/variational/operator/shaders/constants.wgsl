// The constants of every launch of the operator; what launches bind is in bindings.rs.

override COMPONENTS: u32 = 3u;
override TENSOR: u32 = 1u;
