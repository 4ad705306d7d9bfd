#pragma once

/// __global__ void scale(float* data, float by, unsigned elements)
const void* scale_kernel();

/// __global__ void note_multiprocessor(unsigned* seen, long long cycles): 1 for each in use
const void* note_multiprocessor_kernel();
