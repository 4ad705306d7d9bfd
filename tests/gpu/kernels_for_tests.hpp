#pragma once

/// __global__ void scale(float* data, float by, unsigned elements)
const void* scale_kernel();
