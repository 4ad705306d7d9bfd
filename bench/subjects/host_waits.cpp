#include <atomic>

#include "bench/subjects/waits.hpp"

namespace bench_transfers::bench::subjects {

std::optional<std::string> why_no_schedule_flags(const transfers::device& device) {
  if (device.description().cuda) return std::nullopt;
  return "it is a flag of a CUDA context; the host device has none";
}

std::function<void()> blocking_event_wait_on_host(transfers::stream& stream) {
  return [&stream] { stream.record(transfers::event_timing::off)->wait(); };
}

std::function<void(std::uint32_t)> value_writer_on_host(transfers::stream& stream,
                                                        std::uint32_t& word) {
  return [&stream, &word](std::uint32_t value) {
    stream.call([&word, value] { std::atomic_ref(word).store(value, std::memory_order_release); });
  };
}

}  // namespace bench_transfers::bench::subjects
