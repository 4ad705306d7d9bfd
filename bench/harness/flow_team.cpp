#include "bench/harness/flow_team.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "bench/harness/interruption.hpp"

namespace bench_transfers::bench {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

constexpr std::size_t in_flight = 2;

/// Null where the flow needs none.
std::shared_ptr<const void> conditions_of(const flow& copied) {
  return copied.conditions ? copied.conditions() : nullptr;
}

/// What the threads of flows share while they run.
class common_course {
 public:
  /// `meeting`: with the flows of other processes; null: there are none.
  common_course(std::size_t flows, std::size_t least_copies, meeting* meeting)
      : flows_(flows), least_copies_(least_copies), meeting_(meeting) {}

  /// Returns when all threads have called it. Spins: a thread that wakes up takes longer than a
  /// short copy.
  void start_together() {
    reach(meeting::step::arrived);
    constexpr int spins_before_yielding = 10'000;
    for (int spins = 0; !have_all_reached(meeting::step::arrived) && !is_over(); ++spins)
      if (spins > spins_before_yielding) std::this_thread::yield();
  }
  /// A flow is this far.
  void reach(meeting::step milestone) {
    if (count_of(milestone).fetch_add(1, std::memory_order_acq_rel) + 1 == flows_ && meeting_)
      meeting_->reach(milestone);
  }
  [[nodiscard]] bool have_all_reached(meeting::step milestone) {
    return count_of(milestone).load(std::memory_order_acquire) == flows_ &&
           (!meeting_ || meeting_->have_all_reached(milestone));
  }
  [[nodiscard]] std::size_t least_copies() const { return least_copies_; }
  void give_up() { given_up_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_over() {
    return have_all_reached(meeting::step::finished) || given_up_.load(std::memory_order_acquire) ||
           interruption() != 0;
  }

 private:
  std::atomic<std::size_t>& count_of(meeting::step milestone) {
    return counts_[static_cast<std::size_t>(milestone)];
  }

  std::size_t flows_, least_copies_;
  meeting* meeting_;
  /// Of the flows that have reached each step.
  std::array<std::atomic<std::size_t>, meeting::step_count> counts_ = {};
  std::atomic<bool> given_up_ = false;
};

/// One flow on its thread. Everything is allocated before the threads start.
class running_flow {
 public:
  running_flow(const flow& copied, std::size_t least_copies)
      : flow_(&copied), begin_(copied.stream->record()) {
    for (auto& event : ended_) event = copied.stream->record();
    // A flow that is much faster than the others makes many more copies. Its later ones are made,
    // but not noted: then the time that counts ends earlier.
    constexpr std::size_t faster = 16;
    constexpr std::size_t least_room = 1024;
    ends_.reserve(least_room + faster * least_copies);
    begin_->wait();
  }

  /// Gives up the course if it fails.
  void run(common_course& course) try {
    const auto conditions = conditions_of(*flow_);
    course.start_together();
    copy(course);
  } catch (...) {
    course.give_up();
    throw;
  }

  /// By the host's clock, which all flows share. A thread that gets no processor notices an end
  /// late, so the device's clock says how far apart the ends are, and the end that was noticed the
  /// soonest where they are on the host's.
  [[nodiscard]] copy_ends ends() const {
    auto soonest = nanoseconds::max();
    for (const auto& [by_host, by_device] : ends_)
      soonest = std::min(soonest, nanoseconds(by_host.time_since_epoch()) - by_device);
    copy_ends ends;
    for (const auto& [by_host, by_device] : ends_)
      ends.emplace_back(std::chrono::round<wall_clock::duration>(soonest + by_device));
    return ends;
  }

 private:
  void enqueue(std::size_t copy) {
    flow_->enqueue();
    flow_->stream->record_again(*ended_[copy % in_flight]);
  }

  void copy(common_course& course) {
    for (std::size_t i = 0; i < in_flight; ++i) enqueue(i);
    std::size_t counted = 0;
    for (std::size_t i = 0;; ++i) {
      ended_[i % in_flight]->wait();
      if (ends_.size() < ends_.capacity())
        ends_.push_back({wall_clock::now(), ended_[i % in_flight]->time_since(*begin_)});
      if (i == 0)
        course.reach(meeting::step::busy);
      else if (course.have_all_reached(meeting::step::busy) && ++counted == course.least_copies())
        course.reach(meeting::step::finished);
      if (course.is_over()) break;
      enqueue(i + in_flight);
    }
    flow_->stream->synchronize();
  }

  struct end {
    wall_clock::time_point by_host;
    nanoseconds by_device;  ///< since begin_
  };

  const flow* flow_;
  std::unique_ptr<transfers::event> begin_;
  std::array<std::unique_ptr<transfers::event>, in_flight> ended_;
  std::vector<end> ends_;
};

}  // namespace

void flow_team::on_threads(std::span<const flow> flows, const std::function<void(unsigned)>& part) {
  std::vector<std::exception_ptr> reasons(flows.size());
  const auto noted = [&](unsigned index) {
    try {
      part(index);
    } catch (...) {
      reasons[index] = std::current_exception();
    }
  };
  if (flows.size() == 1) {
    noted(0);
  } else {
    auto& team = teams_[flows.size()];
    if (!team) team = std::make_unique<transfers::worker_team>(static_cast<unsigned>(flows.size()));
    team->run(noted);
  }
  std::vector<flows_failed::failure> failures;
  for (std::size_t i = 0; i < flows.size(); ++i)
    if (reasons[i]) failures.push_back({flows[i].device, flows[i].name, reasons[i]});
  if (!failures.empty()) throw flows_failed(std::move(failures));
}

std::vector<copy_ends> flow_team::run(std::span<const flow> flows, std::size_t least_copies,
                                      bench::meeting* meeting) {
  common_course course(flows.size(), least_copies, meeting);
  std::vector<running_flow> running;
  running.reserve(flows.size());
  for (const auto& flow : flows) running.emplace_back(flow, least_copies);
  on_threads(flows, [&](unsigned index) { running[index].run(course); });
  std::vector<copy_ends> ends;
  for (const auto& flow : running) ends.push_back(flow.ends());
  return ends;
}

void flow_team::copy_once(std::span<const flow> flows) {
  on_threads(flows, [&](unsigned index) {
    const auto conditions = conditions_of(flows[index]);
    flows[index].enqueue();
    flows[index].stream->synchronize();
  });
}

}  // namespace bench_transfers::bench
