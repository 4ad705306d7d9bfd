#include <algorithm>
#include <memory>
#include <string>

#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "src/transfers/fast/move_staged.hpp"

namespace bench_transfers::bench::staged_parts_strategies {
namespace {

using transfers::direction;
using transfers::detail::chunk;
using transfers::detail::chunk_ring;
using transfers::detail::chunk_work;

/// The work of a staged copy that is done; the rest is left out.
struct part {
  bool by_threads;     ///< filling or draining the chunks
  bool by_engines;     ///< copying the chunks
  bool apart = false;  ///< threads use other page-locked memory than the engines
};

/// A staged copy of which a part may be left out, in the chunks and with the stores that the
/// calibrated copier uses.
class staged_part {
 public:
  staged_part(const job& task, const ends& ends)
      : settings_(task.memory.staged_copier()->settings()),
        ring_(transfers::detail::make_ring(task.device, settings_)),
        ends_(ends),
        direction_(task.direction) {}

  /// Gives the threads memory of their own, of the size that chunks under way have.
  void set_apart(transfers::device& device) {
    const auto cut = transfers::detail::cut_of(settings_, ends_.source.bytes, direction_);
    const auto chunks = cut.chunks > 0 ? cut.chunks : settings_.chunks;
    apart_ = device.allocate_host(chunks * settings_.largest_chunk,
                                  device.why_unsupported(transfers::registered_huge)
                                      ? transfers::pinned()
                                      : transfers::registered_huge);
  }

  /// Makes later copies move nothing, for injected faults.
  void break_copies() { is_broken_ = true; }

  void run(const part& done) {
    if (is_broken_) return;
    const auto bytes = ends_.source.bytes;
    const bool streaming = settings_[direction_].streams(bytes);
    chunk_work work;
    auto& on_piece = to_device() ? work.fill : work.drain;
    on_piece = [=, this](std::byte* in_chunk, std::size_t offset, std::size_t size) {
      if (!done.by_threads) return;
      if (done.apart) in_chunk = apart_at(offset, size);
      auto* const dst = to_device() ? in_chunk : ends_.destination.data + offset;
      const auto* const src = to_device() ? ends_.source.data + offset : in_chunk;
      transfers::detail::move(dst, src, size, streaming);
    };
    work.enqueue = [=, this](const chunk& moved, transfers::stream& stream) {
      if (!done.by_engines) return;
      auto* const dst = to_device() ? ends_.destination.data + moved.offset : moved.on_host;
      const auto* const src = to_device() ? moved.on_host : ends_.source.data + moved.offset;
      stream.copy(dst, src, moved.bytes, direction_);
    };
    work.synchronizes = to_device();
    ring_->run(bytes, transfers::detail::cut_of(settings_, bytes, direction_), work);
  }

 private:
  /// Where a piece lies in memory that is used again and again, as chunks are.
  [[nodiscard]] std::byte* apart_at(std::size_t offset, std::size_t size) {
    const auto place = offset % apart_.size();
    return apart_.data() + std::min(place, apart_.size() - size);
  }
  [[nodiscard]] bool to_device() const { return direction_ == direction::h2d; }

  transfers::staging settings_;
  std::unique_ptr<chunk_ring> ring_;
  ends ends_;
  direction direction_;
  transfers::host_memory apart_;
  bool is_broken_ = false;
};

/// The part that is timed moves nothing from one end to the other. Therefore both parts together
/// are verified after each repetition.
transfer prepare(const job& task, const part& timed) {
  const auto ends = ends_of(task, transfers::pageable, task.direction);
  const auto copy = std::make_shared<staged_part>(task, ends);
  if (timed.apart) copy->set_apart(task.device);
  auto operation = transfer_between(ends);
  operation.steps = {{"part", [copy, timed] { copy->run(timed); }}};
  operation.check.compare = [copy, task, destination = ends.destination] {
    copy->run({.by_threads = true, .by_engines = true});
    return words_of(check_pattern(task.device, destination, task.memory.pattern()));
  };
  operation.check.corrupt = [copy] { copy->break_copies(); };
  return operation;
}

/// Page-locked memory of a ring of its own, with the settings that are not calibrated, and as much
/// for threads that use other memory.
std::size_t page_locked_memory(const part& timed) {
  const transfers::staging usual;
  return (timed.apart ? 2 : 1) * usual.chunks * usual.largest_chunk;
}

const result_file::role role{"staged_parts", "staged copies with a part left out",
                             result_file::table::times};

strategy strategy_for(const std::string& name, const std::string& summary, const part& timed) {
  return {.family = "staged_parts",
          .parts = {method(name)},
          .summary = summary,
          .variants = both_directions(),
          .role = role,
          .plainness = 1,
          .shares_link = false,
          .prepare = [timed](const job& task) { return prepare(task, timed); },
          .needs = {.host = transfers::pageable,
                    .fixed_host_memory = page_locked_memory(timed),
                    .staged_copier = true},
          .sampling = {.smallest = std::size_t{64} << 10, .on_request = true}};
}

const registration threads{
    strategy_for("threads", "staged copies without the engines: threads fill or drain all chunks",
                 {.by_threads = true, .by_engines = false})};
const registration engines{
    strategy_for("engines", "staged copies without the threads' work: engines copy all chunks",
                 {.by_threads = false, .by_engines = true})};
const registration apart{
    strategy_for("apart", "staged copies whose threads use other memory than the engines",
                 {.by_threads = true, .by_engines = true, .apart = true})};
const registration whole{
    strategy_for("whole", "staged copies with both parts, even where cudaMemcpy would be faster",
                 {.by_threads = true, .by_engines = true})};
const registration neither{
    strategy_for("neither", "staged copies without either: what it takes to organise them",
                 {.by_threads = false, .by_engines = false})};

}  // namespace
}  // namespace bench_transfers::bench::staged_parts_strategies
