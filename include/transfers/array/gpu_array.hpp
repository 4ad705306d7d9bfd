#pragma once

// Arrays in device memory, those of the host that they are copied from and to, and uploads.

#include "transfers/array/device_array.hpp"
#include "transfers/array/host_array.hpp"
#include "transfers/array/to_gpu.hpp"
