#include <cstring>

#include "bench/strategy/strategy.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/fast/mailbox.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench::message_strategies {
namespace {

using transfers::direction;

/// Compares answers with their messages.
struct answer_check {
  std::size_t wrong_answers = 0;
  std::uint32_t next = 0;     ///< next message: different each time
  std::uint32_t flipped = 0;  ///< bits of the answers, by an injected fault

  void compare(std::uint32_t sent, std::uint32_t answer) {
    if (sent != (answer ^ flipped)) ++wrong_answers;
  }
  [[nodiscard]] std::optional<std::string> verify() const {
    if (wrong_answers == 0) return std::nullopt;
    return std::to_string(wrong_answers) + " answers differ from their messages";
  }
};

/// Times each operation alone, because percentiles of a latency matter.
transfer timed_alone(std::vector<step> steps, const std::shared_ptr<answer_check>& check) {
  transfer result;
  result.steps = std::move(steps);
  result.timing.batched = false;
  result.timing.least_operations = statistics::least_values(0.99);
  result.check.compare = [check] { return check->verify(); };
  result.check.corrupt = [check] { check->flipped = 1; };
  return result;
}

/// A kernel that never exits would block every device-wide synchronization. This kernel exits after
/// a few milliseconds without a message, so it runs only while messages are timed.
transfer mapped_flag(const job& task) {
  const auto box = std::make_shared<transfers::mailbox>(
      task.device, transfers::echo_service(task.device),
      transfers::mailbox::limits{.idle = std::chrono::milliseconds(5)});
  const auto check = std::make_shared<answer_check>();
  auto result = timed_alone({{"round_trip",
                              [box, check] {
                                const auto sent = check->next++;
                                check->compare(sent, box->exchange(sent));
                              }}},
                            check);
  // Before timing starts, the kernel is running and has answered.
  result.timing.between = [box] { box->exchange(0); };
  if (task.device.description().cuda) result.amount.multiprocessors = 1;
  return result;
}

/// Page-locked memory for a message and its answer, and a word of device memory.
struct message_memory {
  explicit message_memory(transfers::device& device)
      : host(device.allocate_host(512, transfers::pinned())),
        device_word(device.allocate(sizeof(std::uint32_t))) {}

  [[nodiscard]] std::byte* request() const { return host.data(); }
  [[nodiscard]] std::byte* reply() const {
    return host.data() + 256;
  }  // in a cache line of its own
  void write(std::uint32_t message) const { std::memcpy(host.data(), &message, sizeof message); }
  [[nodiscard]] std::uint32_t read() const {
    std::uint32_t message = 0;
    std::memcpy(&message, reply(), sizeof message);
    return message;
  }

  transfers::host_memory host;
  transfers::device_memory device_word;
};

void enqueue_round_trip(const message_memory& memory, transfers::stream& stream) {
  stream.copy(memory.device_word.data(), memory.request(), memory.device_word.size(),
              direction::h2d);
  stream.copy(memory.reply(), memory.device_word.data(), memory.device_word.size(), direction::d2h);
}

transfer by_memcpy(const job& task) {
  const auto memory = std::make_shared<const message_memory>(task.device);
  const auto check = std::make_shared<answer_check>();
  const auto round_trip = [memory, check, &stream = task.stream] {
    const auto sent = check->next++;
    memory->write(sent);
    enqueue_round_trip(*memory, stream);
    stream.synchronize();
    check->compare(sent, memory->read());
  };
  return timed_alone({{"round_trip", round_trip}}, check);
}

transfer by_graph(const job& task) {
  const auto memory = std::make_shared<const message_memory>(task.device);
  const auto check = std::make_shared<answer_check>();
  auto& stream = task.stream;
  // By value: the host device calls the function at each replay.
  const transfers::graph copies(stream, [memory, &stream] { enqueue_round_trip(*memory, stream); });
  const auto round_trip = [memory, check, &stream, copies] {
    const auto sent = check->next++;
    memory->write(sent);
    copies.enqueue();
    stream.synchronize();
    check->compare(sent, memory->read());
  };
  return timed_alone({{"round_trip", round_trip}}, check);
}

void add(const std::string& name, const std::string& summary, unsigned plainness,
         std::function<transfer(const job&)> prepare) {
  registration{
      strategy{.family = "message",
               .parts = {method(name)},
               .summary = "4 bytes from the host to the device and back: " + summary,
               .role = roles::latency,
               .direction = result_file::direction::both,
               .plainness = plainness,
               .prepare = std::move(prepare),
               .sampling = {.sized = false, .profiles = all_variants_if(plainness == 0, "sweep")}}};
}

const struct message_strategies {
  message_strategies() {
    add("mapped_flag", "a running kernel answers through mapped memory", 2, mapped_flag);
    add("memcpy", "two copies queued in a stream, and one wait", 0, by_memcpy);
    add("graph", "replay of a graph with two copies, and a wait", 1, by_graph);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::message_strategies
