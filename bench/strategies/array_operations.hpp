#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/array/arithmetic.hpp"

// What the files of the family gpu_array share: each registers the operations of one direction.

namespace bench_transfers::bench {

/// How pageable memory is copied: by cudaMemcpy, or by the run's calibrated copier. By
/// default an array uses a copier with default settings.
enum class route { plain, staged };

transfers::context context_for(const job& task, route route = route::plain,
                               transfers::allocation allocation = transfers::allocation::pooled);

/// Prepares an operation, with elements of float unless they are of every type.
struct array_preparation {
  std::function<transfer(const job&, transfers::host_memory_kind)> function;
  bool every_type = false;  ///< a variant for each, in pinned memory only: a copy moves bytes
};

template <class Prepare>
array_preparation of_every_type(Prepare prepare) {
  return {[prepare](const job& task, transfers::host_memory_kind kind) {
            return with_element(task.variant, [&]<class T>(T) {
              return prepare.template operator()<T>(task, kind);
            });
          },
          true};
}

inline const std::vector<transfers::host_memory_kind> both_kinds{transfers::pageable,
                                                                 transfers::pinned()};
inline const std::vector<transfers::host_memory_kind> pageable_alone{transfers::pageable};

/// An operation on arrays in one setting.
struct array_operation {
  std::string setting;
  unsigned plainness;
  std::string summary;
  array_preparation prepare;
  std::vector<transfers::host_memory_kind> kinds = both_kinds;
  bool stages = false;
  bool page_locks = false;
};

/// Registers gpu_array/<name>/<memory>/<setting>, with a variant for each element type. `called`:
/// the operation in a summary.
void add_array_operations(const std::string& name, const std::string& called,
                          result_file::direction direction,
                          const std::vector<array_operation>& operations);

}  // namespace bench_transfers::bench
