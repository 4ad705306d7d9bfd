#include "src/fleet/ranks/node_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

namespace bench_transfers::fleet {
namespace {

using namespace std::chrono_literals;

constexpr auto front_of_names = "ranks-";

}  // namespace

rank_is_taken::rank_is_taken(std::size_t rank)
    : std::runtime_error(fmt::format("another process of this node is local rank {}, too", rank)) {}

node_ranks::node_ranks(description self) : self_(std::move(self)) {
  if (self_.folder.empty()) self_.folder = folder_of_shared_files();
  remove_abandoned(self_.folder, front_of_names);
  open_file();
  if (!table_->has_place()) throw rank_is_taken(self_.rank);
  started_ = shared_clock::now();
  auto& own = table_->own();
  if (own.has_joined()) throw left_behind();  // another one was here, and has ended
  self_.device.resize(std::min(self_.device.size(), own.device.size() - 1));
  std::ranges::copy(self_.device, own.device.begin());
  own.world_rank = self_.world_rank;
  own.put_aside = self_.put_aside;
  say_processors();
  beat();
  reach(milestone::joined);
  wait_for_all(milestone::joined);
  for (const auto& other : table_->slots()) told_.push_back(other.is_gone());  // present() tells
}

void node_ranks::open_file() {
  const auto name =
      self_.folder / fmt::format("{}{:016x}", front_of_names, std::hash<std::string>()(self_.job));
  for (;;) {
    table_ = std::make_unique<slot_table>(name, self_.count, self_.rank, self_.seed);
    if (!is_of_earlier_run()) return;
    table_->abandon();  // should a process of that run go on, it does not measure beside this one
  }
}

/// A process of a run that is over may be left, stopped. Nobody in a run that goes on is silent for
/// so long.
bool node_ranks::is_of_earlier_run() const {
  std::vector<std::size_t> ranks(self_.count);
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  const auto is_over = [&](std::size_t rank) {
    return table_->slots()[rank].progress == milestone::left || table_->process_ended(rank);
  };
  if (table_->has_place() && !table_->own().is_gone() && std::ranges::none_of(ranks, is_over))
    return false;
  const auto start = shared_clock::now();
  const auto lives = [&](const rank_slot& other) {
    return other.beat > start.time_since_epoch().count();
  };
  const auto may_live = [&](std::size_t rank) { return !is_over(rank) && table_->is_taken(rank); };
  while (shared_clock::now() - start < self_.wait && !table_->is_abandoned()) {
    if (self_.interrupted() || std::ranges::any_of(table_->slots(), lives)) return false;
    if (std::ranges::none_of(ranks, may_live)) return true;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

node_ranks::~node_ranks() { leave(); }

std::uint64_t node_ranks::seed() const noexcept { return table_->seed(); }

std::size_t node_ranks::present() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(table_->slots(), false, &rank_slot::is_gone));
}

std::size_t node_ranks::processors() const noexcept {
  processor_set together;
  for (const auto& other : table_->slots())
    if (!other.is_gone())
      for (std::size_t i = 0; i < together.bits.size(); ++i)
        together.bits[i] |= other.processors[i].load();
  return together.count();
}

void node_ranks::say_processors() noexcept {
  const auto own = own_processors();
  auto& said = table_->own().processors;
  for (std::size_t i = 0; i < own.bits.size(); ++i) said[i] = own.bits[i];
}

void node_ranks::wait_until_said() {
  reach(milestone::has_said);
  wait_for_all(milestone::has_said);
}

std::optional<std::size_t> node_ranks::twin() const {
  for (std::size_t rank = 0; rank < self_.count; ++rank) {
    const auto& other = table_->slots()[rank];
    if (rank != self_.rank && other.has_joined() && self_.device == other.device.data())
      return rank;
  }
  return std::nullopt;
}

void node_ranks::beat() noexcept { table_->beat(); }

void node_ranks::give_up_dead(milestone wanted, std::size_t end) noexcept {
  table_->give_up_dead(wanted, end, started_,
                       std::chrono::duration_cast<std::chrono::nanoseconds>(self_.wait));
}

bool node_ranks::is_first() const noexcept {
  return std::ranges::all_of(table_->slots().first(self_.rank), &rank_slot::is_gone);
}

std::vector<lost_rank> node_ranks::lost() const {
  using std::chrono::nanoseconds, std::chrono::system_clock;
  std::vector<lost_rank> lost;
  for (std::size_t rank = 0; rank < self_.count; ++rank) {
    const auto& other = table_->slots()[rank];
    const bool is_of_this_run = other.gone_since != 0;  // see open_file()
    if (!other.is_gone() || !other.has_joined() || !is_of_this_run) continue;
    const auto since =
        std::chrono::duration_cast<system_clock::duration>(nanoseconds(other.gone_since.load()));
    lost.push_back({rank, other.world_rank, other.device.data(), other.process_ended != 0,
                    system_clock::time_point(since), nanoseconds(other.silence.load())});
  }
  return lost;
}

std::vector<std::optional<std::size_t>> node_ranks::world_ranks() const {
  std::vector<std::optional<std::size_t>> ranks(self_.count);
  for (std::size_t rank = 0; rank < self_.count; ++rank)
    if (const auto& other = table_->slots()[rank]; other.has_joined())
      ranks[rank] = other.world_rank.load();
  return ranks;
}

std::vector<std::size_t> node_ranks::with_files_put_aside() const {
  std::vector<std::size_t> ranks;
  for (const auto& each : table_->slots())
    ranks.insert(ranks.end(), each.put_aside.load(), each.world_rank.load());
  return ranks;
}

std::chrono::nanoseconds node_ranks::longest_silence() const noexcept {
  std::int64_t longest = 0;
  for (const auto& other : table_->slots())
    if (other.is_gone()) longest = std::max(longest, other.silence.load());
  return std::chrono::nanoseconds(longest);
}

void node_ranks::tell_lost() {
  if (told_.empty()) return;
  for (const auto& other : lost()) {
    if (table_->slots()[other.rank].noticed_by != self_.rank + 1 || told_[other.rank]) continue;
    told_[other.rank] = true;
    self_.tell(other);
  }
}

/// A rank has told how far it is, and waits until others are as far. While it waits, it gives signs
/// of life and gives up who has ended or gives none. Who is given up is gone for all, and stops
/// when it sees that.
void node_ranks::wait_until(milestone wanted, std::size_t end) {
  while (!table_->have_reached(wanted, end) && !self_.interrupted()) {
    beat();
    give_up_dead(wanted, end);
    std::this_thread::sleep_for(2ms);
  }
  tell_lost();
  if (table_->own().is_gone()) throw left_behind();
}

bool node_ranks::have_all_reached(milestone wanted) noexcept {
  if (table_->have_reached(wanted, self_.count)) return true;
  constexpr std::int64_t between_looks = 10'000'000;
  const auto time = shared_time();
  auto next = next_look_.load();
  if (time >= next && next_look_.compare_exchange_strong(next, time + between_looks)) {
    beat();
    give_up_dead(wanted, self_.count);
  }
  return false;
}

void node_ranks::wait_for_turn() {
  reach(milestone::ready);
  wait_for_all(milestone::ready);
  wait_until(milestone::turn_ended, self_.rank);
}

void node_ranks::end_turn() { reach(milestone::turn_ended); }

void node_ranks::wait_for_all_turns() { wait_for_all(milestone::turn_ended); }

void node_ranks::leave() noexcept { reach(milestone::left); }

}  // namespace bench_transfers::fleet
