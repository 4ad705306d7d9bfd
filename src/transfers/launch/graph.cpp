#include "transfers/launch/graph.hpp"

namespace transfers {

graph::graph(stream& stream, const std::function<void()>& work)
    : enqueue_(stream.record_graph(work)) {}

}  // namespace transfers
