#include "bench/strategies/beside.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::better;
using nanoseconds_of_beside = std::chrono::duration<double, std::nano>;

/// As short as works often follow one another; long enough for none to be due when the last ends.
constexpr nanoseconds_of_beside mean_distance = std::chrono::microseconds(100);
constexpr std::size_t operations_of_a_turn = 250;
constexpr std::size_t alone_in_a_turn = 20;
constexpr std::size_t calls_alone_in_a_turn = 2;
constexpr std::chrono::milliseconds longest_turn{100};

double nanoseconds_between(beside::clock::time_point begin, beside::clock::time_point end) {
  return nanoseconds_of_beside(end - begin).count();
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

repeating_thread::repeating_thread(transfers::device& device, const std::function<void()>& call)
    : device_(device), call_(call), thread_([this] { make_calls(); }) {
  ended_.wait(0);
  if (!has_failed()) return;
  stop();
  rethrow();
}

void repeating_thread::make_calls() noexcept {
  const auto count = [this] {
    ended_.fetch_add(1, std::memory_order_acq_rel);
    ended_.notify_all();
  };
  try {
    const auto current = device_.make_current();
    call_();
    for (auto begin = clock::now(); !stopping_.load(std::memory_order_acquire);) {
      count();
      call_();
      const auto end = clock::now();
      spans_.push_back({begin, end});
      begin = end;
    }
  } catch (...) {
    failure_ = std::current_exception();
    failed_.store(true, std::memory_order_release);
  }
  is_over_.store(true, std::memory_order_release);
  count();
}

std::size_t repeating_thread::made() const {
  const auto ended = ended_.load(std::memory_order_acquire);
  return ended == 0 ? 0 : ended - 1;
}

void repeating_thread::wait_for(std::size_t calls) const {
  for (auto ended = ended_.load(std::memory_order_acquire); ended < calls + 1 && !has_failed();
       ended = ended_.load(std::memory_order_acquire))
    ended_.wait(ended);
}

void repeating_thread::stop() noexcept {
  let_end();
  if (thread_.joinable()) thread_.join();
}

void repeating_thread::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

std::size_t beside::operations_for(std::chrono::nanoseconds each) {
  constexpr std::chrono::milliseconds longest_for_p99{500};
  constexpr std::chrono::milliseconds longest{150};
  constexpr std::size_t fewest = 3;
  const auto fit_in = [&](nanoseconds_of_beside time) {
    return static_cast<std::size_t>(time / (each + mean_distance));
  };
  const auto for_p99 = statistics::least_values(0.99);
  if (fit_in(longest_for_p99) >= for_p99) return for_p99;
  return std::clamp(fit_in(longest), fewest, statistics::least_values(0.95));
}

std::size_t beside::choose_operations(std::chrono::nanoseconds first) {
  constexpr std::size_t most = 5;
  constexpr double enough_ns = 20e6;
  std::vector times{static_cast<double>(first.count())};
  while (times.size() < most && sum_of(times) < enough_ns) {
    prepare_next();
    run();
    times.push_back(took_ns_);
  }
  return operations_for(
      std::chrono::nanoseconds(static_cast<std::int64_t>(statistics::median(std::move(times)))));
}

void beside::prepare_next() {
  if (call_) {
    if (calls_ && calls_->has_failed()) {
      end_turn();
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    if (turn_is_over()) {
      end_turn();
      begin_turn();
    }
    ++operations_of_turn_;
  }
  wait_for_due_time();
}

bool beside::turn_is_over() const {
  if (!calls_) return true;
  const bool is_long =
      operations_of_turn_ >= operations_of_a_turn || clock::now() - beside_since_ >= longest_turn;
  // One is under way when operations beside begin, and counts for neither.
  return is_long && calls_->made() > calls_before_;
}

void beside::begin_turn() {
  for (std::size_t i = 0; counts_ && i < alone_in_a_turn; ++i) {
    wait_for_due_time();
    run();
    work_alone_ns_.push_back(took_ns_);
  }
  calls_ = std::make_unique<repeating_thread>(device_, call_->run);
  if (counts_) calls_->wait_for(calls_alone_in_a_turn);
  operations_of_turn_ = 0;
  beside_since_ = clock::now();
  calls_before_ = calls_->made();
}

void beside::end_turn() noexcept {
  if (!calls_) return;
  auto& calls = *calls_;
  const auto go_on = [this] {
    wait_for_due_time();
    run();
  };
  try {
    // The call that was under way when the work began does not count. When it has ended, the next
    // one begins, and does.
    while (counts_ && calls.made() <= calls_before_ && !calls.has_failed()) go_on();
    calls.let_end();
    while (!calls.has_ended()) go_on();
    time_beside_ns_ += nanoseconds_between(beside_since_, clock::now());
    calls.stop();
    calls.rethrow();
    const auto& spans = calls.spans();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const auto& [begin, end] = spans[i];
      if (i < calls_alone_in_a_turn)
        calls_alone_ns_.push_back(nanoseconds_between(begin, end));
      else if (i > calls_before_)
        calls_beside_ns_.push_back(nanoseconds_between(begin, end));
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  calls_.reset();
}

void beside::wait_for_due_time() {
  const auto distance = mean_distance * std::exponential_distribution<double>()(random_);
  due_ = clock::now() + std::chrono::duration_cast<clock::duration>(distance);
  while (clock::now() < due_) wait_a_moment(device_);
}

void beside::run() {
  work_.run();
  took_ns_ = nanoseconds_between(due_, clock::now());
  if (calls_) work_beside_ns_ += took_ns_;
}

void beside::forget() {
  end();
  counts_ = true;
  work_alone_ns_.clear();
  calls_alone_ns_.clear();
  calls_beside_ns_.clear();
  work_beside_ns_ = time_beside_ns_ = 0;
}

std::optional<std::string> beside::compare() {
  if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  auto damage = work_.find_damage();
  if (damage) damage = "the work beside: " + *damage;
  if (!call_ || !call_->find_damage) return damage;
  auto of_calls = call_->find_damage();
  if (damage || !of_calls) return damage;
  return "the other thread: " + *of_calls;
}

std::vector<measured_metric> beside::metrics(const metric_values& known) const {
  std::vector<measured_metric> metrics;
  const auto add = [&](result_file::metric described, double value) {
    metrics.push_back({std::move(described), value});
  };
  if (const auto p99 = known.find("p99_ns"); p99 != known.end())
    add(time_metric("work_p99_ns", "the work: 99th percentile", true), p99->second);
  if (!call_ || work_alone_ns_.empty()) return metrics;
  const auto alone = statistics::median(work_alone_ns_);
  add(time_metric("work_alone_ns", "the work alone, in turn: median"), alone);
  if (const auto median = known.find("median_ns"); median != known.end())
    add(share_metric("slowdown_percent",
                     "how much longer the work takes than alone, by the medians", better::less,
                     true),
        100 * (median->second / alone - 1));
  if (time_beside_ns_ > 0)
    add(share_metric("work_percent",
                     "of the time beside, work was due or under way; the rest are pauses"),
        100 * work_beside_ns_ / time_beside_ns_);
  const auto add_calls = [&](const std::vector<double>& times, const std::string& suffix,
                             const std::string& when, bool headline) {
    if (times.empty()) return;
    add(time_metric("call" + suffix + "_ns", "a call of the other thread " + when + ": median"),
        statistics::median(times));
    if (call_->bytes == 0) return;
    const auto moved = static_cast<double>(call_->bytes * times.size());
    add(rate_metric("copies" + suffix + "_gb_per_s", "the other thread's copies " + when, headline),
        moved / sum_of(times));
  };
  add_calls(calls_beside_ns_, "", "beside the work", true);
  add_calls(calls_alone_ns_, "_alone", "alone, in turn", false);
  add(count_metric("calls_beside", "calls of the other thread beside the work"),
      static_cast<double>(calls_beside_ns_.size()));
  return metrics;
}

transfer timed_beside(const job& task, timed_work work, std::optional<repeated_call> call,
                      std::function<std::optional<measured_metric>()> more) {
  auto corrupt = std::move(work.corrupt);
  const auto shared = std::make_shared<beside>(task.device, std::move(work), std::move(call));
  transfer operation;
  operation.steps = {{"work", [shared] { shared->run(); }}};
  operation.amount.bytes = 0;
  operation.timing.own_time = [shared] { return shared->took_ns(); };
  operation.timing.polls = true;
  operation.timing.batched = false;
  operation.timing.choose_operations = [shared](std::chrono::nanoseconds first) {
    return shared->choose_operations(first);
  };
  operation.timing.between = [shared] { shared->prepare_next(); };
  operation.timing.forget_settling = [shared] { shared->forget(); };
  operation.timing.conditions = [shared] { return at_end([shared] { shared->end(); }); };
  operation.check.compare = [shared] { return shared->compare(); };
  operation.check.corrupt = std::move(corrupt);
  operation.derive = [shared, more = std::move(more)](const metric_values& known) {
    auto metrics = shared->metrics(known);
    if (const auto further = more ? more() : std::nullopt) metrics.push_back(*further);
    return metrics;
  };
  return operation;
}

std::optional<std::string> why_no_calls_beside() {
  return why_not_at_once("a thread makes calls and another one launches work");
}

}  // namespace bench_transfers::bench
