#pragma once

// For code written once for both Thrust systems: host code passes thrust::omp::par, CUDA code
// thrust::cuda::par.on(stream).
#if defined(__CUDACC__)
#define TRANSFERS_BOTH __host__ __device__
#else
#define TRANSFERS_BOTH
#endif
