#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "src/transfers/core/on_all_cores.hpp"
#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Loops over host memory, for calculate(), convert() and others of this folder; their counterpart
/// for CUDA devices is cuda/cuda_loops.cuh.
class host_loops {
 public:
  explicit host_loops(run_loop run) : run_(std::move(run)) {}

  /// Calls function(i) for each i below `elements`.
  template <class Function>
  void for_each_index(std::size_t elements, const Function& function) const {
    const auto part = [function](std::size_t first, std::size_t count) {
      const auto f = function;  // no store of the loop changes its members, as the compiler sees
      for (auto i = first; i < first + count; ++i) f(i);
    };
    run(elements, elements * usual_bytes, part);
  }

  template <class T>
  void fill(T* memory, std::size_t elements, const T& value) const {
    const auto part = [=](std::size_t first, std::size_t count) {
      std::fill_n(memory + first, count, value);
    };
    run(elements, elements * sizeof(T), part);
  }

  /// The result does not depend on the number of threads: the order of operations is fixed.
  template <class T, class Value, class Operation>
  Value reduce(const T* elements, std::size_t count, Value neutral, Operation operation) const {
    return reduce_terms(count, neutral, operation, [=](std::size_t i) { return elements[i]; });
  }

  /// The same for multiply(lhs[i], rhs[i]).
  template <class T, class Value, class Add, class Multiply>
  Value inner_product(const T* lhs, const T* rhs, std::size_t count, Value neutral, Add add,
                      Multiply multiply) const {
    return reduce_terms(count, neutral, add,
                        [=](std::size_t i) { return multiply(lhs[i], rhs[i]); });
  }

 private:
  static constexpr std::size_t usual_bytes = 8;  ///< that the work for one element touches

  template <class Part>
  void run(std::size_t total, std::size_t bytes, const Part& part) const {
    run_(total, bytes, std::cref(part));  // as a reference, for which std::function needs no memory
  }

  /// Reduces blocks of elements, then the blocks' results in their order.
  template <class Value, class Operation, class Term>
  Value reduce_terms(std::size_t count, Value neutral, Operation operation, Term term) const {
    constexpr std::size_t most_blocks = 1024;
    constexpr std::size_t least_elements = 16 * 1024;
    const auto of_block = std::max(least_elements, (count + most_blocks - 1) / most_blocks);
    const auto blocks = (count + of_block - 1) / of_block;
    std::array<Value, most_blocks> results{};
    const auto reduce_blocks = [&, operation, term](std::size_t first, std::size_t number) {
      for (auto block = first; block < first + number; ++block) {
        auto result = neutral;
        const auto end = std::min(count, (block + 1) * of_block);
        for (auto i = block * of_block; i < end; ++i) result = operation(result, term(i));
        results[block] = result;
      }
    };
    run(blocks, count * usual_bytes, reduce_blocks);
    auto result = neutral;
    for (std::size_t block = 0; block < blocks; ++block) result = operation(result, results[block]);
    return result;
  }

  run_loop run_;
};

/// Converts elements; compiled once, for the host device and for host arrays.
void convert(const host_loops& loops, const conversion& conversion);

}  // namespace transfers::detail
