#pragma once

#include <cuda.h>

#include <memory>

#include "transfers/core/pool.hpp"

namespace transfers::detail {

/// A cudaMemPool that keeps its memory.
class cuda_pool : public pool_body {
 public:
  /// Lets another device access the pool's memory. Throws device_error.
  virtual void permit(int peer) = 0;
};

/// `accessed_by`: whom the device permits. Throws device_error.
std::shared_ptr<cuda_pool> make_cuda_pool(int device, CUcontext context,
                                          std::shared_ptr<const accessors> accessed_by);

}  // namespace transfers::detail
