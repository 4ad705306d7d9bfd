#pragma once

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/universal_vector.h>

#include "bench/subjects/thrust_vectors.hpp"

// Included once for each of Thrust's device systems (CUDA, OpenMP), which is why everything is in
// an unnamed namespace.

namespace bench_transfers::bench::subjects {
namespace {

template <class Vector>
std::span<float> memory_of(Vector& vector) {
  return {thrust::raw_pointer_cast(vector.data()), vector.size()};
}

template <class Vector>
thrust_copy between_host_and(std::span<float> host, transfers::direction direction) {
  const auto vector = std::make_shared<Vector>(host.size());
  thrust_copy copy{vector, {}, host, memory_of(*vector)};
  if (direction == transfers::direction::h2d)
    copy.run = [v = vector.get(), host] { thrust::copy(host.begin(), host.end(), v->begin()); };
  else
    copy.run = [v = vector.get(), host] { thrust::copy(v->begin(), v->end(), host.begin()); };
  return copy;
}

template <class Pinned>
thrust_copy between_pinned_and_device(std::size_t elements, transfers::direction direction) {
  struct pair {
    explicit pair(std::size_t n) : pinned(n), device(n) {}
    Pinned pinned;
    thrust::device_vector<float> device;
  };
  const auto vectors = std::make_shared<pair>(elements);
  thrust_copy copy{vectors, {}, memory_of(vectors->pinned), memory_of(vectors->device)};
  if (direction == transfers::direction::h2d)
    copy.run = [b = vectors.get()] {
      thrust::copy(b->pinned.begin(), b->pinned.end(), b->device.begin());
    };
  else
    copy.run = [b = vectors.get()] {
      thrust::copy(b->device.begin(), b->device.end(), b->pinned.begin());
    };
  return copy;
}

/// copy_with_thrust() of the device system. `Pinned`: its container of pinned memory.
template <class Pinned>
thrust_copy copy_with_containers(std::string_view container, std::span<float> host,
                                 transfers::direction direction) {
  if (container == "device_vector")
    return between_host_and<thrust::device_vector<float>>(host, direction);
  if (container == "universal_vector")
    return between_host_and<thrust::universal_vector<float>>(host, direction);
  return between_pinned_and_device<Pinned>(host.size(), direction);
}

}  // namespace
}  // namespace bench_transfers::bench::subjects
