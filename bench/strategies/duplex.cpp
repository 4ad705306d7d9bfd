#include <fmt/format.h>

#include <algorithm>

#include "bench/strategy/copy_kernel.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench::duplex_strategies {
namespace {

using transfers::direction;

/// What moves the data of one direction: a copy engine or a kernel.
enum class mover { engine, kernel };

struct movers {
  mover h2d, d2h;
};

/// Copies in one direction, on a stream of its own.
class channel {
 public:
  channel(transfers::stream& stream, direction direction, mover mover, const payload& source,
          const payload& destination)
      : stream_(stream),
        direction_(direction),
        mover_(mover),
        src_(mover == mover::kernel ? seen_by_kernel(source) : source.data),
        dst_(mover == mover::kernel ? seen_by_kernel(destination) : destination.data),
        bytes_(source.bytes) {}

  void enqueue() {
    if (mover_ == mover::kernel)
      stream_.copy_by_kernel(dst_, src_, bytes_);
    else
      stream_.copy(dst_, src_, bytes_, direction_);
  }
  void wait() { stream_.synchronize(); }

  /// Keeps the direction busy for longer than a copy in the other direction takes.
  void keep_busy() {
    for (int i = 0; i < copies_; ++i) enqueue();
    end_ = stream_.record(transfers::event_timing::off);
  }
  /// Waits until the direction is idle. Returns whether it was still busy.
  bool was_kept_busy() {
    const bool busy = !end_->done();
    wait();
    constexpr int most = 24;
    if (!busy) copies_ = std::min(2 * copies_, most);
    return busy;
  }

  [[nodiscard]] std::size_t multiprocessors(const transfers::device& device) const {
    if (mover_ == mover::engine) return 0;
    return copy_kernel_multiprocessors(device.description(), dst_, src_, bytes_);
  }

 private:
  transfers::stream& stream_;
  direction direction_;
  mover mover_;
  std::byte* src_;
  std::byte* dst_;
  std::size_t bytes_;
  int copies_ = 3;
  std::unique_ptr<transfers::event> end_;
};

/// What has been copied in each direction.
struct arrivals {
  payload h2d, d2h;
};

/// Both directions, each with its own memory.
struct channels {
  channels(const job& task, transfers::host_memory_kind kind, movers movers)
      : arrived{device_payload(task, 0), host_payload(task, kind, 1)},
        back(task.device.create_stream()),
        h2d(task.stream, direction::h2d, movers.h2d, host_payload(task, kind, 0), arrived.h2d),
        d2h(*back, direction::d2h, movers.d2h, device_payload(task, 1), arrived.d2h) {}

  arrivals arrived;
  std::unique_ptr<transfers::stream> back;
  channel h2d, d2h;
};

/// Each direction alone, and while the other one is kept busy from before its start until after its
/// end.
std::vector<comparison> each_direction(const std::shared_ptr<channels>& both, std::size_t bytes) {
  std::vector<comparison> directions;
  const auto add = [&](const std::string& name, channel channels::*timed, channel channels::*busy) {
    const auto run = [both, timed] {
      ((*both).*timed).enqueue();
      ((*both).*timed).wait();
    };
    directions.push_back({.name = name,
                          .description = name + " while the other direction is kept busy",
                          .run = run,
                          .bytes = bytes,
                          .before = [both, busy] { ((*both).*busy).keep_busy(); },
                          .after = [both, busy] { return ((*both).*busy).was_kept_busy(); }});
    directions.push_back(
        {.name = name + "_alone", .description = name + " alone", .run = run, .bytes = bytes});
  };
  add("h2d", &channels::h2d, &channels::d2h);
  add("d2h", &channels::d2h, &channels::h2d);
  return directions;
}

/// Nullopt if there is none.
std::optional<std::string> damage(const char* where, const pattern_check& check,
                                  std::size_t first) {
  return words_of({check.wrong_bytes, check.first_wrong - first}, std::string(where) + ": ");
}

/// The harness poisons, checks and restores one destination; this strategy does so for the other.
verification check_of(const job& task, const arrivals& arrived) {
  const auto& down = arrived.d2h;
  auto* const block = down.data - down.offset;
  const auto pattern = task.memory.pattern();
  const auto poison = task.memory.pattern(true);
  write_host_pattern(block, down.offset, down.bytes + down.guard, poison);
  verification check;
  check.compare = [&device = task.device, up = arrived.h2d, down, block, pattern, poison] {
    const auto behind = down.offset + down.bytes;
    auto error = damage("h2d", check_pattern(device, up.data, 0, up.bytes, pattern), 0);
    if (!error)
      error =
          damage("d2h", check_host_pattern(block, down.offset, down.bytes, pattern), down.offset);
    if (!error)
      error = damage("d2h, behind the end", check_host_pattern(block, behind, down.guard, poison),
                     behind);
    return error;
  };
  check.restore = [down, block, pattern] {
    write_host_pattern(block, down.offset, down.bytes + down.guard, pattern);
  };
  return check;
}

/// The operation copies in both directions at once, until both copies are complete. The faster
/// direction ends first and leaves the link to the other: this is the time of a program that sends
/// as much as it receives, but not the rate of each direction. So each direction is timed, too.
transfer prepare(const job& task, transfers::host_memory_kind kind, movers movers) {
  const auto both = std::make_shared<channels>(task, kind, movers);
  transfer operation;
  operation.source = host_payload(task, kind, 0);
  operation.destination = both->arrived.h2d;
  operation.amount.bytes = 2 * task.bytes;
  operation.timing.batched = false;
  operation.steps = {{"both", [both] {
                        both->h2d.enqueue();
                        both->d2h.enqueue();
                        both->h2d.wait();
                        both->d2h.wait();
                      }}};
  operation.amount.multiprocessors =
      both->h2d.multiprocessors(task.device) + both->d2h.multiprocessors(task.device);
  if (const auto& cuda = task.device.description().cuda)
    operation.amount.multiprocessors =
        std::min(operation.amount.multiprocessors, static_cast<std::size_t>(cuda->multiprocessors));
  operation.against = each_direction(both, task.bytes);
  operation.check = check_of(task, both->arrived);
  return operation;
}

/// Of both directions, each on its stream.
std::string calls_of(const movers& who) {
  const std::string engine = "cudaMemcpyAsync({}, bytes, cudaMemcpyDefault, {});\n";
  const std::string kernel = "kernel<<<blocks, threads, 0, {1}>>>({0}, bytes);\n";
  const auto line = [&](mover by, const char* ends, const char* stream) {
    return fmt::format(fmt::runtime(by == mover::engine ? engine : kernel), ends, stream);
  };
  return line(who.h2d, "device, host", "stream") +
         line(who.d2h, "result, device_result", "second_stream") +
         "cudaStreamSynchronize(stream);\n"
         "cudaStreamSynchronize(second_stream);";
}

void add(const std::string& name, const std::string& summary, std::vector<variant> variants,
         transfers::host_memory_kind kind, unsigned plainness,
         std::function<movers(std::string_view)> who) {
  for (auto& variant : variants) variant.calls = calls_for(kind) + calls_of(who(variant.name));
  registration{
      strategy{.family = "duplex",
               .parts = {method(name), in_memory(kind)},
               .summary = "both directions at once, " + summary,
               .calls = calls_for(kind) + calls_of(who("")),
               .variants = std::move(variants),
               .role = roles::duplex,
               .direction = result_file::direction::both,
               .plainness = plainness,
               .prepare = [kind, who = std::move(who)](
                              const job& task) { return prepare(task, kind, who(task.variant)); },
               .needs = {.host = kind, .host_payloads = 2, .device_payloads = 2},
               // For smaller sizes the calls dominate, and no direction can be kept busy.
               .sampling = {.smallest = std::size_t{1} << 20,
                            .cold = false,
                            .effort = 0.25,
                            .profiles = all_variants_if(plainness == 0, "sweep")}}};
}

const struct duplex_strategies {
  duplex_strategies() {
    const auto mapped = transfers::pinned(transfers::pin_flags::mapped);
    add("engines", "by copy engines", {}, transfers::pinned(), 0, [](std::string_view) {
      return movers{mover::engine, mover::engine};
    });
    add("kernels", "by kernels that read and write host memory", {}, mapped, 1,
        [](std::string_view) {
          return movers{mover::kernel, mover::kernel};
        });
    add("mixed", "one by a kernel, the other by a copy engine",
        named({"h2d_by_kernel", "d2h_by_kernel"}), mapped, 2, [](std::string_view variant) {
          return variant == "h2d_by_kernel" ? movers{mover::kernel, mover::engine}
                                            : movers{mover::engine, mover::kernel};
        });
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::duplex_strategies
