#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>

#include "bench/cpu/access.hpp"
#include "bench/cpu/emulation.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

using cpu::access;
using cpu::stretch;

/// One thread goes over so much in one operation: some 0.3 ms, or 40 ms where memory is not cached.
constexpr std::size_t usual_amount = std::size_t{4} << 20;
/// The emulation takes microseconds for each line.
constexpr std::size_t emulated_amount = std::size_t{64} << 10;

/// Where caches may hold it all.
constexpr std::size_t fits_a_cache = std::size_t{32} << 20;

/// So many times the usual amount is one operation. Beginning and ending a task on all cores takes
/// microseconds that differ from one repetition to the next: it should be a small part. Memory is
/// some 8 times slower than caches. With cold caches, what is accessed twice would be warm.
std::size_t times_usual(const job& task, const access& how, bool on_all_cores) {
  if (!on_all_cores || task.cache == cache_state::cold) return 1;
  return task.bytes <= fits_a_cache ? how.times_in_caches
                                    : std::max<std::size_t>(1, how.times_in_caches / 8);
}

/// Threads stay awake between the operations of a repetition, also while they wait for the slowest
/// of them: waking up would be a part of the next operation's time.
constexpr std::chrono::milliseconds awake{20};

/// Which turn comes next, in one kind of memory: the next benchmark, and the next repetition, goes
/// on behind the last, where nothing is in a cache if the block is larger than that.
struct progress_through_block {
  std::size_t turn = 0;
};

/// All threads of one benchmark.
class crew {
 public:
  crew(const job& task, const payload& block, const access& how, bool on_all_cores,
       std::size_t per_thread, std::shared_ptr<progress_through_block> progress)
      : how_(how),
        progress_(std::move(progress)),
        first_turn_(progress_->turn),
        turn_(first_turn_),
        team_(on_all_cores ? transfers::usable_processors() : 1, awake) {
    const bool cold = task.cache == cache_state::cold;
    const auto share = block.bytes / team_.size() / cpu::line * cpu::line;
    if (share == 0) throw transfers::unsupported("less than one line for each core");
    const auto times = times_usual(task, how_, on_all_cores);
    const auto amount = times * per_thread;
    const auto piece = std::min(share, amount);
    std::span<std::byte> scratch;
    if (how_.uses_ordinary) scratch = task.memory.scratch(piece * team_.size());
    for (unsigned i = 0; i < team_.size(); ++i)
      parts_.push_back({.block = block.data - block.offset,
                        .first = block.offset + i * share,
                        .bytes = share,
                        .piece = piece,
                        .passes = cold ? 1 : std::max<std::size_t>(1, amount / piece),
                        .times = times,
                        .first_turn = first_turn_,
                        .ordinary = scratch.empty() ? scratch : scratch.subspan(i * piece, piece),
                        .pattern = task.memory.pattern()});
    results_.resize(team_.size());
    if (how_.uses_ordinary) team_.run([this](unsigned i) { fill_ordinary(parts_[i]); });
    // The operations before the timed ones do not go over all of it.
    if (!cold && (how_.single || piece < share) && block.bytes <= fits_a_cache)
      team_.run([this](unsigned i) {
        static_cast<void>(
            cpu::instructions().read_vector(parts_[i].block + parts_[i].first, parts_[i].bytes));
      });
  }

  ~crew() { progress_->turn = turn_; }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  void run() {
    team_.run([this](unsigned i) { results_[i].value = how_.run(parts_[i], turn_); });
    ++turn_;
  }

  void flush() {
    team_.run([this](unsigned i) { how_.flush(parts_[i], turn_); });
  }

  /// Compares what the last operation has done with what it should have done.
  std::optional<std::string> verify() {
    if (turn_ == first_turn_) return how_.name() + " is wrong: it has not taken place";
    std::atomic<unsigned> wrong = 0;
    team_.run([&](unsigned i) {
      if (!how_.is_right(parts_[i], turn_ - 1, results_[i].value)) ++wrong;
    });
    if (wrong == 0) return std::nullopt;
    return how_.name() + " of " + std::to_string(wrong) + " threads is wrong";
  }

  void restore() {
    const auto all_turns = turn_ - first_turn_;
    if (how_.single) {  // two turns may have met in one place
      team_.run([&](unsigned i) {
        for (std::size_t k = 0; k < all_turns; ++k) how_.restore(parts_[i], first_turn_ + k);
      });
      return;
    }
    // Each place once: after so many turns they begin again. Several threads also where one has
    // accessed it: it would take longer than what is timed.
    const auto turns = std::min(all_turns, parts_.front().pieces());
    transfers::in_parallel(turns * parts_.size(), {.worth_a_thread = 1},
                           [&](std::size_t first, std::size_t count) {
                             for (auto k = first; k < first + count; ++k)
                               how_.restore(parts_[k / turns], first_turn_ + k % turns);
                           });
  }

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] std::size_t bytes() const { return how_.bytes(parts_.front()) * parts_.size(); }

 private:
  struct alignas(cpu::line) result {
    std::uint64_t value = 0;
  };

  /// With other data than the block's, lest a copy that has not taken place look right. Inverted
  /// they would have the same exclusive or.
  static void fill_ordinary(const stretch& over) {
    auto other = over.pattern;
    other.seed = ~other.seed;
    other.words(over.first / sizeof(std::uint64_t),
                {reinterpret_cast<std::uint64_t*>(over.ordinary.data()),
                 over.ordinary.size() / sizeof(std::uint64_t)});
  }

  const access& how_;
  std::shared_ptr<progress_through_block> progress_;
  std::size_t first_turn_, turn_;
  std::vector<stretch> parts_;
  std::vector<result> results_;
  transfers::worker_team team_;
};

/// A variant: a kind of access, by one thread or by all cores.
struct threaded_access {
  access how;
  bool on_all_cores;
};
using access_list = std::shared_ptr<const std::map<std::string, threaded_access, std::less<>>>;

transfer prepare(const job& task, transfers::host_memory_kind kind, const access_list& all,
                 std::size_t per_thread, const std::shared_ptr<progress_through_block>& progress) {
  const auto& [how, on_all_cores] = all->find(task.variant)->second;
  if (how.why_unavailable) throw transfers::unsupported(*how.why_unavailable);
  const auto threads = std::make_shared<crew>(task, host_payload(task, kind), how, on_all_cores,
                                              per_thread, progress);
  transfer made;
  made.steps = {{how.name(), [threads] { threads->run(); }}};
  made.amount.bytes = threads->bytes();
  made.timing.batched = false;
  if (how.single)
    made.amount.accesses = *made.amount.bytes / sizeof(std::uint64_t) / (threads->size());
  if (task.cache == cache_state::cold) made.timing.between = [threads] { threads->flush(); };
  made.check.compare = [threads, all] { return threads->verify(); };
  if (how.restore) made.check.restore = [threads] { threads->restore(); };
  return made;
}

const result_file::role& role_of(const access& how) {
  switch (how.does) {
    case access::kind::read: return roles::cpu_read;
    case access::kind::write: return roles::cpu_write;
    case access::kind::read_write: break;
  }
  return roles::cpu_read_write;
}

/// memcpy by one thread is the plainest.
variant variant_of(const access& how, bool on_all_cores) {
  variant varied{.name = how.name() + (on_all_cores ? "_all_cores" : ""),
                 .role = role_of(how),
                 .method = how.method,
                 .plainness = (how.plainest ? 0U : 1U) + (on_all_cores ? 2U : 0U)};
  if (on_all_cores) varied.setting = "all_cores";
  return varied;
}

strategy of_memory(const name_part& memory, const std::string& summary,
                   transfers::host_memory_kind kind, const std::vector<access>& accesses,
                   std::size_t per_thread = usual_amount) {
  const auto all = std::make_shared<std::map<std::string, threaded_access, std::less<>>>();
  strategy made{
      .family = "cpu",
      .parts = {memory},
      .summary = summary,
      .role = roles::cpu_read,
      .prepare = [kind, all = access_list(all), per_thread,
                  progress = std::make_shared<progress_through_block>()](
                     const job& task) { return prepare(task, kind, all, per_thread, progress); },
      .needs = {.host = kind},
      .sampling = {.smallest = std::size_t{16} << 10, .size_stride = 3, .effort = 0.2}};
  for (const auto& how : accesses)
    for (const bool on_all_cores : {false, true}) {
      made.variants.push_back(variant_of(how, on_all_cores));
      all->emplace(made.variants.back().name, threaded_access{how, on_all_cores});
    }
  return made;
}

/// Reads that exist for write-combined memory alone.
strategy emulated_write_combined() {
  auto emulated = cpu::accesses_with(cpu::emulated_write_combined());
  std::erase_if(emulated, [](const access& how) { return !how.loads_by_instruction; });
  for (auto& how : emulated) how.times_in_caches = 1;  // it drops what it reads from the caches
  auto made = of_memory(in_memory("emulated_wc"),
                        "EMULATION of write-combined reads: lines flushed before each load",
                        transfers::pageable, emulated, emulated_amount);
  made.emulation = true;
  made.sampling.largest = std::size_t{1} << 20;
  made.sampling.cold = false;
  made.needs.why_unsupported = [](const transfers::device& device) -> std::optional<std::string> {
    if (!device.description().cuda) return std::nullopt;
    return "it stands in for write-combined memory where there is no GPU";
  };
  return made;
}

const struct cpu_strategies {
  cpu_strategies() {
    const auto add = [](transfers::host_memory_kind kind) {
      auto made = of_memory(in_memory(kind), "the CPU accesses " + transfers::describe(kind), kind,
                            accesses_with(cpu::instructions()));
      // It may move between host and device behind our back.
      if (kind == transfers::managed) made.sampling.largest = std::size_t{256} << 20;
      registration{made};
    };
    for (const auto kind : transfers::all_host_memory_kinds()) add(kind);
    add(transfers::managed);
    registration{emulated_write_combined()};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
