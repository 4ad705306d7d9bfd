#include "bench/strategies/team_access.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/cpu/rates_at_once.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

using cpu::access;
using cpu::stretch;

/// Blocks up to this size may fit into the caches.
constexpr std::size_t fits_a_cache = std::size_t{32} << 20;

/// Threads stay awake between the operations of a repetition, also while they wait for the slowest:
/// waking up would be a part of the next operation's time.
constexpr std::chrono::milliseconds awake{20};

/// Factor on the usual amount for one operation. Starting and finishing a task on all cores takes
/// microseconds that vary between repetitions and should be a small part of the time. Memory is
/// about 8 times slower than caches. With cold caches a second access would be warm.
std::size_t times_usual(const team_access& chosen, std::size_t bytes, bool is_cold) {
  if (chosen.team == team::one_thread || is_cold) return 1;
  const auto in_caches = chosen.access.times_in_caches;
  return bytes <= fits_a_cache ? in_caches : std::max<std::size_t>(1, in_caches / 8);
}

/// The threads of one benchmark.
class access_team {
 public:
  access_team(const job& task, const payload& block, const team_access& chosen,
              std::shared_ptr<std::size_t> next_turn)
      : access_(chosen.access),
        next_turn_(std::move(next_turn)),
        first_turn_(*next_turn_),
        is_cold_(task.cache == cache_state::cold),
        team_(chosen.team == team::all_cores ? transfers::usable_processors() : 1, awake) {
    const auto share = block.bytes / team_.size() / cpu::line * cpu::line;
    if (share == 0) throw transfers::unsupported("less than one line for each core");
    const auto times = times_usual(chosen, task.bytes, is_cold_);
    const auto amount = times * chosen.per_thread;
    const auto piece = std::min(share, amount);
    std::span<std::byte> scratch;
    if (access_.uses_ordinary) scratch = task.memory.scratch(piece * team_.size());
    for (unsigned i = 0; i < team_.size(); ++i)
      parts_.push_back({.block = block.data - block.offset,
                        .first = block.offset + i * share,
                        .bytes = share,
                        .piece = piece,
                        .passes = is_cold_ ? 1 : std::max<std::size_t>(1, amount / piece),
                        .times = times,
                        .first_turn = first_turn_,
                        .ordinary = scratch.empty() ? scratch : scratch.subspan(i * piece, piece),
                        .pattern = task.memory.pattern()});
    workers_.resize(team_.size(), {.turn = first_turn_});
    marks_.resize(team_.size());
    if (access_.uses_ordinary) team_.run([this](unsigned i) { fill_ordinary(parts_[i]); });
    // The settling operations do not access all of the block.
    if (!is_cold_ && (access_.single || piece < share) && block.bytes <= fits_a_cache)
      team_.run([this](unsigned i) {
        static_cast<void>(
            cpu::instructions().read_vector(parts_[i].block + parts_[i].first, parts_[i].bytes));
      });
  }

  ~access_team() { *next_turn_ = last_turn(); }
  access_team(const access_team&) = delete;
  access_team& operator=(const access_team&) = delete;

  /// Each thread makes one turn at least, and goes on until all have made one, so that all are busy
  /// together; with cold caches one alone, because only one has been flushed.
  void run() {
    finished_ = 0;
    team_.run([this](unsigned i) { work(i); });
  }

  [[nodiscard]] bool is_cold() const { return is_cold_; }
  void flush() {
    team_.run([this](unsigned i) { access_.flush(parts_[i], workers_[i].turn); });
  }

  /// Of each thread in the last operation, in GB/s.
  [[nodiscard]] std::vector<double> rates() const {
    auto rates = cpu::rates_at_once(marks_);
    for (std::size_t i = 0; i < rates.size(); ++i)
      rates[i] *= static_cast<double>(access_.bytes(parts_[i]));
    return rates;
  }

  /// Checks the result of the last operation.
  std::optional<std::string> verify() {
    if (last_turn() == first_turn_) return access_.name() + " is wrong: it has not taken place";
    std::atomic<unsigned> wrong_threads = 0;
    team_.run([&](unsigned i) {
      if (!access_.is_correct(parts_[i], workers_[i].turn - 1, workers_[i].value)) ++wrong_threads;
    });
    if (wrong_threads == 0) return std::nullopt;
    return access_.name() + " of " + std::to_string(wrong_threads) + " threads is wrong";
  }

  void restore() {
    const auto all_turns = last_turn() - first_turn_;
    if (access_.single) {  // two turns may have accessed the same place
      team_.run([&](unsigned i) {
        for (std::size_t k = 0; k < all_turns; ++k) access_.restore(parts_[i], first_turn_ + k);
      });
      return;
    }
    // Turns repeat after pieces(), so each piece is restored once. Several threads restore what a
    // single thread accessed: a single thread would take longer than the timed operations.
    const auto turns = std::min(all_turns, parts_.front().pieces());
    transfers::in_parallel(turns * parts_.size(), {.worth_a_thread = 1},
                           [&](std::size_t first, std::size_t count) {
                             for (auto k = first; k < first + count; ++k)
                               access_.restore(parts_[k / turns], first_turn_ + k % turns);
                           });
  }

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] std::size_t bytes() const { return access_.bytes(parts_.front()) * parts_.size(); }

 private:
  struct alignas(cpu::line) worker {
    std::size_t turn = 0;  ///< the next one
    std::uint64_t value = 0;
  };

  void work(unsigned i) {
    auto& [turn, value] = workers_[i];
    auto& marks = marks_[i];
    marks.assign(1, std::chrono::steady_clock::now());
    do {
      value = access_.run(parts_[i], turn++);
      marks.push_back(std::chrono::steady_clock::now());
      if (marks.size() == 2) ++finished_;
    } while (!is_cold_ && finished_ < workers_.size());
  }

  /// Threads that are faster make more turns.
  [[nodiscard]] std::size_t last_turn() const {
    return std::ranges::max_element(workers_, {}, &worker::turn)->turn;
  }

  /// Fills in data that differ from the block's, so that a missing copy is detected. Inverted data
  /// would have the same exclusive or.
  static void fill_ordinary(const stretch& stretch) {
    auto different = stretch.pattern;
    different.seed = ~different.seed;
    different.words(stretch.first / sizeof(std::uint64_t),
                    {reinterpret_cast<std::uint64_t*>(stretch.ordinary.data()),
                     stretch.ordinary.size() / sizeof(std::uint64_t)});
  }

  access access_;
  std::shared_ptr<std::size_t> next_turn_;
  std::size_t first_turn_;
  bool is_cold_;
  std::vector<stretch> parts_;
  std::vector<worker> workers_;
  std::vector<cpu::turn_marks> marks_;
  std::atomic<std::size_t> finished_ = 0;  ///< threads that have made a turn
  transfers::worker_team team_;
};

/// The time of an operation is that of all bytes at the sum of the threads' rates: where one thread
/// is slow, as beside a busy hyperthread, the time of fixed work would be its time, and no rate.
void sum_rates(transfer& result, const std::shared_ptr<access_team>& threads) {
  const auto slowest = std::make_shared<std::vector<double>>();
  result.timing.own_time = [threads, slowest] {
    const auto rates = threads->rates();
    slowest->push_back(std::ranges::min(rates));
    return static_cast<double>(threads->bytes()) / std::reduce(rates.begin(), rates.end());
  };
  result.derive = [slowest](const metric_values&) {
    std::vector<measured_metric> metrics;
    if (!slowest->empty())
      metrics.push_back({rate_metric("slowest_thread_gb_per_s",
                                     "of the threads, while all were busy: the slowest"),
                         statistics::median(*slowest)});
    return metrics;
  };
}

}  // namespace

transfer prepare_access(const job& task, transfers::host_memory_kind kind,
                        const team_access& chosen, const std::shared_ptr<std::size_t>& next_turn) {
  const auto& access = chosen.access;
  const auto& node = chosen.node;
  if (access.why_unavailable) throw transfers::unsupported(*access.why_unavailable);
  const auto bound = node ? bound_to(*node) : nullptr;  // inherited by the team's threads
  const auto threads =
      std::make_shared<access_team>(task, host_payload(task, kind), chosen, next_turn);
  transfer result;
  result.steps = {{access.name(), [threads] { threads->run(); }}};
  result.amount.bytes = threads->bytes();
  result.timing.batched = false;
  if (access.single)
    result.amount.accesses = *result.amount.bytes / sizeof(std::uint64_t) / (threads->size());
  if (threads->is_cold()) result.timing.between = [threads] { threads->flush(); };
  if (node) result.timing.conditions = [cpus = *node] { return bound_to(cpus); };
  if (chosen.team == team::all_cores) sum_rates(result, threads);
  result.check.compare = [threads] { return threads->verify(); };
  if (access.restore) result.check.restore = [threads] { threads->restore(); };
  return result;
}

}  // namespace bench_transfers::bench
