#pragma once

// For code written once for the host and for CUDA devices.
#if defined(__CUDACC__)
#define TRANSFERS_BOTH __host__ __device__
#else
#define TRANSFERS_BOTH
#endif
