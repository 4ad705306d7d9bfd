#pragma once

#if defined(__CUDACC__)
#define TRANSFERS_BOTH __host__ __device__
#else
/// Marks functions written once for the host and for CUDA devices: `__host__ __device__` for nvcc.
#define TRANSFERS_BOTH
#endif
