#include "src/fleet/ranks/node_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

namespace bench_transfers::fleet {
namespace {

using namespace std::chrono_literals;

// The ranks of a node talk through a file in shared memory, in which each has a slot that it alone
// writes, but for what the others know of it when it is gone. A rank tells how far it is by a
// number that only grows, so that nobody can miss a step of another, and waits until all others are
// as far. While it waits, it gives signs of life and gives up who has ended or gives none. Who is
// given up is gone for all, and stops when it sees that.
constexpr std::uint64_t joined = 1, has_said = 2, ready = 3, turn_ended = 4;
constexpr std::uint64_t first_meeting = 8;
constexpr std::uint64_t steps_of_meeting = 8;
constexpr std::uint64_t left = std::numeric_limits<std::uint64_t>::max();

std::int64_t now() { return shared_clock::now().time_since_epoch().count(); }

constexpr auto front_of_names = "ranks-";

}  // namespace

rank_is_taken::rank_is_taken(std::size_t rank)
    : std::runtime_error(fmt::format("another process of this node is local rank {}, too", rank)) {}

struct node_ranks::head {
  std::atomic<std::uint64_t> seed;
};

struct alignas(64) node_ranks::slot {
  std::atomic<std::uint64_t> progress;  ///< 0: it has not joined
  std::atomic<std::int64_t> beat;
  std::atomic<std::uint64_t> world_rank, put_aside;
  std::atomic<std::uint32_t> gone;
  // What the others know of it when it is gone.
  std::atomic<std::uint64_t> noticed_by;  ///< rank of the node + 1
  std::atomic<std::int64_t> gone_since;   ///< in ns of system_clock
  std::atomic<std::int64_t> silence;
  std::atomic<std::uint32_t> has_ended;
  // What it has told in a meeting.
  std::atomic<std::uint64_t> met;  ///< number of the meeting + 1
  std::atomic<std::int64_t> begin, end, course;
  std::array<char, 128> device;
  std::array<std::atomic<std::uint64_t>, processor_set::words> processors;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "needed between processes");
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "likewise");

node_ranks::node_ranks(description self) : self_(std::move(self)) {
  if (self_.folder.empty()) self_.folder = folder_of_shared_files();
  remove_abandoned(self_.folder, front_of_names);
  open_file();
  if (!file_->has_place()) throw rank_is_taken(self_.rank);
  started_ = shared_clock::now();
  auto& own = slot_of(self_.rank);
  if (own.progress != 0) throw left_behind();  // another one was here, and has ended
  self_.device.resize(std::min(self_.device.size(), own.device.size() - 1));
  std::ranges::copy(self_.device, own.device.begin());
  own.world_rank = self_.world_rank;
  own.put_aside = self_.put_aside;
  say_processors();
  beat();
  advance(joined);
  wait_until(joined, self_.count);
  for (const auto& other : slots()) told_.push_back(other.gone != 0);  // present() tells
}

void node_ranks::open_file() {
  const auto name =
      self_.folder / fmt::format("{}{:016x}", front_of_names, std::hash<std::string>()(self_.job));
  for (;;) {
    file_ = std::make_unique<shared_file>(
        name, sizeof(slot) * (self_.count + 1), self_.rank,
        [&](void* data) { static_cast<head*>(data)->seed = self_.seed; });
    if (!is_of_earlier_run()) return;
    // Should a process of that run go on, it does not measure beside this one.
    for (auto& other : slots()) other.gone = 1;
    file_->abandon();
  }
}

bool node_ranks::has_ended(std::size_t rank) const noexcept {
  const auto reached = slot_of(rank).progress.load(std::memory_order_acquire);
  const bool is_own = rank == self_.rank && file_->has_place();
  return reached == left || (reached != 0 && (is_own || !file_->is_taken(rank)));
}

/// A process of a run that is over may be left, stopped. Nobody in a run that goes on is silent for
/// so long.
bool node_ranks::is_of_earlier_run() const {
  std::vector<std::size_t> ranks(self_.count);
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  const auto ends = [&](std::size_t rank) { return has_ended(rank); };
  if (file_->has_place() && !is_gone() && std::ranges::none_of(ranks, ends)) return false;
  const auto start = shared_clock::now();
  const auto lives = [&](const slot& other) {
    return other.beat > start.time_since_epoch().count();
  };
  const auto may_live = [&](std::size_t rank) { return !has_ended(rank) && file_->is_taken(rank); };
  while (shared_clock::now() - start < self_.wait && !file_->is_abandoned()) {
    if (self_.interrupted() || std::ranges::any_of(slots(), lives)) return false;
    if (std::ranges::none_of(ranks, may_live)) return true;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

node_ranks::~node_ranks() { leave(); }

std::span<node_ranks::slot> node_ranks::slots() const noexcept {
  return {&slot_of(0), self_.count};
}

node_ranks::slot& node_ranks::slot_of(std::size_t rank) const noexcept {
  return static_cast<slot*>(file_->data())[rank + 1];
}

std::uint64_t node_ranks::seed() const noexcept {
  return static_cast<const head*>(file_->data())->seed;
}

std::size_t node_ranks::present() const noexcept {
  const auto is_there = [](const slot& other) { return other.gone == 0; };
  return static_cast<std::size_t>(std::ranges::count_if(slots(), is_there));
}

std::size_t node_ranks::processors() const noexcept {
  processor_set together;
  for (const auto& other : slots())
    if (other.gone == 0)
      for (std::size_t i = 0; i < together.bits.size(); ++i)
        together.bits[i] |= other.processors[i].load();
  return together.count();
}

void node_ranks::say_processors() noexcept {
  const auto own = own_processors();
  auto& said = slot_of(self_.rank).processors;
  for (std::size_t i = 0; i < own.bits.size(); ++i) said[i] = own.bits[i];
}

void node_ranks::wait_until_said() {
  advance(has_said);
  wait_until(has_said, self_.count);
}

std::optional<std::size_t> node_ranks::twin() const {
  for (std::size_t rank = 0; rank < self_.count; ++rank) {
    const auto& other = slot_of(rank);
    if (rank != self_.rank && other.progress != 0 && self_.device == other.device.data())
      return rank;
  }
  return std::nullopt;
}

void node_ranks::beat() noexcept { slot_of(self_.rank).beat = now(); }

void node_ranks::advance(std::uint64_t progress) noexcept {
  slot_of(self_.rank).progress.store(progress, std::memory_order_release);
}

bool node_ranks::is_gone() const noexcept { return slot_of(self_.rank).gone != 0; }

bool node_ranks::have_reached(std::uint64_t progress, std::size_t end) const noexcept {
  for (std::size_t rank = 0; rank < end; ++rank) {
    const auto& other = slot_of(rank);
    if (other.progress.load(std::memory_order_acquire) < progress && other.gone == 0) return false;
  }
  return true;
}

void node_ranks::give_up_dead(std::uint64_t progress, std::size_t end) noexcept {
  const auto time = now();
  const auto wait = std::chrono::duration_cast<std::chrono::nanoseconds>(self_.wait).count();
  const auto start = started_.time_since_epoch().count();
  for (std::size_t rank = 0; rank < end; ++rank) {
    auto& other = slot_of(rank);
    if (rank == self_.rank || other.gone != 0) continue;
    const auto reached = other.progress.load(std::memory_order_acquire);
    if (reached >= progress) continue;
    const bool has_ended = reached != 0 && !file_->is_taken(rank);
    // It may have gone on between both looks, and ended then.
    if (has_ended && other.progress.load(std::memory_order_acquire) >= progress) continue;
    const auto silence = time - std::max(start, other.beat.load());
    if (has_ended || silence > wait) give_up(rank, has_ended, std::chrono::nanoseconds(silence));
  }
}

/// Several ranks may do so at once: one of them is the first.
void node_ranks::give_up(std::size_t rank, bool has_ended,
                         std::chrono::nanoseconds silence) noexcept {
  auto& other = slot_of(rank);
  const std::chrono::nanoseconds since = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t noticed = 0;
  if (other.gone_since.compare_exchange_strong(noticed, since.count())) {
    other.has_ended = has_ended ? 1 : 0;
    other.silence = silence.count();
    other.noticed_by = self_.rank + 1;
    other.gone = 1;  // last: who sees it reads the others
  } else if (since - std::chrono::nanoseconds(noticed) > std::chrono::seconds(1)) {
    other.gone = 1;  // the rank that was the first to notice has died itself
  }
}

bool node_ranks::is_first() const noexcept {
  return std::ranges::all_of(slots().first(self_.rank),
                             [](const slot& other) { return other.gone != 0; });
}

std::vector<lost_rank> node_ranks::lost() const {
  using std::chrono::nanoseconds, std::chrono::system_clock;
  std::vector<lost_rank> lost;
  for (std::size_t rank = 0; rank < self_.count; ++rank) {
    const auto& other = slot_of(rank);
    const bool is_of_this_run = other.gone_since != 0;  // see open_file()
    if (other.gone == 0 || other.progress == 0 || !is_of_this_run) continue;
    const auto since =
        std::chrono::duration_cast<system_clock::duration>(nanoseconds(other.gone_since.load()));
    lost.push_back({rank, other.world_rank, other.device.data(), other.has_ended != 0,
                    system_clock::time_point(since), nanoseconds(other.silence.load())});
  }
  return lost;
}

std::vector<std::optional<std::size_t>> node_ranks::world_ranks() const {
  std::vector<std::optional<std::size_t>> ranks(self_.count);
  for (std::size_t rank = 0; rank < self_.count; ++rank)
    if (const auto& other = slot_of(rank); other.progress.load(std::memory_order_acquire) != 0)
      ranks[rank] = other.world_rank.load();
  return ranks;
}

std::vector<std::size_t> node_ranks::with_files_put_aside() const {
  std::vector<std::size_t> ranks;
  for (const auto& each : slots())
    ranks.insert(ranks.end(), each.put_aside.load(), each.world_rank.load());
  return ranks;
}

std::chrono::nanoseconds node_ranks::longest_silence() const noexcept {
  std::int64_t longest = 0;
  for (const auto& other : slots())
    if (other.gone != 0) longest = std::max(longest, other.silence.load());
  return std::chrono::nanoseconds(longest);
}

void node_ranks::tell_lost() {
  if (told_.empty()) return;
  for (const auto& other : lost()) {
    if (slot_of(other.rank).noticed_by != self_.rank + 1 || told_[other.rank]) continue;
    told_[other.rank] = true;
    self_.tell(other);
  }
}

void node_ranks::wait_until(std::uint64_t progress, std::size_t end) {
  while (!have_reached(progress, end) && !self_.interrupted()) {
    beat();
    give_up_dead(progress, end);
    std::this_thread::sleep_for(2ms);
  }
  tell_lost();
  if (is_gone()) throw left_behind();
}

void node_ranks::wait_for_turn() {
  advance(ready);
  wait_until(ready, self_.count);
  wait_until(turn_ended, self_.rank);
}

void node_ranks::end_turn() { advance(turn_ended); }

void node_ranks::wait_for_all_turns() { wait_until(turn_ended, self_.count); }

void node_ranks::leave() noexcept { advance(left); }

std::uint64_t meeting::progress(step milestone) const noexcept {
  return first_meeting + number_ * steps_of_meeting + static_cast<std::uint64_t>(milestone);
}

void meeting::reach(step milestone) noexcept { ranks_->advance(progress(milestone)); }

bool meeting::have_all_reached(step milestone) noexcept {
  if (ranks_->have_reached(progress(milestone), ranks_->self_.count)) return true;
  constexpr std::int64_t between_looks = 10'000'000;
  const auto time = now();
  auto next = ranks_->next_look_.load();
  if (time >= next && ranks_->next_look_.compare_exchange_strong(next, time + between_looks)) {
    ranks_->beat();
    ranks_->give_up_dead(progress(milestone), ranks_->self_.count);
  }
  return false;
}

std::vector<busy_time> meeting::exchange(const std::optional<busy_time>& own) {
  auto& slot = ranks_->slot_of(ranks_->self_.rank);
  if (own) {
    slot.begin = own->begin.time_since_epoch().count();
    slot.end = own->end.time_since_epoch().count();
    slot.course = own->course.count();
    slot.met = number_ + 1;
  }
  reach(step::told);
  ranks_->wait_until(progress(step::told), ranks_->self_.count);
  std::vector<busy_time> times;
  if (!own || ranks_->self_.interrupted()) return times;
  times.push_back(*own);
  const auto time_of = [](std::int64_t ns) {
    return shared_clock::time_point(std::chrono::nanoseconds(ns));
  };
  for (std::size_t rank = 0; rank < ranks_->self_.count; ++rank) {
    const auto& other = ranks_->slot_of(rank);
    if (rank != ranks_->self_.rank && other.met == number_ + 1)
      times.push_back(
          {time_of(other.begin), time_of(other.end), std::chrono::nanoseconds(other.course)});
  }
  return times;
}

}  // namespace bench_transfers::fleet
