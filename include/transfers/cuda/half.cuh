#pragma once

#include <cuda_fp16.h>

#include "transfers/core/element.hpp"

/// Arrays of CUDA's `__half` convert as float16.
template <>
inline constexpr bool transfers::is_float16<__half> = true;
