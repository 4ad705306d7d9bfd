#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/strategies/small_copies.hpp"
#include "bench/strategy/copy_kernel.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/priority_stream.hpp"
#include "bench/verification/pattern.hpp"
#include "src/statistics/quantile.hpp"
#include "src/transfers/core/relax.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::better;
using result_file::metric_kind;
using transfers::direction;
using clock = std::chrono::steady_clock;
using nanoseconds = small_copy_times::time;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// How the bulk copy is made.
struct bulk_method {
  std::string name, summary;
  std::size_t chunk_bytes = SIZE_MAX;  ///< of each copy of which two are in flight
  bool by_kernel = false;

  [[nodiscard]] bool has_chunks() const { return chunk_bytes < SIZE_MAX; }
};

/// Fills the link of a GPU, and leaves most multiprocessors to others.
constexpr unsigned blocks_of_bulk = 16;

/// How the small copies are made, and which they are.
struct small_method {
  std::string name, summary;
  bool by_kernel = false;
};
struct small_kind {
  small_method method;
  std::size_t bytes;
  transfers::direction direction;
};

/// Engines and kernels move the same memory.
transfers::host_memory_kind mapped() { return transfers::pinned(transfers::pin_flags::mapped); }

/// A large copy on the job's stream, beside which other copies are made.
class bulk_copy {
 public:
  bulk_copy(const job& task, const ends& ends, const bulk_method& method)
      : stream_(task.stream),
        direction_(task.direction),
        method_(method),
        src_(method.by_kernel ? seen_by_kernel(ends.source) : ends.source.data),
        dst_(method.by_kernel ? seen_by_kernel(ends.destination) : ends.destination.data),
        bytes_(ends.source.bytes),
        begin_(stream_.record()),
        end_(stream_.record()) {
    for (auto& chunk : in_flight_) chunk = stream_.record(transfers::event_timing::off);
  }

  /// Enqueues the copy, chunks in a thread of their own.
  void start() {
    begin_is_recorded_ = end_is_recorded_ = failed_ = false;
    if (!method_.has_chunks()) return enqueue();
    feeder_ = std::jthread([this] {
      try {
        enqueue();
      } catch (...) {
        failure_ = std::current_exception();
        failed_.store(true, std::memory_order_release);
      }
    });
  }

  [[nodiscard]] bool has_begun() const {
    return has_failed() || (begin_is_recorded_.load(std::memory_order_acquire) && begin_->done());
  }
  [[nodiscard]] bool has_ended() const {
    return has_failed() || (end_is_recorded_.load(std::memory_order_acquire) && end_->done());
  }

  /// Waits until nothing is enqueued any more.
  void join() {
    if (feeder_.joinable()) feeder_.join();
  }
  /// Waits until the copy has ended, and returns the time that it took, by the device's clock.
  nanoseconds finish() {
    join();
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    stream_.synchronize();
    return end_->time_since(*begin_);
  }

  [[nodiscard]] std::size_t multiprocessors(const transfers::device& device) const {
    if (!method_.by_kernel) return 0;
    return copy_kernel_multiprocessors(device.description(), dst_, src_, bytes_, blocks_of_bulk);
  }

 private:
  [[nodiscard]] bool has_failed() const { return failed_.load(std::memory_order_acquire); }

  void enqueue() {
    stream_.record_again(*begin_);
    begin_is_recorded_.store(true, std::memory_order_release);
    std::size_t chunk = 0;
    for (std::size_t first = 0; first < bytes_; first += std::min(method_.chunk_bytes, bytes_)) {
      auto& ended = in_flight_[chunk++ % in_flight_.size()];
      if (chunk > in_flight_.size()) ended->wait();
      copy(first, std::min(method_.chunk_bytes, bytes_ - first));
      if (method_.has_chunks()) stream_.record_again(*ended);
    }
    stream_.record_again(*end_);
    end_is_recorded_.store(true, std::memory_order_release);
  }

  void copy(std::size_t first, std::size_t bytes) {
    if (method_.by_kernel)
      stream_.copy_by_kernel(dst_ + first, src_ + first, bytes, blocks_of_bulk);
    else
      stream_.copy(dst_ + first, src_ + first, bytes, direction_);
  }

  transfers::stream& stream_;
  transfers::direction direction_;
  bulk_method method_;
  std::byte* src_;
  std::byte* dst_;
  std::size_t bytes_;
  std::unique_ptr<transfers::event> begin_, end_;
  std::array<std::unique_ptr<transfers::event>, 2> in_flight_;
  std::atomic<bool> begin_is_recorded_ = false, end_is_recorded_ = false, failed_ = false;
  std::exception_ptr failure_;
  std::jthread feeder_;  // last: uses the other members
};

/// A copy of a few KiB between memory of its own, on a stream of high priority.
class small_copy {
 public:
  small_copy(const job& task, const small_kind& kind)
      : device_(task.device),
        pattern_(task.memory.pattern()),
        poison_(task.memory.pattern(true)),
        kind_(kind),
        host_(device_.allocate_host(kind.bytes, mapped())),
        on_device_(device_.allocate(kind.bytes)),
        stream_(subjects::high_priority_stream(device_)) {
    write_host(to_device() ? pattern_ : poison_);
    write_device(to_device() ? poison_ : pattern_);
    run();  // the first launch of a kernel may have to load it
    poison();
  }

  /// Returns when the data are usable.
  void run() {
    auto* const host = kind_.method.by_kernel ? host_.on_device() : host_.data();
    auto* const src = to_device() ? host : on_device_.data();
    auto* const dst = to_device() ? on_device_.data() : host;
    if (kind_.method.by_kernel)
      stream_->copy_by_kernel(dst, src, kind_.bytes);
    else
      stream_->copy(dst, src, kind_.bytes, kind_.direction);
    stream_->synchronize();
  }

  [[nodiscard]] pattern_check check() const {
    return to_device() ? check_pattern(device_, on_device_.data(), 0, kind_.bytes, pattern_)
                       : check_host_pattern(host_.data(), 0, kind_.bytes, pattern_);
  }
  void poison() {
    if (to_device())
      write_device(poison_);
    else
      write_host(poison_);
  }

 private:
  [[nodiscard]] bool to_device() const { return kind_.direction == direction::h2d; }
  void write_host(bench::pattern pattern) {
    write_host_pattern(host_.data(), 0, kind_.bytes, pattern);
  }
  void write_device(bench::pattern pattern) {
    write_pattern(device_, on_device_.data(), 0, kind_.bytes, pattern);
  }

  transfers::device& device_;
  bench::pattern pattern_, poison_;
  small_kind kind_;
  transfers::host_memory host_;
  transfers::device_memory on_device_;
  std::shared_ptr<transfers::stream> stream_;
};

/// Small copies at random times while a bulk copy is under way, and both alone.
class interference {
 public:
  interference(const job& task, const ends& ends, const bulk_method& method, const small_kind& kind)
      : on_host_(!task.device.description().cuda),
        bytes_(task.bytes),
        small_bytes_(kind.bytes),
        bulk_(task, ends, method),
        small_(task, kind) {}

  /// The timed operation: from the beginning of the bulk copy to its end.
  void copy_beside() {
    const auto joined = start_bulk();
    while (!bulk_.has_begun()) pause();
    const auto begun = clock::now();
    std::vector<small_copy_times> copies;
    do {
      copies.push_back(time_small());
    } while (is_under_way_at(copies.back().begin + random_distance()));
    const auto time = bulk_.finish();
    times_.push_back(time.count());
    for (auto& copy : copies) {
      copy.bulk_end = begun.time_since_epoch() + time;
      copies_.push_back(copy);
    }
  }

  void copy_alone() {
    {
      const auto joined = start_bulk();
      times_alone_.push_back(bulk_.finish().count());
    }
    constexpr int count = 25;  // a hundred in a repetition, for their 99th percentile
    for (int i = 0; i < count; ++i) {
      const auto [begin, end, bulk_end] = time_small();
      small_alone_.push_back((end - begin).count());
    }
  }

  [[nodiscard]] std::vector<measured_metric> metrics() const;
  [[nodiscard]] std::size_t multiprocessors(const transfers::device& device) const {
    return bulk_.multiprocessors(device);
  }
  small_copy& small() { return small_; }

 private:
  /// Between the beginnings of two small copies: in the mean, and as parts of it.
  static constexpr nanoseconds mean_distance = std::chrono::microseconds(50);
  static constexpr std::pair shortest_to_longest{0.5, 1.5};

  /// The bulk copy must not go on enqueueing when a small one has failed.
  std::shared_ptr<const void> start_bulk() {
    bulk_.start();
    return {&bulk_, [](bulk_copy* bulk) { bulk->join(); }};
  }

  small_copy_times time_small() {
    small_copy_times times;
    times.begin = clock::now().time_since_epoch();
    small_.run();
    times.end = clock::now().time_since_epoch();
    return times;
  }

  nanoseconds random_distance() {
    return mean_distance * std::uniform_real_distribution<double>(
                               shortest_to_longest.first, shortest_to_longest.second)(random_);
  }

  /// Waits for a time. Returns whether the bulk copy is still under way.
  bool is_under_way_at(nanoseconds time) {
    while (clock::now().time_since_epoch() < time) pause();
    return !bulk_.has_ended();
  }

  void pause() const {
    transfers::detail::relax();
    if (on_host_) std::this_thread::yield();  // a stream's thread may need this processor
  }

  bool on_host_;
  std::size_t bytes_, small_bytes_;
  bulk_copy bulk_;
  small_copy small_;
  std::minstd_rand random_;
  std::vector<small_copy_times> copies_;
  std::vector<double> times_, times_alone_, small_alone_;
};

result_file::metric latency(std::string name, std::string description, bool headline) {
  return {std::move(name),        "ns",    metric_kind::duration, better::less,
          std::move(description), headline};
}

/// The percentiles that so many values have: of fewer, they would be those of the slowest copy.
void add_percentiles(std::vector<measured_metric>& metrics, const std::string& name,
                     const std::string& description, std::vector<double> values, bool headline) {
  struct percentile {
    const char* name;
    const char* words;
    double part;
    std::size_t least_values;
  };
  constexpr std::array percentiles{percentile{"p50", "median", 0.5, 1},
                                   percentile{"p99", "99th percentile", 0.99, 100},
                                   percentile{"p999", "99.9th percentile", 0.999, 1000}};
  std::ranges::sort(values);
  for (const auto& [suffix, words, part, least] : percentiles)
    if (values.size() >= least)
      metrics.push_back({latency(name + "_" + suffix + "_ns", description + ": " + words, headline),
                         statistics::quantile(values, part)});
}

std::vector<measured_metric> interference::metrics() const {
  using result_file::metric;
  std::vector<measured_metric> metrics{
      {metric{"small_bytes", "B", metric_kind::size, {}, "bytes of each small copy"},
       static_cast<double>(small_bytes_)}};
  const auto least =
      small_alone_.empty() ? nanoseconds(0) : nanoseconds(2 * statistics::median(small_alone_));
  const auto counted = count_waits(copies_, least);
  const auto count = static_cast<double>(counted.ns.size());
  metrics.push_back({metric{"small_copies", "1", metric_kind::count, std::nullopt,
                            "small copies that the bulk copy could delay"},
                     count});
  add_percentiles(metrics, "small", "a small copy during the bulk copy", counted.ns, true);
  add_percentiles(metrics, "small_alone", "a small copy without the bulk copy", small_alone_,
                  false);
  if (count > 0) {
    metrics.push_back(
        {latency("small_max_ns", "the slowest small copy during the bulk copy", false),
         *std::ranges::max_element(counted.ns)});
    metrics.push_back({metric{"outlasting_percent", "%", metric_kind::share, better::less,
                              "of the small copies: ended only after the bulk copy"},
                       100 * static_cast<double>(counted.outlasting) / count});
  }
  const auto add_rate = [&](std::string name, std::string description,
                            const std::vector<double>& times) -> std::optional<double> {
    if (times.empty() || statistics::median(times) <= 0) return std::nullopt;
    const double rate = static_cast<double>(bytes_) / statistics::median(times);
    metrics.push_back(
        {metric{std::move(name), "GB/s", metric_kind::rate, better::more, std::move(description)},
         rate});
    return rate;
  };
  const auto rate = add_rate("bulk_gb_per_s", "the bulk copy with small copies beside it", times_);
  const auto rate_alone = add_rate("bulk_alone_gb_per_s", "the bulk copy alone", times_alone_);
  if (rate && rate_alone)
    metrics.push_back({metric{"bulk_loss_percent", "%", metric_kind::share, better::less,
                              "of its rate alone that the bulk copy loses to the small ones", true},
                       100 * (1 - *rate / *rate_alone)});
  return metrics;
}

/// The harness poisons the bulk copy's destination, and this strategy that of the small copies.
std::optional<std::string> find_damage(transfers::device& device, const bench::pattern& pattern,
                                       const payload& bulk, small_copy& small) {
  const auto text = [](const char* where, const pattern_check& check, std::size_t first) {
    return std::string(where) + ": " + std::to_string(check.wrong_bytes) +
           " bytes differ, the first at offset " + std::to_string(check.first_wrong - first);
  };
  const auto small_check = small.check();
  small.poison();
  if (small_check.wrong_bytes > 0) return text("small copy", small_check, 0);
  const auto check = bulk.on_device ? check_pattern(device, bulk.data, 0, bulk.bytes, pattern)
                                    : check_host_pattern(bulk.data, 0, bulk.bytes, pattern);
  if (check.wrong_bytes > 0) return text("bulk copy", check, 0);
  return std::nullopt;
}

transfer prepare(const job& task, const bulk_method& method, const small_kind& kind) {
  const auto ends = ends_of(task, mapped(), task.direction);
  const auto copies = std::make_shared<interference>(task, ends, method, kind);
  auto operation = transfer_between(ends);
  operation.steps = {{"bulk_copy", [copies] { copies->copy_beside(); }}};
  operation.timing.batched = false;
  operation.timing.between = [copies] { copies->copy_alone(); };
  operation.timing.least_operations = 4;  // a thousand small copies beside those of a GiB
  operation.amount.multiprocessors = copies->multiprocessors(task.device);
  operation.check.compare = [copies, &device = task.device, pattern = task.memory.pattern(),
                             bulk = ends.destination] {
    return find_damage(device, pattern, bulk, copies->small());
  };
  operation.derive = [copies](const metric_values& /*known*/) { return copies->metrics(); };
  return operation;
}

const std::vector<bulk_method>& bulk_methods() {
  static const std::vector<bulk_method> methods{
      {.name = "engine", .summary = "one cudaMemcpyAsync"},
      {.name = "4MiB_chunks", .summary = "chunks of 4 MiB, two in flight", .chunk_bytes = 4 * mib},
      {.name = "1MiB_chunks", .summary = "chunks of 1 MiB, two in flight", .chunk_bytes = mib},
      {.name = "kernel", .summary = "a kernel of 16 thread blocks", .by_kernel = true}};
  return methods;
}

const std::vector<small_method>& small_methods() {
  static const std::vector<small_method> methods{
      {"memcpy", "cudaMemcpyAsync"}, {"kernel", "a kernel that accesses mapped memory", true}};
  return methods;
}

using small_kinds = std::map<std::string, small_kind, std::less<>>;

/// The bulk copy's direction, then the small copy: "h2d/4KiB_d2h".
variant variant_of(const variant& bulk_direction, const variant& small_direction,
                   const std::string& size, const small_method& method) {
  auto both = bulk_direction;
  const auto small = size + "_" + small_direction.name;
  both.name += "/" + small;
  both.setting = small + "_by_" + method.name;
  return both;
}

const result_file::role role{"interference", "small copies while a bulk copy is under way",
                             result_file::table::times};

strategy strategy_for(const bulk_method& bulk, const small_method& small) {
  const auto kinds = std::make_shared<small_kinds>();
  strategy both{
      .family = "interference",
      .parts = {method(bulk.name), setting(small.name)},
      .summary = "small copies by " + small.summary + ", high priority, during a bulk copy by " +
                 bulk.summary,
      .role = role,
      .plainness = 1,
      .prepare =
          [kinds, bulk](const job& task) {
            return prepare(task, bulk, kinds->find(task.variant)->second);
          },
      .needs = {.host = mapped()},
      // One size tells: that of the largest copies.
      .sampling = {.smallest = mib, .largest = 1024 * mib, .size_stride = 64, .cold = false}};
  for (const auto& bulk_direction : both_directions())
    for (const auto& small_direction : both_directions())
      for (const auto& [name, bytes] : {std::pair{"4KiB", 4 * kib}, std::pair{"50KiB", 50 * kib}}) {
        both.variants.push_back(variant_of(bulk_direction, small_direction, name, small));
        kinds->emplace(
            both.variants.back().name,
            small_kind{small, bytes,
                       small_direction.direction == result_file::direction::h2d ? direction::h2d
                                                                                : direction::d2h});
      }
  return both;
}

const struct interference_strategies {
  interference_strategies() {
    for (const auto& bulk : bulk_methods())
      for (const auto& small : small_methods()) registration{strategy_for(bulk, small)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
