#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "bench/strategy/strategy.hpp"
#include "bench/subjects/waits.hpp"
#include "src/statistics/quantile.hpp"
#include "src/transfers/core/relax.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::wait_strategies {
namespace {

using subjects::schedule_flag;
using clock = std::chrono::steady_clock;

/// A device that fails neither writes a value nor calls a function. After this long the stream is
/// asked for the error.
constexpr std::chrono::seconds doubtful{1};

/// For a stream that is idle.
void require(bool arrived) {
  if (!arrived)
    throw transfers::device_error("the stream is idle, and its signal has not reached the host",
                                  false);
}

/// What a strategy needs besides its function that waits, and what it tells.
struct waiting {
  std::function<void()> wait;  ///< returns when all work that the stream has so far is done
  std::optional<subjects::scheduling> scheduling = {};
  std::function<void()> begin = {};  ///< runs before the copy is enqueued
  std::function<void()> forget = {};
  std::function<std::vector<measured_metric>(const metric_values&)> derive = {};
};

waiting synchronize_by(const job& task, schedule_flag flag) {
  return {[&stream = task.stream] { stream.synchronize(); },
          subjects::schedule_by(subjects::flags_of(task.device), flag)};
}

waiting by_blocking_event(const job& task) {
  return {subjects::blocking_event_wait(task.device, task.stream)};
}

/// Asks again and again whether an event has been reached (cudaEventQuery).
waiting by_polling(const job& task) {
  const std::shared_ptr<transfers::event> end = task.stream.record(transfers::event_timing::off);
  const bool on_host = !task.device.description().cuda;
  return {[&stream = task.stream, end, on_host] {
    stream.record_again(*end);
    while (!end->done())
      if (on_host) std::this_thread::yield();  // the stream's thread may need this processor
  }};
}

/// The host waits actively for a word that the device writes.
waiting by_value(const job& task) {
  struct signal {
    transfers::host_memory memory;
    std::uint32_t& word;
    std::uint32_t last = 0;
  };
  auto memory = task.device.allocate_host(sizeof(std::uint32_t),
                                          transfers::pinned(transfers::pin_flags::mapped));
  auto& word = *new (memory.data()) std::uint32_t(0);
  const std::shared_ptr<signal> seen(new signal{std::move(memory), word});
  const auto write = subjects::value_writer(task.device, task.stream, word);
  const bool on_host = !task.device.description().cuda;
  return {[&stream = task.stream, seen, write, on_host] {
    write(++seen->last);
    const auto has_arrived = [&] {
      return std::atomic_ref(seen->word).load(std::memory_order_acquire) == seen->last;
    };
    constexpr int spins_between_looks_at_the_clock = 256;
    for (const auto end = clock::now() + doubtful; clock::now() < end;) {
      for (int i = 0; i < spins_between_looks_at_the_clock; ++i) {
        if (has_arrived()) return;
        transfers::detail::relax();
      }
      if (on_host) std::this_thread::yield();
    }
    stream.synchronize();  // a long copy is no error
    require(has_arrived());
  }};
}

/// The host sleeps until a function that the stream calls wakes it up.
class wake_up_call {
 public:
  void begin() { begun_ = clock::now(); }

  /// In a thread of the library.
  void notify() {
    const auto now = clock::now();
    {
      const std::scoped_lock lock(mutex_);
      called_at_ = now;
    }
    woken_.notify_one();
  }

  void wait(transfers::stream& stream) {
    std::unique_lock lock(mutex_);
    if (!woken_.wait_for(lock, doubtful, [this] { return called_at_.has_value(); })) {
      lock.unlock();
      stream.synchronize();  // a long copy is no error
      lock.lock();
      require(called_at_.has_value());
    }
    until_called_.push_back(
        std::chrono::duration<double, std::nano>(*std::exchange(called_at_, std::nullopt) - begun_)
            .count());
  }

  void forget() { until_called_.clear(); }

  [[nodiscard]] std::vector<measured_metric> metrics() const {
    if (until_called_.empty()) return {};
    return {
        {time_metric("until_called_ns",
                     "from the call that enqueues the copy until the host function runs: median"),
         statistics::median(until_called_)}};
  }

 private:
  clock::time_point begun_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::optional<clock::time_point> called_at_;
  std::vector<double> until_called_;
};

waiting by_host_function(const job& task) {
  const auto call = std::make_shared<wake_up_call>();
  return {.wait =
              [call, &stream = task.stream] {
                stream.call([call] { call->notify(); });
                call->wait(stream);
              },
          .begin = [call] { call->begin(); },
          .forget = [call] { call->forget(); },
          .derive = [call](const metric_values& /*known*/) { return call->metrics(); }};
}

/// A copy by cudaMemcpyAsync, and one method to wait for its end. In turn with it, the same copy
/// with cudaStreamSynchronize as the device's flags have it.
transfer prepare(const job& task, const std::function<waiting(const job&)>& open) {
  const auto ends = ends_of(task, transfers::pinned(), task.direction);
  auto copy = transfer_between(ends);
  copy.enqueue = asynchronous_copy(task, ends);
  const auto method = open(task);
  copy.steps = {{"copy_and_wait", [enqueue = copy.enqueue, method] {
                   if (method.begin) method.begin();
                   enqueue();
                   method.wait();
                 }}};
  copy.timing.batched = false;  // percentiles of a latency matter
  copy.against = {{.name = "synchronize",
                   .description = "the same copy with cudaStreamSynchronize, timed in turn",
                   .run = waited_for(task.stream, copy.enqueue)}};
  if (const auto& flags = method.scheduling) {
    copy.timing.between = flags->choose;
    copy.against[0].before = flags->restore;
    copy.timing.conditions = [restore = flags->restore] { return at_end(restore); };
  }
  copy.timing.forget_settling = method.forget;
  copy.derive = method.derive;
  return copy;
}

const result_file::role role{"wait", "how the host learns that a copy has ended",
                             result_file::table::directions};

void add(const std::string& name, const std::string& summary, const std::string& calls,
         std::function<waiting(const job&)> open,
         std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {}) {
  registration{strategy{
      .family = "wait",
      .parts = {method(name)},
      .summary = "cudaMemcpyAsync of pinned memory, waited for by " + summary,
      .calls =
          calls_for(transfers::pinned()) +
          "cudaMemcpyAsync($[device|host], $[host|device], bytes, cudaMemcpyDefault, stream);\n" +
          calls,
      .variants = both_directions(),
      .role = role,
      .plainness = 1,
      .prepare = [open = std::move(open)](const job& task) { return prepare(task, open); },
      .needs = {.host = transfers::pinned(), .why_unsupported = std::move(why_unsupported)},
      // The latency of small copies, and the cores that are busy during large ones.
      .sampling = {.smallest = 4096, .size_stride = 3, .cold = false}}};
}

void add_flag(schedule_flag flag, const std::string& cuda_name) {
  add(
      to_string(flag), "cudaStreamSynchronize, " + cuda_name,
      "cudaSetDeviceFlags(" + cuda_name + ");\ncudaStreamSynchronize(stream);",
      [flag](const job& task) { return synchronize_by(task, flag); },
      subjects::why_no_schedule_flags);
}

const struct wait_strategies {
  wait_strategies() {
    add_flag(schedule_flag::spin, "cudaDeviceScheduleSpin");
    add_flag(schedule_flag::yield, "cudaDeviceScheduleYield");
    add_flag(schedule_flag::blocking_sync, "cudaDeviceScheduleBlockingSync");
    const std::string record = "cudaEventRecord(event, stream);\n";
    add("blocking_event", "an event with cudaEventBlockingSync",
        "cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming);\n" +
            record + "cudaEventSynchronize(event);",
        by_blocking_event);
    add("host_function", "a function that the stream calls",
        "cudaLaunchHostFunc(stream, [](void* at) { static_cast<std::latch*>(at)->count_down(); }, "
        "&arrived);\n"
        "arrived.wait();",
        by_host_function);
    add("polling", "cudaEventQuery, again and again",
        "cudaEventCreateWithFlags(&event, cudaEventDisableTiming);\n" + record +
            "while (cudaEventQuery(event) == cudaErrorNotReady) {}",
        by_polling);
    add("write_value", "a word that cuStreamWriteValue32 writes",
        "cuStreamWriteValue32(stream, word_on_device, 1, 0);\n"
        "while (*word == 0) {}",
        by_value);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::wait_strategies
