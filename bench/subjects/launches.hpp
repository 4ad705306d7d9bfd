#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "transfers/launch/launch.hpp"

namespace bench_transfers::bench::subjects {

/// "4_arguments" -> 4
std::size_t count_of(std::string_view variant);

/// Parameters (float*) of the largest empty kernel.
inline constexpr std::size_t most_arguments = 16;

template <std::size_t>
struct nth_argument {
  using type = float*;
};

/// Calls work.operator()<float*, float*, …>() with `count` types.
template <class Work>
auto with_arguments(std::size_t count, Work&& work) {
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return work.template operator()<typename nth_argument<I>::type...>();
  };
  switch (count) {
    case 0: return call(std::make_index_sequence<0>());
    case 1: return call(std::make_index_sequence<1>());
    case 2: return call(std::make_index_sequence<2>());
    case 4: return call(std::make_index_sequence<4>());
    case 8: return call(std::make_index_sequence<8>());
    case most_arguments: return call(std::make_index_sequence<most_arguments>());
    default: throw std::logic_error("no kernel with so many arguments");
  }
}

/// The kernel for a device. Throws unsupported in a build without CUDA.
transfers::function empty_kernel(const transfers::device& device, std::size_t arguments);

/// One launch with <<<>>>, and one replay of a graph that has this launch as its only node, each
/// enqueued on the stream. Throw unsupported for devices that are not CUDA's.
std::function<void()> plain_launch(const transfers::device& device, transfers::stream& stream,
                                   std::size_t arguments);
std::function<void()> graph_launch(const transfers::device& device, transfers::stream& stream,
                                   std::size_t arguments);

/// Throws device_error for errors of previous plain launches.
void check_launches(const transfers::device& device);

/// Two pieces of memory: a kernel copies one to the other, or exchanges them. Pieces of 16 bytes
/// and more begin at multiples of 16.
struct piece {
  std::byte* dst;
  std::byte* src;
  std::size_t bytes;
};
struct piece_list {
  std::size_t count = 0;
  bool exchange = false;
  piece pieces[most_arguments];
};

/// A kernel with one parameter, a piece_list, and the threads to launch it with.
struct copying_kernel {
  transfers::function run;
  transfers::launch_shape threads;
};
copying_kernel copy_pieces(const transfers::device& device);

/// The host device's counterparts.
transfers::function empty_host_kernel(std::size_t arguments);
copying_kernel copy_pieces_on_host();

}  // namespace bench_transfers::bench::subjects
