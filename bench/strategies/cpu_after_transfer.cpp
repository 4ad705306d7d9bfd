#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/cpu/access.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::cpu_after_transfer_strategies {
namespace {

using cpu::access_kind;
using transfers::direction;

/// One thread accesses all of a payload once, directly after a transfer of it: it reads what has
/// arrived, or writes anew what has been sent.
class access_after_transfer {
 public:
  access_after_transfer(const job& task, cpu::access access)
      : device_(task.device),
        stream_(task.stream),
        access_(std::move(access)),
        ends_(ends_of(task, transfers::pinned(), reads() ? direction::d2h : direction::h2d)) {
    const auto& host = reads() ? ends_.destination : ends_.source;
    const auto whole_lines = host.bytes / cpu::line * cpu::line;
    part_ = {.block = host.data - host.offset,
             .first = host.offset,
             .bytes = whole_lines,
             .piece = whole_lines,
             .pattern = task.memory.pattern()};
    if (!access_.uses_ordinary) return;
    // Data that differ from the block's, so that a missing copy is detected. Inverted data would
    // have the same exclusive or.
    part_.ordinary = task.memory.scratch(whole_lines).first(whole_lines);
    auto different = part_.pattern;
    different.seed = ~different.seed;
    different.words(0, {reinterpret_cast<std::uint64_t*>(part_.ordinary.data()),
                        whole_lines / sizeof(std::uint64_t)});
  }

  [[nodiscard]] const ends& payloads() const { return ends_; }
  [[nodiscard]] std::size_t bytes() const { return access_.bytes(part_); }
  [[nodiscard]] std::string name() const { return access_.name(); }

  void transfer_all() {
    stream_.copy(ends_.destination.data, ends_.source.data, ends_.source.bytes - lost_bytes_,
                 reads() ? direction::d2h : direction::h2d);
    stream_.synchronize();
  }
  void access_all() { result_ = access_.run(part_, 0); }

  /// For injected faults: from now on transfers lack a byte.
  void corrupt() { lost_bytes_ = 1; }

  /// Checks the last access, and that the transfer moves all of what is there.
  std::optional<std::string> find_damage() {
    if (!result_) return name() + " is wrong: it has not taken place";
    if (!access_.is_correct(part_, 0, *result_)) return name() + " is wrong";
    if (!reads()) {
      restore();
      transfer_all();
    }
    return words_of(check_pattern(device_, ends_.destination, part_.pattern), "transfer: ");
  }

 private:
  [[nodiscard]] bool reads() const { return access_.kind == access_kind::read; }
  /// The pattern where the accesses have written.
  void restore() {
    if (access_.restore) access_.restore(part_, 0);
  }

  transfers::device& device_;
  transfers::stream& stream_;
  cpu::access access_;
  ends ends_;
  cpu::stretch part_;
  std::size_t lost_bytes_ = 0;
  std::optional<std::uint64_t> result_;
};

transfer prepare(const job& task, const cpu::access& access) {
  if (access.why_unavailable) throw transfers::unsupported(*access.why_unavailable);
  const auto accessed = std::make_shared<access_after_transfer>(task, access);
  auto operation = transfer_between(accessed->payloads());
  operation.steps = {{accessed->name(), [accessed] { accessed->access_all(); }}};
  operation.amount.bytes = accessed->bytes();
  operation.timing.batched = false;
  operation.timing.between = [accessed] { accessed->transfer_all(); };
  operation.against = {{.name = "again",
                        .description = "the same access once more, without a transfer before it",
                        .run = [accessed] { accessed->access_all(); },
                        .before =
                            [accessed] {
                              accessed->transfer_all();
                              accessed->access_all();
                            }}};
  operation.check.compare = [accessed] { return accessed->find_damage(); };
  operation.check.corrupt = [accessed] { accessed->corrupt(); };
  operation.check.changes_source = true;  // by writes
  return operation;
}

const result_file::role role{"cpu_after_transfer", "the CPU's accesses directly after a transfer",
                             result_file::table::times};

const struct cpu_after_transfer {
  cpu_after_transfer() {
    strategy measured{
        .family = "cpu",
        .parts = {in_memory(transfers::pinned()), setting("after_transfer")},
        .summary =
            "the CPU's first read of what has just arrived, or its first write to what has "
            "just been sent",
        .role = role,
        .needs = {.host = transfers::pinned(), .more_host_memory = 1},
        .sampling = {.smallest = 4096, .largest = std::size_t{64} << 20, .cold = false}};
    for (const auto& access : cpu::accesses_with(cpu::instructions())) {
      // What ordinary programs do, and the widest loads.
      if (!access.plainest && access.method != "vector" && access.method != "fill") continue;
      measured.variants.push_back(
          {.name = access.name(),
           .method = access.method,
           .plainness = access.plainest ? 0U : 1U,
           .prepare = [access](const job& task) { return prepare(task, access); }});
    }
    registration{measured};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::cpu_after_transfer_strategies
