#include "src/fleet/ranks/slot_table.hpp"

#include <algorithm>

namespace bench_transfers::fleet {

static_assert(std::atomic<milestone>::is_always_lock_free, "needed between processes");
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "likewise");
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "likewise");
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "likewise");

struct slot_table::head {
  std::atomic<std::uint64_t> seed;
};

std::int64_t shared_time() noexcept { return shared_clock::now().time_since_epoch().count(); }

slot_table::slot_table(const std::filesystem::path& file, std::size_t ranks, std::size_t own,
                       std::uint64_t seed)
    : ranks_(ranks), own_(own), file_(file, sizeof(rank_slot) * (ranks + 1), own, [&](void* data) {
        static_cast<head*>(data)->seed = seed;
      }) {
  static_assert(sizeof(head) <= sizeof(rank_slot), "it has the room of one slot, before them");
}

std::uint64_t slot_table::seed() const noexcept {
  return static_cast<const head*>(file_.data())->seed;
}

std::span<rank_slot> slot_table::slots() const noexcept {
  return {static_cast<rank_slot*>(file_.data()) + 1, ranks_};
}

void slot_table::abandon() {
  for (auto& slot : slots()) slot.gone = 1;
  file_.abandon();
}

void slot_table::advance(milestone reached) noexcept {
  // Not the default order, which takes a fence: this is called in the time that is measured.
  own().progress.store(reached, std::memory_order_release);
}

bool slot_table::have_reached(milestone wanted, std::size_t end) const noexcept {
  return std::ranges::all_of(slots().first(end), [&](const rank_slot& other) {
    return other.progress >= wanted || other.is_gone();
  });
}

bool slot_table::process_ended(std::size_t rank) const noexcept {
  return slots()[rank].has_joined() && !file_.is_taken(rank);
}

void slot_table::give_up_dead(milestone wanted, std::size_t end, shared_clock::time_point started,
                              std::chrono::nanoseconds wait) noexcept {
  const auto time = shared_time();
  for (std::size_t rank = 0; rank < end; ++rank) {
    auto& other = slots()[rank];
    if (rank == own_ || other.is_gone() || other.progress >= wanted) continue;
    const bool ended = process_ended(rank);
    // It may have gone on between both looks, and ended then.
    if (ended && other.progress >= wanted) continue;
    const std::chrono::nanoseconds silence(
        time - std::max<std::int64_t>(started.time_since_epoch().count(), other.beat));
    if (ended || silence > wait) give_up(other, ended, silence);
  }
}

/// Several ranks may do so at once: one of them is the first.
void slot_table::give_up(rank_slot& other, bool ended, std::chrono::nanoseconds silence) noexcept {
  const std::chrono::nanoseconds since = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t noticed = 0;
  if (other.gone_since.compare_exchange_strong(noticed, since.count())) {
    other.process_ended = ended ? 1 : 0;
    other.silence = silence.count();
    other.noticed_by = own_ + 1;
    other.gone = 1;  // last: who sees it reads the others
  } else if (since - std::chrono::nanoseconds(noticed) > std::chrono::seconds(1)) {
    other.gone = 1;  // the rank that was the first to notice has died itself
  }
}

}  // namespace bench_transfers::fleet
