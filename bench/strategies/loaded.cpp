#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/cpu/traffic.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench::loaded_strategies {
namespace {

using cpu::traffic;
using cpu::traffic_kind;
using result_file::better;

/// More than the caches of a processor hold.
constexpr std::size_t traffic_bytes = std::size_t{512} << 20;

constexpr std::array grades{25U, 50U, 75U, 100U};

/// What the CPU does meanwhile; the rate is in percent of what its threads reach alone.
struct load {
  traffic_kind kind;
  unsigned percent;
};

/// One processor remains for the thread that copies: it waits actively.
unsigned threads_of_traffic() { return transfers::usable_processors() - 1; }

/// Copies in one direction while the CPU's threads move other memory.
class loaded_copy {
 public:
  loaded_copy(const job& task, const ends& ends, const load& load)
      : device_(task.device),
        ends_(ends),
        direction_(task.direction),
        traffic_(load.kind, task.memory.scratch(traffic_bytes), threads_of_traffic()) {
    const auto rate = traffic_.measure_rate();
    rate_ = load.percent == most_percent ? traffic::unlimited : rate * load.percent / most_percent;
    // As long as the shorter copies take, and some pieces of each thread.
    constexpr double seconds = 0.5e-3;
    constexpr std::size_t pieces = 8;
    bytes_alone_ = std::max(static_cast<std::size_t>(rate * load.percent / most_percent * seconds),
                            pieces * traffic_.threads() * traffic_.bytes_of_piece());
  }

  void start() { traffic_.start(rate_); }
  void stop() { traffic_.stop(); }

  void copy() { copy_now(device_, ends_, direction_, true); }

  /// A copy, and what the threads move from its beginning to its end.
  void copy_and_count() {
    during_.push_back(count([this] { copy(); }));
  }
  /// The same without a copy.
  void count_alone() {
    alone_.push_back(count([this] { traffic_.wait_for(bytes_alone_); }));
  }
  void forget() {
    during_.clear();
    alone_.clear();
  }

  /// Which of the spans count.
  enum class which { all, undisturbed };

  [[nodiscard]] unsigned threads() const { return traffic_.threads(); }
  /// In GB/s; nullopt: there are none of these.
  [[nodiscard]] std::optional<double> cpu_rate(which chosen) const {
    return rate_of(during_, chosen);
  }
  [[nodiscard]] std::optional<double> cpu_rate_alone(which chosen) const {
    return rate_of(alone_, chosen);
  }
  [[nodiscard]] std::optional<double> copy_rate(which chosen) const {
    std::vector<double> times;
    for (const auto& counted : during_)
      if (counts(counted, chosen)) times.push_back(counted.ns);
    if (times.empty()) return std::nullopt;
    return static_cast<double>(ends_.source.bytes) / statistics::median(std::move(times));
  }
  [[nodiscard]] double percent_undisturbed() const {
    if (during_.empty()) return 0;
    const auto undisturbed = std::ranges::count_if(during_, &span::is_undisturbed);
    return most_percent * static_cast<double>(undisturbed) / static_cast<double>(during_.size());
  }

 private:
  /// A span of time, and what the threads moved in it.
  struct span {
    double ns;
    std::uint64_t bytes;
    bool is_undisturbed;  ///< all threads were at work all the time
  };

  static bool counts(const span& counted, which chosen) {
    return chosen == which::all || counted.is_undisturbed;
  }

  template <class Work>
  span count(Work&& work) {
    const auto misses = traffic_.misses();
    const auto bytes = traffic_.bytes();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    const auto moved = traffic_.bytes() - bytes;
    return {time.count(), moved, misses && misses == traffic_.misses()};
  }

  static std::optional<double> rate_of(const std::vector<span>& spans, which chosen) {
    double ns = 0;
    double bytes = 0;
    for (const auto& counted : spans) {
      if (!counts(counted, chosen)) continue;
      ns += counted.ns;
      bytes += static_cast<double>(counted.bytes);
    }
    return ns > 0 ? std::optional(bytes / ns) : std::nullopt;
  }

  static constexpr unsigned most_percent = 100;

  transfers::device& device_;
  ends ends_;
  transfers::direction direction_;
  traffic traffic_;
  double rate_ = traffic::unlimited;
  std::size_t bytes_alone_ = 0;
  std::vector<span> during_, alone_;
};

std::vector<measured_metric> derive(const loaded_copy& copy, const metric_values& known) {
  std::vector<measured_metric> metrics{
      {count_metric("cpu_threads", "threads that load or store"),
       static_cast<double>(copy.threads())},
      {share_metric(
           "both_busy_percent",
           "of the copies: all threads were at work all the time, so that they are undisturbed",
           better::more),
       copy.percent_undisturbed()}};
  const auto add = [&](result_file::metric metric, std::optional<double> value) {
    if (value) metrics.push_back({std::move(metric), *value});
  };
  const auto lost = [](std::optional<double> loaded,
                       std::optional<double> alone) -> std::optional<double> {
    if (!loaded || !alone || *alone <= 0) return std::nullopt;
    return 100 * (1 - *loaded / *alone);
  };
  const auto copy_alone = known.find("copy_alone_gb_per_s");
  const auto rate_alone =
      copy_alone == known.end() ? std::nullopt : std::optional(copy_alone->second);
  using which = loaded_copy::which;
  add(rate_metric("cpu_gb_per_s", "loads and stores of the CPU's threads during the copy", true),
      copy.cpu_rate(which::all));
  add(rate_metric("cpu_alone_gb_per_s", "loads and stores of the CPU's threads alone"),
      copy.cpu_rate_alone(which::all));
  // A long copy is more likely to be disturbed: those that are not are no fair choice of all.
  for (const auto& [chosen, prefix, of] :
       {std::tuple(which::all, "", ""), {which::undisturbed, "undisturbed_", ", undisturbed"}}) {
    add(share_metric(std::string(prefix) + "copy_loss_percent",
                     std::string("of its rate alone that the copy loses to the CPU's threads") + of,
                     better::less, true),
        lost(copy.copy_rate(chosen), rate_alone));
    add(share_metric(
            std::string(prefix) + "cpu_loss_percent",
            std::string("of their rate alone that the CPU's threads lose to the copy") + of,
            better::less, true),
        lost(copy.cpu_rate(chosen), copy.cpu_rate_alone(chosen)));
  }
  return metrics;
}

transfer prepare_loaded(const job& task, const ends& ends, const load& load) {
  const auto shared = std::make_shared<loaded_copy>(task, ends, load);
  auto operation = transfer_between(ends);
  operation.steps = {{"copy", [shared] { shared->copy_and_count(); }}};
  operation.enqueue = asynchronous_copy(task, ends);
  operation.timing.batched = false;
  operation.timing.forget_settling = [shared] { shared->forget(); };
  operation.timing.conditions = [shared] {
    shared->start();
    return at_end([shared] { shared->stop(); });
  };
  operation.against = {{.name = "copy_alone",
                        .description = "the copy while the CPU's threads wait",
                        .run = [shared] { shared->copy(); },
                        .bytes = task.bytes,
                        .before =
                            [shared] {
                              shared->count_alone();
                              shared->stop();
                            },
                        .after =
                            [shared] {
                              shared->start();
                              return true;
                            }}};
  operation.derive = [shared](const metric_values& known) { return derive(*shared, known); };
  return operation;
}

const result_file::role role{"loaded", "copies while the CPU reads, writes or copies memory",
                             result_file::table::times};

const struct loaded_strategies {
  loaded_strategies() {
    const auto kind = transfers::pinned();
    strategy loaded{
        .family = "loaded",
        .parts = {in_memory(kind)},
        .summary = "cudaMemcpy while the CPU's other cores read, write or copy memory",
        .role = role,
        .procedure = 2,
        .needs = {.host = kind,
                  .fixed_host_memory = traffic_bytes,
                  .why_unsupported = [](const transfers::device&) -> std::optional<std::string> {
                    if (threads_of_traffic() > 0) return std::nullopt;
                    return "one processor copies and another one loads memory: there is only one";
                  }},
        // Shorter copies end before the threads have moved much. One size tells.
        .sampling = {.smallest = std::size_t{1} << 20,
                     .largest = std::size_t{64} << 20,
                     .size_stride = 16,
                     .cold = false}};
    for (const auto& direction : both_directions()) {
      auto& idle = loaded.variants.emplace_back(direction);
      idle.name += "/idle";
      idle.method = "idle";
      idle.prepare = [kind](const job& task) { return synchronous_copy(task, kind); };
      for (const auto traffic : {traffic_kind::read, traffic_kind::write, traffic_kind::copy})
        for (const auto percent : grades) {
          auto& under_load = loaded.variants.emplace_back(direction);
          under_load.method = to_string(traffic);
          under_load.setting = std::to_string(percent) + "_percent";
          under_load.name += "/" + *under_load.method + "_" + *under_load.setting;
          under_load.prepare = [kind, meanwhile = load{traffic, percent}](const job& task) {
            return prepare_loaded(task, ends_of(task, kind, task.direction), meanwhile);
          };
        }
    }
    registration{loaded};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::loaded_strategies
