#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {

/// A record of odd size. PyCUDA's buffer protocol accepts such records.
using record7 = std::array<char, 7>;

/// The names that with_element knows, and the bytes of its largest type.
inline std::vector<std::string> element_types() {
  return std::vector<std::string>{"float32", "float64", "int32", "char", "record7"};
}
constexpr auto largest_element =
    std::max({sizeof(float), sizeof(double), sizeof(std::int32_t), sizeof(char), sizeof(record7)});

/// Calls `work` with a value of the element type with this name.
template <class Work>
auto with_element(std::string_view type, Work&& work) {
  if (type == "float32") return work(float{});
  if (type == "float64") return work(double{});
  if (type == "int32") return work(std::int32_t{});
  if (type == "char") return work(char{});
  if (type == "record7") return work(record7{});
  throw std::logic_error("no such element type: " + std::string(type));
}

/// The elements that fit into a payload.
template <class T>
std::span<T> elements_of(const payload& memory) {
  return {reinterpret_cast<T*>(memory.data), memory.bytes / sizeof(T)};
}

// Like those of memory without a type, in copies.hpp.
template <class T>
payload own_payload(std::span<T> elements, bool on_device) {
  return {.data = reinterpret_cast<std::byte*>(elements.data()),
          .bytes = elements.size_bytes(),
          .on_device = on_device,
          .guard = 0};
}
template <class T>
payload own_payload(transfers::gpu_array<T>& array) {
  return own_payload(std::span(array.data(), array.size()), true);
}
template <class T>
payload own_payload(transfers::host_array<T>& array) {
  return own_payload(std::span(array), false);
}
template <class Array>
payload own_payload(std::optional<Array>& array) {
  return array ? own_payload(*array) : payload{};
}

/// Copies an array to host memory that all cores have touched first, which is much faster than
/// get() for large arrays.
template <class T>
transfers::host_buffer<T> contents_of(const transfers::gpu_array<T>& array) {
  transfers::host_buffer<T> copy(array.size());
  write_host_pattern(reinterpret_cast<std::byte*>(copy.data()), 0, array.bytes(), {});
  array.get(copy);
  return copy;
}

/// Compares elements with expected(i) bit by bit, except that all NaNs are equal. Returns one line
/// if they differ.
template <class T, class Expected>
std::optional<std::string> find_wrong_element(std::span<const T> actual, Expected&& expected) {
  std::atomic<std::size_t> wrong_elements = 0;
  std::atomic<std::size_t> first_wrong = actual.size();
  const transfers::shares sharing{.worth_a_thread = std::size_t{1} << 20};
  transfers::in_parallel(actual.size(), sharing, [&](std::size_t first, std::size_t count) {
    for (auto i = first; i < first + count; ++i) {
      const T value = expected(i);
      if (std::memcmp(&value, &actual[i], sizeof(T)) == 0) continue;
      if constexpr (std::is_floating_point_v<T>)
        if (value != value && actual[i] != actual[i]) continue;
      ++wrong_elements;
      auto known = first_wrong.load();
      while (i < known && !first_wrong.compare_exchange_weak(known, i)) {
      }
    }
  });
  if (wrong_elements == 0) return std::nullopt;
  return std::to_string(wrong_elements) + " of " + std::to_string(actual.size()) +
         " elements differ, the first at index " + std::to_string(first_wrong);
}

/// The common part of round trips that double numbers: source, destination and verification.
template <class T>
struct round_trip_ends {
  transfer frame;  ///< without steps
  std::span<const T> src;
  std::span<T> dst;

  round_trip_ends(const job& task, transfers::host_memory_kind kind) {
    frame.source = host_payload(task, kind, 0);
    frame.destination = host_payload(task, kind, 1);
    src = elements_of<const T>(*frame.source);
    dst = elements_of<T>(*frame.destination);
    frame.check.compare = [src = src, dst = dst] { return find_not_doubled(dst, src); };
  }

  /// Of operations that make their destination anew each time.
  void arrive_in(const std::shared_ptr<std::optional<transfers::host_array<T>>>& result) {
    frame.destination.reset();
    frame.locate = [result] { return own_payload(*result); };
    frame.check.compare = [result, src = src] { return find_not_doubled(**result, src); };
  }

 private:
  static std::optional<std::string> find_not_doubled(std::span<const T> doubled,
                                                     std::span<const T> src) {
    return find_wrong_element<T>(doubled, [src](std::size_t i) { return T{2} * src[i]; });
  }
};

}  // namespace bench_transfers::bench
