#pragma once

#include <functional>

#include "transfers/core/stream.hpp"

namespace transfers {

/// Records work on a stream once, and enqueues it with one call any number of times: a CUDA graph
/// (CUDA Runtime API, "Graph Management"). Addresses, sizes and arguments are those of the
/// recording; what lies at the addresses is what is there when it runs.
class graph {
 public:
  /// Calls `work`, which enqueues something on `stream` and nowhere else, and records it; none of
  /// it runs. `work` must not wait, and copies in it need page-locked host memory. What it uses
  /// must outlive the graph, temporaries of expressions with arrays too. Throws what `work` throws,
  /// unsupported for stream::call and what needs memory on the way (scattered_copy, packed views),
  /// device_error for work that cannot be recorded; the stream is as it was then. The
  /// stream must outlive the graph.
  /// On the host device, which has no graphs, enqueue() calls a copy of `work` each time: what it
  /// captures by reference must be there then.
  graph(stream& stream, const std::function<void()>& work);

  /// Enqueues the recorded work on the stream. Throws device_error.
  void enqueue() const { enqueue_(); }

 private:
  std::function<void()> enqueue_;
};

}  // namespace transfers
