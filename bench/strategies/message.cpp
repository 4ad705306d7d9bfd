#include <cstring>

#include "bench/strategy/strategy.hpp"
#include "transfers/fast/mailbox.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;

/// What went wrong with the answers so far.
struct answers {
  std::size_t wrong = 0;
  std::uint32_t next = 0;  ///< message to send: another one each time

  void compare(std::uint32_t sent, std::uint32_t answer) {
    if (sent != answer) ++wrong;
  }
  [[nodiscard]] std::optional<std::string> verify() const {
    if (wrong == 0) return std::nullopt;
    return std::to_string(wrong) + " answers differ from their messages";
  }
};

/// Each one is timed alone: percentiles are what matters of a latency.
transfer timed_alone(std::vector<step> steps, const std::shared_ptr<answers>& got) {
  transfer made;
  made.steps = std::move(steps);
  made.timing.batched = false;
  made.check.compare = [got] { return got->verify(); };
  return made;
}

/// A kernel that runs for ever would block every wait for the whole device. This one leaves when
/// no message comes for some milliseconds: it runs as long as messages are timed and no longer.
transfer mapped_flag(const job& task) {
  const auto box = std::make_shared<transfers::mailbox>(
      task.device, transfers::echo_service(task.device),
      transfers::mailbox::limits{.idle = std::chrono::milliseconds(5)});
  const auto got = std::make_shared<answers>();
  auto made = timed_alone({{"round_trip",
                            [box, got] {
                              const auto sent = got->next++;
                              got->compare(sent, box->exchange(sent));
                            }}},
                          got);
  // Before it is timed, the kernel runs, and has answered.
  made.timing.between = [box] { box->exchange(0); };
  if (task.device.description().cuda) made.amount.multiprocessors = 1;
  return made;
}

/// Page-locked memory with a message's place and its answer's, and one on the device.
struct places {
  explicit places(transfers::device& on)
      : host(on.allocate_host(512, transfers::pinned())),
        there(on.allocate(sizeof(std::uint32_t))) {}

  [[nodiscard]] std::byte* from() const { return host.data(); }
  [[nodiscard]] std::byte* to() const { return host.data() + 256; }  // in a cache line of its own
  void write(std::uint32_t message) const { std::memcpy(host.data(), &message, sizeof message); }
  [[nodiscard]] std::uint32_t read() const {
    std::uint32_t message = 0;
    std::memcpy(&message, to(), sizeof message);
    return message;
  }

  transfers::host_memory host;
  transfers::device_memory there;
};

void copy_there_and_back(const places& at, transfers::stream& in) {
  in.copy(at.there.data(), at.from(), at.there.size(), direction::h2d);
  in.copy(at.to(), at.there.data(), at.there.size(), direction::d2h);
}

transfer by_memcpy(const job& task) {
  const auto at = std::make_shared<const places>(task.device);
  const auto got = std::make_shared<answers>();
  const auto there_and_back = [at, got, &stream = task.stream] {
    const auto sent = got->next++;
    at->write(sent);
    copy_there_and_back(*at, stream);
    stream.synchronize();
    got->compare(sent, at->read());
  };
  return timed_alone({{"round_trip", there_and_back}}, got);
}

transfer by_graph(const job& task) {
  const auto at = std::make_shared<const places>(task.device);
  const auto got = std::make_shared<answers>();
  auto& stream = task.stream;
  // By value: the host device calls it again each time.
  const transfers::graph copies(stream, [at, &stream] { copy_there_and_back(*at, stream); });
  const auto there_and_back = [at, got, &stream, copies] {
    const auto sent = got->next++;
    at->write(sent);
    copies.enqueue();
    stream.synchronize();
    got->compare(sent, at->read());
  };
  return timed_alone({{"round_trip", there_and_back}}, got);
}

void add(const std::string& name, const std::string& summary, unsigned plainness,
         std::function<transfer(const job&)> prepare) {
  registration{strategy{.family = "message",
                        .parts = {method(name)},
                        .summary = "4 bytes from the host to the device and back: " + summary,
                        .role = roles::latency,
                        .direction = result_file::direction::both,
                        .plainness = plainness,
                        .prepare = std::move(prepare),
                        .sampling = {.sized = false}}};
}

const struct message_strategies {
  message_strategies() {
    add("mapped_flag", "a running kernel answers through mapped memory", 2, mapped_flag);
    add("memcpy", "two copies queued in a stream, and one wait", 0, by_memcpy);
    add("graph", "replay of a graph with two copies, and a wait", 1, by_graph);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
