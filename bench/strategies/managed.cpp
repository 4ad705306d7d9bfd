#include "transfers/fast/managed.hpp"

#include <cstring>

#include "bench/strategy/directions.hpp"
#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;
using transfers::managed_memory;
using transfers::residence;

constexpr std::size_t mib = std::size_t{1} << 20;

constexpr residence start_of(direction way) {
  return way == direction::h2d ? residence::host : residence::device;
}
constexpr residence end_of(direction way) {
  return way == direction::h2d ? residence::device : residence::host;
}

/// Managed memory that holds the pattern, and is sent to one side before each operation.
class managed_source {
 public:
  managed_source(const job& wanted, residence start)
      : memory(wanted.device, wanted.bytes), stream_(wanted.stream), start_(start) {
    transfers::write_host_pattern(memory.data(), 0, memory.size(), wanted.memory.pattern());
    send_back();
  }
  void send_back() const {
    memory.prefetch(stream_, start_);
    stream_.synchronize();
  }

  managed_memory memory;

 private:
  transfers::stream& stream_;
  residence start_;
};

/// The pages move, their address does not: one block is both ends, and is looked at from the side
/// where it must be.
transfer prepare_prefetch(const job& wanted) {
  const auto way = direction_of(wanted.variant);
  const auto source = std::make_shared<managed_source>(wanted, start_of(way));
  transfer move;
  move.steps = enqueue_and_wait(wanted.stream, [source, way, &stream = wanted.stream] {
    source->memory.prefetch(stream, end_of(way));
  });
  move.between = [source] { source->send_back(); };
  move.verify = [source, way, &device = wanted.device,
                 pattern = wanted.memory.pattern()]() -> std::optional<std::string> {
    const auto& memory = source->memory;
    // Before anybody looks at it, which would move it too.
    if (memory.prefetched_to() != end_of(way))
      return "the memory was not sent to where it should be";
    const auto found =
        way == direction::h2d
            ? device.check_pattern(memory.data(), 0, memory.size(), pattern)
            : transfers::check_host_pattern(memory.data(), 0, memory.size(), pattern);
    if (found.wrong_bytes == 0) return std::nullopt;
    return std::to_string(found.wrong_bytes) + " bytes differ, the first at offset " +
           std::to_string(found.first_wrong);
  };
  return move;
}

/// Whoever touches the pages brings them over, one fault after the other. What is read is written
/// to memory of its own side, where it can be checked.
transfer prepare_fault(const job& wanted) {
  const auto way = direction_of(wanted.variant);
  const auto source = std::make_shared<managed_source>(wanted, start_of(way));
  transfer touch;
  touch.between = [source] { source->send_back(); };
  auto* const from = source->memory.data();
  const auto bytes = wanted.bytes;
  if (way == direction::h2d) {
    const auto there = std::make_shared<transfers::device_memory>(wanted.device.allocate(bytes));
    touch.destination = own_payload(std::span(there->data(), bytes), true);
    touch.steps =
        enqueue_and_wait(wanted.stream, [source, there, from, bytes, &stream = wanted.stream] {
          stream.copy_by_kernel(there->data(), from, bytes);
        });
    touch.multiprocessors = transfers::copy_kernel_multiprocessors(wanted.device.description(),
                                                                   there->data(), from, bytes);
    return touch;
  }
  const auto here = std::make_shared<transfers::host_memory>(
      wanted.device.allocate_host(bytes, transfers::pageable));
  touch.destination = own_payload(here->bytes(), false);
  touch.steps = {{"copy", [source, here, from] { std::memcpy(here->data(), from, here->size()); }}};
  touch.batched = false;  // only the first of a batch would find the pages away
  return touch;
}

void add(const std::string& name, const std::string& summary, std::size_t largest,
         std::function<transfer(const job&)> prepare) {
  registration{strategy{.name = "copy/" + name,
                        .summary = summary,
                        .variants = {"h2d", "d2h"},
                        .host = std::nullopt,
                        .prepare = std::move(prepare),
                        .largest = largest,
                        .takes_host_memory = true,
                        .takes_device_memory = true,
                        .cold = false,
                        .why_unsupported = transfers::why_no_managed_memory}};
}

const struct all {
  all() {
    add("managed_prefetch", "cudaMemPrefetchAsync of managed memory, then wait", 256 * mib,
        prepare_prefetch);
    add("managed_fault", "managed memory, by page faults of a kernel (h2d) or the CPU (d2h)",
        64 * mib, prepare_fault);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
