// WGSL's types, operators and built-in functions in CUDA C++: the beginning of every translated kernel. Names are
// WGSL's, in namespace wgsl; the operators of vectors are outside it, in the namespace of CUDA's vector types.

typedef unsigned int uint;

#define WGSL_FN __device__ __forceinline__

// A member's offset in a struct, as a constant expression in every version of NVRTC; only version 13 has
// __builtin_offsetof.
#define WGSL_OFFSET(type, member) __INTADDR__(&((type*)0)->member)

namespace wgsl {

// The beginning of a kernel that may begin while a kernel whose results it needs still ends: waits until all memory that
// such kernels wrote can be seen. Older GPUs begin no kernel so early.
WGSL_FN void await_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// What a launch does of a kernel's work: its first workgroup, and the number of workgroups of all launches together.
struct Part { uint3 first, all; };

struct bool2 { bool x, y; };
struct bool3 { bool x, y, z; };
struct bool4 { bool x, y, z, w; };

// An array that can be copied, passed and returned, as in WGSL.
template <class T, uint N> struct Array {
    T items[N];
    template <class I> constexpr WGSL_FN T& operator[](I i) { return items[i]; }
    template <class I> constexpr WGSL_FN const T& operator[](I i) const { return items[i]; }
};

// An element of an array of three-component vectors: 12 bytes, at a stride of 16.
template <class T> struct alignas(16) Aligned : T {
    Aligned() = default;
    constexpr WGSL_FN explicit Aligned(const T& value) : T(value) {}
    WGSL_FN Aligned& operator=(const T& value) { T::operator=(value); return *this; }
};

// Component i of a vector: lane_of gives a reference to it in memory; lane selects its value, which keeps the vector in
// registers.
template <class V, class I> WGSL_FN auto& lane_of(V& v, I i) { return (&v.x)[i]; }
#define WGSL_LANE(S) \
    template <class I> WGSL_FN S lane(const S##2& v, I i) { return i == 0 ? v.x : v.y; } \
    template <class I> WGSL_FN S lane(const S##3& v, I i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; } \
    template <class I> WGSL_FN S lane(const S##4& v, I i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; } \
    WGSL_FN S##2 splat2(S a) { return S##2{a, a}; } \
    WGSL_FN S##3 splat3(S a) { return S##3{a, a, a}; } \
    WGSL_FN S##4 splat4(S a) { return S##4{a, a, a, a}; } \
    WGSL_FN S##3 select(bool c, S##3 a, S##3 b) { return c ? a : b; } \
    WGSL_FN S##2 select(bool2 c, S##2 a, S##2 b) { return S##2{c.x ? a.x : b.x, c.y ? a.y : b.y}; } \
    WGSL_FN S##3 select(bool3 c, S##3 a, S##3 b) { return S##3{c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z}; } \
    WGSL_FN S##4 select(bool4 c, S##4 a, S##4 b) { return S##4{c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w}; }
WGSL_LANE(float)
WGSL_LANE(int)
WGSL_LANE(uint)
WGSL_LANE(bool)

WGSL_FN bool all(bool a) { return a; }
WGSL_FN bool all(bool2 a) { return a.x && a.y; }
WGSL_FN bool all(bool3 a) { return a.x && a.y && a.z; }
WGSL_FN bool all(bool4 a) { return a.x && a.y && a.z && a.w; }
WGSL_FN bool any(bool a) { return a; }
WGSL_FN bool any(bool2 a) { return a.x || a.y; }
WGSL_FN bool any(bool3 a) { return a.x || a.y || a.z; }
WGSL_FN bool any(bool4 a) { return a.x || a.y || a.z || a.w; }

} // namespace wgsl

// Operators, component by component; R is the type of the result.
#define WGSL_UNARY(op, V, R) \
    WGSL_FN R##2 operator op(V##2 a) { return R##2{op a.x, op a.y}; } \
    WGSL_FN R##3 operator op(V##3 a) { return R##3{op a.x, op a.y, op a.z}; } \
    WGSL_FN R##4 operator op(V##4 a) { return R##4{op a.x, op a.y, op a.z, op a.w}; }
#define WGSL_PAIRS(op, V, W, R) \
    WGSL_FN R##2 operator op(V##2 a, W##2 b) { return R##2{a.x op b.x, a.y op b.y}; } \
    WGSL_FN R##3 operator op(V##3 a, W##3 b) { return R##3{a.x op b.x, a.y op b.y, a.z op b.z}; } \
    WGSL_FN R##4 operator op(V##4 a, W##4 b) { return R##4{a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w}; }
#define WGSL_MIXED(op, S) \
    WGSL_FN S##2 operator op(S##2 a, S b) { return S##2{a.x op b, a.y op b}; } \
    WGSL_FN S##3 operator op(S##3 a, S b) { return S##3{a.x op b, a.y op b, a.z op b}; } \
    WGSL_FN S##4 operator op(S##4 a, S b) { return S##4{a.x op b, a.y op b, a.z op b, a.w op b}; } \
    WGSL_FN S##2 operator op(S a, S##2 b) { return S##2{a op b.x, a op b.y}; } \
    WGSL_FN S##3 operator op(S a, S##3 b) { return S##3{a op b.x, a op b.y, a op b.z}; } \
    WGSL_FN S##4 operator op(S a, S##4 b) { return S##4{a op b.x, a op b.y, a op b.z, a op b.w}; }
#define WGSL_ARITHMETIC(S) \
    WGSL_PAIRS(+, S, S, S) WGSL_PAIRS(-, S, S, S) WGSL_PAIRS(*, S, S, S) WGSL_PAIRS(/, S, S, S) \
    WGSL_MIXED(+, S) WGSL_MIXED(-, S) WGSL_MIXED(*, S) WGSL_MIXED(/, S)
#define WGSL_COMPARE(S) \
    WGSL_PAIRS(<, S, S, wgsl::bool) WGSL_PAIRS(<=, S, S, wgsl::bool) WGSL_PAIRS(>, S, S, wgsl::bool) \
    WGSL_PAIRS(>=, S, S, wgsl::bool) WGSL_PAIRS(==, S, S, wgsl::bool) WGSL_PAIRS(!=, S, S, wgsl::bool)
#define WGSL_BITS(S) \
    WGSL_UNARY(~, S, S) WGSL_PAIRS(%, S, S, S) WGSL_MIXED(%, S) WGSL_PAIRS(&, S, S, S) WGSL_PAIRS(|, S, S, S) \
    WGSL_PAIRS(^, S, S, S) WGSL_PAIRS(<<, S, uint, S) WGSL_PAIRS(>>, S, uint, S)
WGSL_ARITHMETIC(float) WGSL_COMPARE(float) WGSL_UNARY(-, float, float)
WGSL_ARITHMETIC(int) WGSL_COMPARE(int) WGSL_UNARY(-, int, int) WGSL_BITS(int)
WGSL_ARITHMETIC(uint) WGSL_COMPARE(uint) WGSL_BITS(uint)
namespace wgsl {
WGSL_UNARY(!, bool, bool)
#define WGSL_LOGIC(op, logical) \
    WGSL_FN bool2 operator op(bool2 a, bool2 b) { return bool2{a.x logical b.x, a.y logical b.y}; } \
    WGSL_FN bool3 operator op(bool3 a, bool3 b) { return bool3{a.x logical b.x, a.y logical b.y, a.z logical b.z}; } \
    WGSL_FN bool4 operator op(bool4 a, bool4 b) { \
        return bool4{a.x logical b.x, a.y logical b.y, a.z logical b.z, a.w logical b.w}; \
    }
WGSL_LOGIC(&, &&) WGSL_LOGIC(|, ||)
WGSL_PAIRS(==, bool, bool, bool) WGSL_PAIRS(!=, bool, bool, bool)
} // namespace wgsl

namespace wgsl {

// A function of scalars, applied to each component of vectors.
#define WGSL_MAP1(f, V, R) \
    WGSL_FN R##2 f(V##2 a) { return R##2{f(a.x), f(a.y)}; } \
    WGSL_FN R##3 f(V##3 a) { return R##3{f(a.x), f(a.y), f(a.z)}; } \
    WGSL_FN R##4 f(V##4 a) { return R##4{f(a.x), f(a.y), f(a.z), f(a.w)}; }
#define WGSL_MAP2(f, S) \
    WGSL_FN S##2 f(S##2 a, S##2 b) { return S##2{f(a.x, b.x), f(a.y, b.y)}; } \
    WGSL_FN S##3 f(S##3 a, S##3 b) { return S##3{f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)}; } \
    WGSL_FN S##4 f(S##4 a, S##4 b) { return S##4{f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)}; }
#define WGSL_MAP3(f, S) \
    WGSL_FN S##2 f(S##2 a, S##2 b, S##2 c) { return S##2{f(a.x, b.x, c.x), f(a.y, b.y, c.y)}; } \
    WGSL_FN S##3 f(S##3 a, S##3 b, S##3 c) { return S##3{f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z)}; } \
    WGSL_FN S##4 f(S##4 a, S##4 b, S##4 c) { \
        return S##4{f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z), f(a.w, b.w, c.w)}; \
    }
#define WGSL_FLOAT1(f, value) \
    WGSL_FN float f(float a) { return value; } \
    WGSL_MAP1(f, float, float)
#define WGSL_FLOAT2(f, value) \
    WGSL_FN float f(float a, float b) { return value; } \
    WGSL_MAP2(f, float)

WGSL_FLOAT1(abs, ::fabsf(a))
WGSL_FLOAT1(floor, ::floorf(a))
WGSL_FLOAT1(ceil, ::ceilf(a))
WGSL_FLOAT1(round, ::rintf(a))
WGSL_FLOAT1(trunc, ::truncf(a))
WGSL_FLOAT1(fract, a - ::floorf(a))
WGSL_FLOAT1(sign, float(a > 0.0f) - float(a < 0.0f))
WGSL_FLOAT1(saturate, ::fminf(::fmaxf(a, 0.0f), 1.0f))
WGSL_FLOAT1(sqrt, ::sqrtf(a))
WGSL_FLOAT1(inverseSqrt, ::rsqrtf(a))
WGSL_FLOAT1(exp, ::expf(a))
WGSL_FLOAT1(exp2, ::exp2f(a))
WGSL_FLOAT1(log, ::logf(a))
WGSL_FLOAT1(log2, ::log2f(a))
WGSL_FLOAT1(sin, ::sinf(a))
WGSL_FLOAT1(cos, ::cosf(a))
WGSL_FLOAT1(tan, ::tanf(a))
WGSL_FLOAT1(asin, ::asinf(a))
WGSL_FLOAT1(acos, ::acosf(a))
WGSL_FLOAT1(atan, ::atanf(a))
WGSL_FLOAT1(sinh, ::sinhf(a))
WGSL_FLOAT1(cosh, ::coshf(a))
WGSL_FLOAT1(tanh, ::tanhf(a))
WGSL_FLOAT1(radians, a * 0.017453292519943295f)
WGSL_FLOAT1(degrees, a * 57.29577951308232f)
WGSL_FLOAT2(min, ::fminf(a, b))
WGSL_FLOAT2(max, ::fmaxf(a, b))
WGSL_FLOAT2(pow, ::powf(a, b))
WGSL_FLOAT2(atan2, ::atan2f(a, b))
WGSL_FLOAT2(remainder, ::fmodf(a, b))
WGSL_FLOAT2(step, a <= b ? 1.0f : 0.0f)
WGSL_FN float clamp(float a, float low, float high) { return ::fminf(::fmaxf(a, low), high); }
WGSL_FN float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
WGSL_FN float mix(float a, float b, float t) { return a * (1.0f - t) + b * t; }
WGSL_FN float smoothstep(float low, float high, float a) {
    const float t = saturate((a - low) / (high - low));
    return t * t * (3.0f - 2.0f * t);
}
WGSL_MAP3(clamp, float) WGSL_MAP3(fma, float) WGSL_MAP3(mix, float) WGSL_MAP3(smoothstep, float)
WGSL_FN float2 mix(float2 a, float2 b, float t) { return mix(a, b, splat2(t)); }
WGSL_FN float3 mix(float3 a, float3 b, float t) { return mix(a, b, splat3(t)); }
WGSL_FN float4 mix(float4 a, float4 b, float t) { return mix(a, b, splat4(t)); }

#define WGSL_INTEGER(S) \
    WGSL_FN S min(S a, S b) { return a < b ? a : b; } \
    WGSL_FN S max(S a, S b) { return a > b ? a : b; } \
    WGSL_FN S clamp(S a, S low, S high) { return min(max(a, low), high); } \
    WGSL_FN S countOneBits(S a) { return S(__popc(uint(a))); } \
    WGSL_FN S reverseBits(S a) { return S(__brev(uint(a))); } \
    WGSL_FN S countLeadingZeros(S a) { return S(__clz(int(a))); } \
    WGSL_FN S countTrailingZeros(S a) { return a == S(0) ? S(32) : S(__ffs(int(a)) - 1); } \
    WGSL_FN S firstTrailingBit(S a) { return S(__ffs(int(a)) - 1); } \
    WGSL_MAP2(min, S) WGSL_MAP2(max, S) WGSL_MAP3(clamp, S) \
    WGSL_MAP1(countOneBits, S, S) WGSL_MAP1(reverseBits, S, S) WGSL_MAP1(countLeadingZeros, S, S) \
    WGSL_MAP1(countTrailingZeros, S, S) WGSL_MAP1(firstTrailingBit, S, S)
WGSL_INTEGER(int)
WGSL_INTEGER(uint)
WGSL_FN int abs(int a) { return a < 0 ? -a : a; }
WGSL_FN uint abs(uint a) { return a; }
WGSL_FN int sign(int a) { return int(a > 0) - int(a < 0); }
WGSL_FN uint firstLeadingBit(uint a) { return uint(31 - __clz(int(a))); }
WGSL_FN int firstLeadingBit(int a) { return 31 - __clz(a < 0 ? ~a : a); }
WGSL_MAP1(abs, int, int) WGSL_MAP1(abs, uint, uint) WGSL_MAP1(sign, int, int)
WGSL_MAP1(firstLeadingBit, int, int) WGSL_MAP1(firstLeadingBit, uint, uint)
WGSL_FN uint extractBits(uint a, uint offset, uint count) {
    const uint first = min(offset, 32u), bits = min(count, 32u - first);
    return bits == 0u ? 0u : (a >> first) & (0xffffffffu >> (32u - bits));
}
WGSL_FN int extractBits(int a, uint offset, uint count) {
    const uint first = min(offset, 32u), bits = min(count, 32u - first);
    return bits == 0u ? 0 : int(uint(a) << (32u - first - bits)) >> (32u - bits);
}

#define WGSL_GEOMETRY(S) \
    WGSL_FN S dot(S##2 a, S##2 b) { return a.x * b.x + a.y * b.y; } \
    WGSL_FN S dot(S##3 a, S##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    WGSL_FN S dot(S##4 a, S##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
WGSL_GEOMETRY(float) WGSL_GEOMETRY(int) WGSL_GEOMETRY(uint)
WGSL_FN float3 cross(float3 a, float3 b) {
    return float3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
WGSL_FN float length(float a) { return ::fabsf(a); }
WGSL_FN float length(float2 a) { return ::sqrtf(dot(a, a)); }
WGSL_FN float length(float3 a) { return ::sqrtf(dot(a, a)); }
WGSL_FN float length(float4 a) { return ::sqrtf(dot(a, a)); }
WGSL_FN float2 normalize(float2 a) { return a / length(a); }
WGSL_FN float3 normalize(float3 a) { return a / length(a); }
WGSL_FN float4 normalize(float4 a) { return a / length(a); }
template <class V> WGSL_FN float distance(V a, V b) { return length(a - b); }

// Conversions. Floats are rounded towards zero to integers, and saturated.
#define WGSL_CONVERT(f, from, to, value) \
    WGSL_FN to f(from a) { return value; } \
    WGSL_MAP1(f, from, to)
WGSL_CONVERT(to_float, int, float, float(a)) WGSL_CONVERT(to_float, uint, float, float(a))
WGSL_CONVERT(to_float, bool, float, float(a)) WGSL_CONVERT(to_float, float, float, a)
WGSL_CONVERT(to_int, float, int, __float2int_rz(a)) WGSL_CONVERT(to_int, uint, int, int(a))
WGSL_CONVERT(to_int, bool, int, int(a)) WGSL_CONVERT(to_int, int, int, a)
WGSL_CONVERT(to_uint, float, uint, __float2uint_rz(a)) WGSL_CONVERT(to_uint, int, uint, uint(a))
WGSL_CONVERT(to_uint, bool, uint, uint(a)) WGSL_CONVERT(to_uint, uint, uint, a)
WGSL_CONVERT(to_bool, float, bool, a != 0.0f) WGSL_CONVERT(to_bool, int, bool, a != 0)
WGSL_CONVERT(to_bool, uint, bool, a != 0u) WGSL_CONVERT(to_bool, bool, bool, a)
WGSL_CONVERT(bits_as_float, int, float, __int_as_float(a)) WGSL_CONVERT(bits_as_float, uint, float, __uint_as_float(a))
WGSL_CONVERT(bits_as_float, float, float, a)
WGSL_CONVERT(bits_as_int, float, int, __float_as_int(a)) WGSL_CONVERT(bits_as_int, uint, int, int(a))
WGSL_CONVERT(bits_as_int, int, int, a)
WGSL_CONVERT(bits_as_uint, float, uint, __float_as_uint(a)) WGSL_CONVERT(bits_as_uint, int, uint, uint(a))
WGSL_CONVERT(bits_as_uint, uint, uint, a)

// Half floats, without CUDA's header.
WGSL_FN unsigned short half_of(float a) {
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a));
    return half;
}
WGSL_FN float float_of(unsigned short half) {
    float a;
    asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(half));
    return a;
}
WGSL_FLOAT1(quantizeToF16, float_of(half_of(a)))
WGSL_FN uint pack2x16float(float2 a) { return uint(half_of(a.x)) | uint(half_of(a.y)) << 16; }
WGSL_FN float2 unpack2x16float(uint a) {
    return float2{float_of((unsigned short)(a & 0xffffu)), float_of((unsigned short)(a >> 16))};
}

// Atomic loads and stores of relaxed order: plain accesses that the compiler may neither split nor drop.
template <class T> WGSL_FN T atomic_load(const T& a) { return *const_cast<const volatile T*>(&a); }
template <class T> WGSL_FN void atomic_store(T& a, T value) { *const_cast<volatile T*>(&a) = value; }

} // namespace wgsl
