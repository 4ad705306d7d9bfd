#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cpu/instructions.hpp"
#include "bench/strategy/cache.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/core/workers.hpp"
#include "transfers/fast/streaming.hpp"

namespace bench_transfers::bench::fill_strategies {
namespace {

using words = std::span<std::uint64_t>;

/// Writes `first`, `first` + 1 … to `to`. `from`: other memory that has these numbers, or nothing.
using stores = void(words to, std::uint64_t first, std::span<const std::uint64_t> from);

void count(words to, std::uint64_t first) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = first + i;
}

void fill_plainly(words to, std::uint64_t first, std::span<const std::uint64_t>) {
  count(to, first);
}

/// Like a program: computes a piece in the cache, and stores it.
void fill_by_streaming(words to, std::uint64_t first, std::span<const std::uint64_t>) {
  std::array<std::uint64_t, 4096> piece;  // a fence follows each
  for (std::size_t at = 0; at < to.size(); at += piece.size()) {
    const auto part = words(piece).first(std::min(piece.size(), to.size() - at));
    count(part, first + at);
    transfers::streaming_store(to.subspan(at, part.size()), part);
  }
}

void fill_and_write_back(words to, std::uint64_t first, std::span<const std::uint64_t>) {
  count(to, first);
  transfers::write_back(std::as_bytes(to));
}

void copy_plainly(words to, std::uint64_t, std::span<const std::uint64_t> from) {
  std::ranges::copy(from, to.begin());
}

void copy_by_streaming(words to, std::uint64_t, std::span<const std::uint64_t> from) {
  transfers::streaming_store(to, from);
}

/// What moves the data when they are there.
enum class mover { engine, kernel, staging };

std::string calls_to_copy(mover moves) {
  switch (moves) {
    case mover::engine: return "cudaMemcpy(device, host, bytes, cudaMemcpyDefault);";
    case mover::kernel:
      return "kernel<<<blocks, threads, 0, stream>>>(device, host, bytes);\n"
             "cudaStreamSynchronize(stream);";
    case mover::staging:
      return "transfers::staged_copier copier(gpu);\n"
             "copier.copy(device, host, bytes, transfers::direction::h2d);";
  }
  return "";
}

/// A way to fill and to copy.
struct way {
  std::string data;  ///< "computed", or "copied" from other memory
  std::string method, summary, calls;
  transfers::host_memory_kind memory;
  stores* fill;
  mover moves = mover::engine;

  [[nodiscard]] bool reads_other_memory() const { return data == "copied"; }
};

/// Threads that fill host memory, from which it is copied to the device.
class filled_copy {
 public:
  filled_copy(const job& task, const way& way)
      : fill_(way.fill),
        device_(task.device),
        ends_(ends_of(task, way.memory, transfers::direction::h2d)),
        filled_(reinterpret_cast<std::uint64_t*>(ends_.source.data),
                task.bytes / sizeof(std::uint64_t)),
        team_(std::min(most_writers, transfers::usable_processors()), awake) {
    if (way.reads_other_memory()) {
      const auto other = task.memory.scratch(task.bytes);
      other_ = {reinterpret_cast<std::uint64_t*>(other.data()), filled_.size()};
    }
  }

  [[nodiscard]] const ends& payloads() const { return ends_; }
  [[nodiscard]] unsigned writers() const { return team_.size(); }

  void fill() {
    in_parts([this](std::size_t at, std::size_t count) {
      fill_(filled_.subspan(at, count), first_ + at,
            other_.empty() ? other_ : other_.subspan(at, count));
    });
  }

  /// The threads read what they have filled. Then come other numbers, in other memory as well, so
  /// that an operation that does nothing is detected.
  void begin_next() {
    if (first_ != 0) read_again();
    // No way to fill begins with lines that the threads have just read.
    in_parts([this](std::size_t at, std::size_t count) {
      flush_cache(std::as_bytes(filled_.subspan(at, count)));
    });
    first_ += 0x9e3779b97f4a7c15ULL;
    if (!other_.empty())
      in_parts([this](std::size_t at, std::size_t amount) {
        count(other_.subspan(at, amount), first_ + at);
      });
  }

  [[nodiscard]] const std::vector<double>& read_again_ns() const { return read_again_ns_; }
  void forget() { read_again_ns_.clear(); }

  [[nodiscard]] std::optional<std::string> find_damage() {
    const auto& end = ends_.destination;
    std::vector<std::byte> arrived(end.bytes);
    device_.copy(arrived.data(), end.data, end.bytes, transfers::direction::d2h);
    // Behind the numbers are the last bytes of a size that is no multiple of theirs.
    std::vector<std::byte> expected(ends_.source.data, ends_.source.data + end.bytes);
    for (std::size_t i = 0; i < filled_.size(); ++i) {
      const auto number = first_ + i;
      std::memcpy(expected.data() + i * sizeof number, &number, sizeof number);
    }
    const auto wrong = std::ranges::mismatch(arrived, expected).in1 - arrived.begin();
    if (wrong == std::ssize(arrived)) return std::nullopt;
    return "the byte at offset " + std::to_string(wrong) +
           " on the device is not the one that was stored";
  }

 private:
  static constexpr unsigned most_writers = 8;
  /// Longer than an operation: threads of a program that fills and copies have no time to sleep.
  static constexpr std::chrono::seconds awake{1};

  template <class Work>
  void in_parts(Work&& work) {
    constexpr std::size_t line = 64 / sizeof(std::uint64_t);
    transfers::in_parts(team_, filled_.size(), line, work);
  }

  void read_again() {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    in_parts([this](std::size_t at, std::size_t count) {
      const auto bytes = std::as_bytes(filled_.subspan(at, count));
      static_cast<void>(
          cpu::instructions().read_vector(bytes.data(), bytes.size() / cpu::line * cpu::line));
    });
    read_again_ns_.push_back(
        std::chrono::duration<double, std::nano>(clock::now() - begin).count());
  }

  stores* fill_;
  transfers::device& device_;
  ends ends_;
  words filled_, other_;
  std::uint64_t first_ = 0;  ///< the first number of this operation
  std::vector<double> read_again_ns_;
  transfers::worker_team team_;
};

std::function<void()> copy_by(mover moves, const job& task, const ends& ends) {
  if (moves == mover::staging)
    return copy_with(task.memory.staged_copier(), ends, transfers::direction::h2d);
  auto enqueue = asynchronous_copy(task, ends);
  if (moves == mover::kernel)
    enqueue = [&stream = task.stream, to = seen_by_kernel(ends.destination),
               from = seen_by_kernel(ends.source),
               bytes = ends.source.bytes] { stream.copy_by_kernel(to, from, bytes); };
  return waited_for(task.stream, enqueue);
}

transfer prepare(const job& task, const way& way) {
  const auto filled = std::make_shared<filled_copy>(task, way);
  auto operation = transfer_between(filled->payloads());
  operation.steps = {{"fill", [filled] { filled->fill(); }},
                     {"copy", copy_by(way.moves, task, filled->payloads())}};
  operation.timing.polls = true;
  operation.timing.between = [filled] { filled->begin_next(); };
  operation.timing.forget_settling = [filled] { filled->forget(); };
  operation.derive = [filled](const metric_values&) {
    std::vector<measured_metric> metrics{{count_metric("writers", "threads that fill the memory"),
                                          static_cast<double>(filled->writers())}};
    if (const auto& times = filled->read_again_ns(); !times.empty())
      metrics.push_back(
          {time_metric("read_again_ns",
                       "until these threads have read the memory again, after the copy"),
           statistics::median(times)});
    return metrics;
  };
  operation.check.compare = [filled] { return filled->find_damage(); };
  operation.check.changes_source = true;
  return operation;
}

const result_file::role role{"fill", "host memory that threads fill, and its copy to the device",
                             result_file::table::times};

const struct fills {
  fills() {
    using transfers::pin_flags;
    using transfers::pinned;
    // Of each thread that fills its part.
    const std::string compute = "fill(host, bytes);\n", copy = "memcpy(host, data, bytes);\n";
    for (const auto& filling : {
             way{"computed", "plain", "plain stores", compute, pinned(), fill_plainly},
             {"computed", "streaming", "non-temporal stores",
              "for (size_t at = 0; at < bytes; at += sizeof(piece))\n"
              "  fill(piece, sizeof(piece)), transfers::streaming_store(std::span(host + at, "
              "sizeof(piece)), piece);\n",
              pinned(), fill_by_streaming},
             {"computed", "written_back", "plain stores, and lines written back",
              compute + "transfers::write_back({host, bytes});\n", pinned(), fill_and_write_back},
             {"computed", "plain", "plain stores", compute, pinned(pin_flags::write_combined),
              fill_plainly},
             {"computed", "plain_by_kernel", "plain stores, and a kernel that copies", compute,
              pinned(pin_flags::mapped), fill_plainly, mover::kernel},
             {"computed", "plain_staged", "plain stores, and a staged copy", compute,
              transfers::pageable, fill_plainly, mover::staging},
             {"copied", "plain", "memcpy from other memory", copy, pinned(), copy_plainly},
             {"copied", "streaming", "non-temporal stores from other memory",
              "transfers::streaming_store(std::span(host, bytes), std::span(data, bytes));\n",
              pinned(), copy_by_streaming},
             {"copied", "plain_by_kernel", "memcpy from other memory, and a kernel that copies",
              copy, pinned(pin_flags::mapped), copy_plainly, mover::kernel},
         })
      add(filling);
  }

  static void add(const way& way) {
    const bool is_plain = way.method == "plain";
    registration{strategy{
        .family = "fill",
        .parts = {setting(way.data), method(way.method), in_memory(way.memory)},
        .summary = "threads fill host memory, and it is copied: " + way.summary,
        .calls = calls_for(way.memory) + way.calls + calls_to_copy(way.moves),
        .holds_launches = way.moves == mover::engine,
        .role = role,
        .direction = result_file::direction::h2d,
        .plainness = (is_plain ? 0U : 1U) + options_of(way.memory),
        .procedure = 2,  // of 1 the threads had read the memory before they filled it again
        .prepare = [way](const job& task) { return prepare(task, way); },
        .needs = {.host = way.memory,
                  .more_host_memory = way.reads_other_memory() ? 1U : 0U,
                  .staged_copier = way.moves == mover::staging},
        .sampling = {.smallest = std::size_t{64} << 10,
                     .largest = std::size_t{64} << 20,
                     .cold = false,
                     .profiles = {{"wc", {}}}}}};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::fill_strategies
