#pragma once

#include <functional>

#include "transfers/core/stream.hpp"

namespace transfers {

/// Records work on a stream once, and enqueues it with one call any number of times: a CUDA graph
/// (CUDA Runtime API, "Graph Management"). Addresses, sizes and arguments are those of the
/// recording; the data at the addresses are those at the time of the run. Copies refer to the same
/// recorded work; one thread at a time may use it.
class graph {
 public:
  /// Calls `work` and records what it enqueues on `stream`, without running it. `work` must enqueue
  /// on no other stream and must not wait; its copies need page-locked host memory. Memory that it
  /// uses must outlive the graph, including temporaries of expressions with arrays; so must the
  /// stream. Throws what `work` throws, unsupported for stream::call and for operations with
  /// intermediate memory (scattered_copy, packed views), device_error for work that cannot be
  /// recorded; the stream is then unchanged. On the host device, which has no graphs, enqueue()
  /// calls a copy of `work` each time: objects that it captures by reference must still exist.
  graph(stream& stream, const std::function<void()>& work) : enqueue_(stream.record_graph(work)) {}

  /// Enqueues the recorded work on the stream. Throws device_error.
  void enqueue() const { enqueue_(); }

 private:
  std::function<void()> enqueue_;
};

}  // namespace transfers
