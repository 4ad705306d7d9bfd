#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/multipath.hpp"

namespace bench_transfers::bench::helping_strategies {
namespace {

using clock = std::chrono::steady_clock;

/// Copies of another device, the first of the others, that use the link of this one as well, one
/// after another, by a thread of their own.
class helped_copies {
 public:
  helped_copies(const job& task, transfers::direction direction)
      : target_(*task.other_devices.front()),
        copier_(target_, std::array<transfers::device*, 1>{&task.device}),
        direction_(direction),
        pattern_(task.memory.pattern()),
        host_(target_.allocate_host(task.bytes, transfers::pinned())),
        on_device_(target_.allocate(task.bytes)),
        ends_(ends_between(own_payload(host_), own_payload(on_device_), direction)) {
    if (copier_.links_of(host_.data(), task.bytes, direction) == 1)
      throw transfers::unsupported("the other device's copies of this size use its own link alone");
    write_pattern(target_, ends_.source, pattern_);
    write_pattern(target_, ends_.destination, task.memory.pattern(true));
    target_.synchronize();
  }

  ~helped_copies() { stop(); }
  helped_copies(const helped_copies&) = delete;
  helped_copies& operator=(const helped_copies&) = delete;

  /// Returns when the first copy is under way.
  void start() {
    stop();
    go_on_ = true;
    const auto earlier = begun_.load();
    thread_ = std::jthread([this] {
      try {
        while (go_on_) {
          ++begun_;
          const auto start = clock::now();
          copier_.copy(ends_.destination.data, ends_.source.data, host_.size(), direction_);
          add(clock::now() - start);
        }
      } catch (...) {
        failure_ = std::current_exception();
        ++begun_;
      }
    });
    while (begun_ == earlier) std::this_thread::yield();
  }
  void stop() noexcept {
    go_on_ = false;
    thread_ = {};
  }

  /// One line if they have moved wrong data. They have stopped.
  std::optional<std::string> find_damage() {
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    return words_of(check_pattern(target_, ends_.destination, pattern_),
                    "the other device's copy: ");
  }

  void forget() {
    const std::scoped_lock lock(mutex_);
    ended_ = 0;
    time_ = {};
  }

  /// In GB/s. They have stopped.
  [[nodiscard]] double rate() const {
    const double ns = time_.count();
    return ns > 0 ? static_cast<double>(ended_) * static_cast<double>(host_.size()) / ns : 0;
  }

 private:
  void add(std::chrono::duration<double, std::nano> time) {
    const std::scoped_lock lock(mutex_);
    ++ended_;
    time_ += time;
  }

  transfers::device& target_;
  transfers::multipath_copier copier_;
  transfers::direction direction_;
  pattern pattern_;
  transfers::host_memory host_;
  transfers::device_memory on_device_;
  ends ends_;
  std::atomic<bool> go_on_ = false;
  std::atomic<std::size_t> begun_ = 0;
  std::mutex mutex_;  ///< of the next two
  std::size_t ended_ = 0;
  std::chrono::duration<double, std::nano> time_{};
  std::exception_ptr failure_;
  std::jthread thread_;  // last: it uses the other members
};

std::vector<measured_metric> derive(const helped_copies& helped, const metric_values& known) {
  std::vector<measured_metric> metrics{
      {rate_metric("helped_gb_per_s", "the other device's copies over both links meanwhile"),
       helped.rate()}};
  const auto alone = known.find("copy_alone_gb_per_s");
  const auto beside = known.find("gb_per_s");
  if (alone != known.end() && beside != known.end())
    metrics.push_back(
        {share_metric("copy_loss_percent",
                      "of its rate alone that the copy loses to the other device's copies",
                      result_file::better::less, true),
         100 * (1 - beside->second / alone->second)});
  return metrics;
}

transfer prepare(const job& task, transfers::direction helped_direction) {
  const auto helped = std::make_shared<helped_copies>(task, helped_direction);
  auto operation = synchronous_copy(task, transfers::pinned());
  operation.enqueue = nullptr;  // the other device's copies stop when the repetition ends
  operation.timing.batched = false;
  operation.timing.forget_settling = [helped] { helped->forget(); };
  operation.timing.conditions = [helped] {
    helped->start();
    return at_end([helped] { helped->stop(); });
  };
  operation.check.compare = [helped, end = *operation.destination, &device = task.device,
                             expected = task.memory.pattern()] {
    auto damage = words_of(check_pattern(device, end, expected));
    return damage ? damage : helped->find_damage();
  };
  operation.against = {{.name = "copy_alone",
                        .description = "the copy while the other device does not copy",
                        .run = operation.steps.front().run,
                        .bytes = task.bytes,
                        .before = [helped] { helped->stop(); },
                        .after =
                            [helped] {
                              helped->start();
                              return true;
                            }}};
  operation.derive = [helped](const metric_values& known) { return derive(*helped, known); };
  return operation;
}

const result_file::role role{"helping", "copies of a device whose link another device uses as well",
                             result_file::table::times};

std::vector<variant> variants_of() {
  std::vector<variant> variants;
  for (const auto& helped : both_directions())
    for (auto own : both_directions()) {
      own.method = "multipath";
      own.setting = helped.name;
      own.name += "/multipath_" + helped.name;
      variants.push_back(std::move(own));
    }
  return variants;
}

const registration helping{strategy{
    .family = "helping",
    .parts = {in_memory(transfers::pinned())},
    .summary = "cudaMemcpy while another device copies over the link of this one as well",
    .variants = variants_of(),
    .role = role,
    .procedure = 2,
    .shares_link = false,
    .prepare =
        [](const job& task) {
          return prepare(task, task.variant.ends_with("multipath_h2d") ? transfers::direction::h2d
                                                                       : transfers::direction::d2h);
        },
    .needs = {.host = transfers::pinned(),
              .more_host_memory = 1,
              .fixed_host_memory = std::size_t{512} << 20,  // test copies of the copier
              .other_devices = true},
    // One size tells. Access to peers stays enabled for the process.
    .sampling = {.smallest = std::size_t{64} << 20,
                 .largest = std::size_t{64} << 20,
                 .cold = false,
                 .on_request = true}}};

}  // namespace
}  // namespace bench_transfers::bench::helping_strategies
