#include "transfers/launch/graph.hpp"

#include "src/transfers/cuda/cuda_graph.hpp"

namespace transfers {

graph::graph(stream& in, const std::function<void()>& work)
    : enqueue_(in.native_handle() == nullptr ? work : detail::record_cuda_graph(in, work)) {}

}  // namespace transfers
