#include <cstddef>

#include "transfers/array/gpu_array.hpp"

extern "C" {

float without_calls_read(const transfers::host_array<float>& matrix, std::size_t i, std::size_t j) {
  return matrix(i, j);
}

void without_calls_write(transfers::host_array<float>& matrix, std::size_t i, std::size_t j) {
  matrix(i, j) = 1;
}

double without_calls_read_cube(const transfers::host_array<double>& cube, std::size_t i,
                               std::size_t j, std::size_t k) {
  return cube(i, j, k);
}

// Makes sure that the check detects calls.
float with_a_call(const transfers::shape& extents) {
  return static_cast<float>(transfers::strides_of(extents, transfers::order::row_major)[0]);
}
}
