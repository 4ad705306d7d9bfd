#include <atomic>
#include <exception>

#include "bench/subjects/waits.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {

std::optional<std::string> why_no_schedule_flags(const transfers::device& device) {
  if (device.description().cuda) return std::nullopt;
  return "it is a flag of a CUDA context; the host device has none";
}

std::string to_string(schedule_flag flag) {
  switch (flag) {
    case schedule_flag::spin: return "spin";
    case schedule_flag::yield: return "yield";
    case schedule_flag::blocking_sync: break;
  }
  return "blocking_sync";
}

scheduling schedule_by(const flag_access& flags, schedule_flag flag) {
  const auto before = flags.read();
  const auto chosen = (before & ~schedule_mask) | static_cast<unsigned>(flag);
  return {[flags, chosen] {
            flags.write(chosen);
            if ((flags.read() & schedule_mask) != (chosen & schedule_mask))
              throw transfers::device_error("the device does not take its schedule flag", false);
          },
          [flags, before] {
            try {
              flags.write(before);
            } catch (const std::exception&) {
              static_cast<void>(before);  // the next call of the device reports what is wrong
            }
          }};
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
