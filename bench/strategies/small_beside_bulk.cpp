#include "bench/strategies/small_beside_bulk.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/verification/pattern.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::better;
using clock = std::chrono::steady_clock;
using nanoseconds = bulk_copy::nanoseconds;

constexpr double quantile_of_tail = 0.99;

/// Lets small copies begin while a bulk copy is under way. Everything but run() happens between the
/// timed operations, which are small copies and nothing else. The harness makes these calls in each
/// repetition, through the functions of the transfer that prepare_beside_bulk() returns:
///   prepare_next(), run()          for each operation that settles
///   forget()                       by timing.forget_settling
///   prepare_next(), run(), took()  for each operation that is timed
///   end()                          by the destructor of what timing.conditions has returned
///   compare(), metrics()
/// Before the repetitions, it calls prepare_next(), run() and end() to verify a first operation,
/// also compare(), and to plan how many follow.
class interference {
 public:
  interference(const job& task, const small_beside_bulk& kind)
      : device_(task.device),
        pattern_(task.memory.pattern()),
        poison_(task.memory.pattern(true)),
        small_(task, kind.small) {
    if (!kind.bulk) return;
    bulk_.emplace(task, ends_of(task, bulk_method::mapped(), kind.bulk_direction),
                  kind.bulk_direction, *kind.bulk);
    verify_bulk_alone();
    measure_loss();
  }

  small_copies& small() { return small_; }
  [[nodiscard]] const std::optional<bulk_copy>& bulk() const { return bulk_; }

  /// Returns when the next small copy is due. Until then, the bulk copy is kept under way.
  void prepare_next() {
    if (!due_) due_ = clock::now();
    *due_ += random_distance();
    // Asking for the end of the bulk copy takes a moment, by which a small copy would be late.
    do {
      if (bulk_) keep_bulk_under_way();
      wait_a_moment(device_);
    } while (clock::now() < *due_ - last_look);
    if (!bulk_ && small_.all_are_used()) standing_still([this] { note(small_.find_damage()); });
    small_.choose_next();
    while (clock::now() < *due_) wait_a_moment(device_);
  }

  /// The copy that is due. It has taken as long as from then on, also if the one before it was
  /// late.
  void run() {
    const auto begin = clock::now();
    small_.run();
    const auto end = clock::now();
    took_ = end - *due_;
    calls_ns_.push_back(nanoseconds(end - begin).count());
  }
  [[nodiscard]] double took() const { return took_.count(); }

  /// Due times begin anew, too: nothing was due while other things were done.
  void forget() {
    bulk_copies_ = 0;
    calls_ns_.clear();
    due_.reset();
  }

  /// After the last small copy that is timed. The owner of what goes on calls this, which must not
  /// throw; compare() does.
  void end() noexcept {
    due_.reset();
    try {
      finish_bulk();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// One line if the copies since the last call have moved wrong data. Nothing is under way.
  std::optional<std::string> compare() {
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    note(small_.find_damage());
    if (bulk_) note(find_bulk_damage("bulk copy"));
    return std::exchange(damage_, std::nullopt);
  }

  [[nodiscard]] std::vector<measured_metric> metrics(const metric_values& known) const;

 private:
  static constexpr nanoseconds shortest_mean_distance = std::chrono::microseconds(50);
  static constexpr std::chrono::microseconds last_look{5};

  /// The bulk copy must move all by itself: what it moves beside small copies is verified later.
  void verify_bulk_alone() {
    write_pattern(device_, bulk_->destination(), poison_);
    try {
      bulk_->start();
      bulk_->finish();
    } catch (...) {
      write_pattern(device_, bulk_->destination(), pattern_);  // on which other benchmarks rely
      throw;
    }
    note(find_bulk_damage("bulk copy alone"));
    device_.synchronize();
  }

  /// The bulk copy alone and, in turn, with small copies one directly after another from its
  /// beginning to its end: the small copies that are timed have pauses between them.
  void measure_loss() {
    constexpr int pairs = 3;
    for (int i = 0; i < pairs; ++i) {
      copy_alone();
      copy_beside();
    }
    // At twice the distance at which they follow one another, small copies do not pile up.
    const nanoseconds beside(std::accumulate(beside_.begin(), beside_.end(), 0.0));
    mean_distance_ =
        std::max(shortest_mean_distance, 2 * beside / static_cast<double>(small_beside_ + pairs));
  }

  void copy_alone() {
    bulk_->start();
    alone_.push_back(bulk_->finish().count());
  }
  void copy_beside() {
    bulk_->start();
    for (bool has_ended = false; !has_ended;) {
      small_.choose_next();
      small_.run();
      has_ended = bulk_->has_ended();
      if (!has_ended) ++small_beside_;  // the last has had the link for itself, at least in part
    }
    beside_.push_back(bulk_->finish().count());
    note(small_.find_damage());
  }

  /// The bulk copies follow one another, whenever small copies are due.
  void keep_bulk_under_way() {
    if (bulk_->is_started() && !bulk_->has_ended()) return;
    standing_still([this] {
      finish_bulk();
      note(small_.find_damage());
      bulk_->start();
      while (!bulk_->has_begun()) wait_a_moment(device_);
    });
  }

  /// While this is done, nothing becomes due.
  template <class Work>
  void standing_still(Work&& work) {
    const auto begin = clock::now();
    work();
    *due_ += clock::now() - begin;
  }

  /// Does nothing if it has been finished.
  void finish_bulk() {
    if (!bulk_ || !bulk_->is_started()) return;
    bulk_->finish();
    ++bulk_copies_;
  }

  std::optional<std::string> find_bulk_damage(const std::string& which) {
    const auto damage = bulk_->find_damage();
    return damage ? std::optional(which + ": " + *damage) : std::nullopt;
  }

  /// Keeps the first damage for compare().
  void note(std::optional<std::string> damage) {
    if (!damage_) damage_ = std::move(damage);
  }

  /// Arrivals at random, of which none depends on the bulk copy or on those before it.
  clock::duration random_distance() {
    return std::chrono::duration_cast<clock::duration>(
        mean_distance_ * std::exponential_distribution<double>()(random_));
  }

  transfers::device& device_;
  pattern pattern_, poison_;
  small_copies small_;
  std::optional<bulk_copy> bulk_;
  std::minstd_rand random_;  // the same in every benchmark
  nanoseconds mean_distance_ = shortest_mean_distance;
  std::optional<clock::time_point> due_;  ///< when the next small copy begins
  nanoseconds took_{0};
  std::vector<double> calls_ns_;        ///< from their beginning, not from when they were due
  std::vector<double> alone_, beside_;  ///< ns of each bulk copy
  std::size_t small_beside_ = 0;        ///< during those of `beside_`
  std::size_t bulk_copies_ = 0;         ///< beside which small copies have been timed
  std::optional<std::string> damage_;
  std::exception_ptr failure_;
};

std::vector<measured_metric> interference::metrics(const metric_values& known) const {
  std::vector<measured_metric> metrics;
  if (const auto p99 = known.find("p99_ns"); p99 != known.end())
    metrics.push_back(
        {time_metric("small_p99_ns", "a small copy: 99th percentile", true), p99->second});
  auto calls_ns = calls_ns_;
  std::ranges::sort(calls_ns);
  if (const auto p99 = statistics::told_quantile(calls_ns, quantile_of_tail))
    metrics.push_back({time_metric("small_call_p99_ns",
                                   "a small copy from when its call begins: 99th percentile"),
                       *p99});
  if (!bulk_) return metrics;
  const auto bytes = static_cast<double>(bulk_->source().bytes);
  const double rate = bytes / statistics::median(beside_);
  const auto small_bytes = static_cast<double>(small_beside_ * small_.bytes());
  const double rate_alone = bytes / statistics::median(alone_);
  const auto add_rate = [&](std::string name, std::string description, double value) {
    metrics.push_back({rate_metric(std::move(name), std::move(description)), value});
  };
  add_rate("bulk_gb_per_s", "the bulk copy with small copies beside it, one after another", rate);
  add_rate("bulk_alone_gb_per_s", "the bulk copy alone, in turn with it", rate_alone);
  add_rate("small_gb_per_s", "the small copies meanwhile, one after another",
           small_bytes / std::accumulate(beside_.begin(), beside_.end(), 0.0));
  metrics.push_back(
      {share_metric("bulk_loss_percent",
                    "of its rate alone that the bulk copy loses to small copies one after "
                    "another",
                    better::less, true),
       100 * (1 - rate / rate_alone)});
  metrics.push_back(
      {count_metric("bulk_copies", "bulk copies beside which small copies have been timed"),
       static_cast<double>(bulk_copies_)});
  if (const auto occupied = bulk_->occupied(device_)) metrics.push_back(*occupied);
  return metrics;
}

}  // namespace

transfer prepare_beside_bulk(const job& task, const small_beside_bulk& kind) {
  const auto shared = std::make_shared<interference>(task, kind);
  transfer operation;
  if (const auto& bulk = shared->bulk()) {
    operation.source = bulk->source();
    operation.destination = bulk->destination();
  }
  operation.steps = {{"small_copy", [shared] { shared->run(); }}};
  operation.timing.own_time = [shared] { return shared->took(); };
  operation.amount.bytes = kind.small.bytes;
  operation.amount.multiprocessors = shared->small().multiprocessors();
  operation.timing.batched = false;
  operation.timing.least_operations = statistics::least_values(quantile_of_tail);
  operation.timing.between = [shared] { shared->prepare_next(); };
  operation.timing.forget_settling = [shared] { shared->forget(); };
  operation.timing.conditions = [shared] { return at_end([shared] { shared->end(); }); };
  operation.check.compare = [shared] { return shared->compare(); };
  operation.check.corrupt = [shared] { shared->small().corrupt(); };
  operation.derive = [shared](const metric_values& known) { return shared->metrics(known); };
  return operation;
}

}  // namespace bench_transfers::bench
