// What the graphs of several GPUs that work as one device have beside the kernels of a run.

typedef unsigned long long Nanoseconds;

struct Flags {
    unsigned* of[16];
};

// No GPU keeps the others waiting as long as this, unless it has failed, or the program was stopped while it gave them their graphs.
static const Nanoseconds MOST_NS = 600ull * 1000 * 1000 * 1000;

static __device__ Nanoseconds now_ns() {
    Nanoseconds ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

// One of the GPUs says to the others that it has come so far, and waits until they have. A launch is one block of 32 threads.
// `flags.of[gpu]` is memory of that GPU: 32 words for each GPU that says so there, and then the number of rounds so far.
extern "C" __global__ void wait_for_each_other(Flags flags, unsigned self, unsigned count) {
    __shared__ unsigned round;
    if (threadIdx.x == 0) {
        unsigned* rounds = flags.of[self] + 32 * count;
        round = ++*rounds;
    }
    __syncthreads();
    unsigned other = threadIdx.x;
    if (other >= count || other == self) return;
    // What this GPU's kernels wrote before is seen by whoever sees the flag.
    __threadfence_system();
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(flags.of[other] + 32 * self), "r"(round) : "memory");
    Nanoseconds start = now_ns();
    for (;;) {
        unsigned seen;
        asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(seen) : "l"(flags.of[self] + 32 * other) : "memory");
        // Rounds may begin again at 0.
        if ((int)(seen - round) >= 0) return;
        if (now_ns() - start > MOST_NS) __trap();
    }
}

// Copies words of another GPU's memory.
extern "C" __global__ void copy_here(unsigned* to, const unsigned* from, unsigned words) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < words; at += stride) to[at] = from[at];
}
