#include "bench/strategy/waiting.hpp"

#include <thread>
#include <utility>

#include "src/transfers/core/relax.hpp"

namespace bench_transfers::bench {

std::vector<step> enqueue_and_wait(transfers::stream& stream, std::function<void()> enqueue) {
  return {{"enqueue", std::move(enqueue)}, {"wait", [&stream] { stream.synchronize(); }}};
}

std::function<void()> waited_for(transfers::stream& stream, std::function<void()> enqueue) {
  return [&stream, enqueue = std::move(enqueue)] {
    enqueue();
    stream.synchronize();
  };
}

void wait_a_moment(const transfers::device& device) {
  transfers::detail::relax();
  if (!device.description().cuda) std::this_thread::yield();
}

}  // namespace bench_transfers::bench
