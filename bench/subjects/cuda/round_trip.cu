#include "../round_trip.hpp"
#include "graphs.hpp"
#include "transfers/error.hpp"

namespace bench::subjects {

std::function<void()> graph_round_trip(const transfers::device& on, transfers::stream& in,
                                       const round_trip& what) {
  if (on.description().kind != "cuda")
    throw transfers::unsupported("graphs are CUDA's; the host device has none");
  return captured(static_cast<cudaStream_t>(in.native_handle()), [&] {
    in.copy(what.on_device, what.from, what.bytes, transfers::direction::h2d);
    in.copy(what.to, what.on_device, what.bytes, transfers::direction::d2h);
  });
}

}  // namespace bench::subjects
