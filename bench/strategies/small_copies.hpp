#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/fast/prompt_copy.hpp"

namespace bench_transfers::bench {

/// What moves small copies. `prompt`: prompt_copier, from and to pageable memory.
enum class small_mover { engine, kernel, prompt };

/// How small copies are made, and which they are.
struct small_kind {
  std::string name, summary;
  std::string calls = {};  ///< on the stream `urgent`
  small_mover mover = small_mover::engine;
  std::size_t bytes = 0;
  transfers::direction direction = transfers::direction::h2d;

  /// The host's memory.
  [[nodiscard]] transfers::host_memory_kind memory() const {
    return mover == small_mover::prompt ? transfers::pageable
                                        : transfers::pinned(transfers::pin_flags::mapped);
  }
};

/// Copies of a few KiB on a stream of the highest priority. Each has memory of its own at either
/// end, so that none hides that another one has moved nothing.
class small_copies {
 public:
  static constexpr std::size_t places = 512;  ///< the copies that have memory of their own

  /// Throws unsupported if a kernel cannot access the host's end in place, out_of_memory,
  /// device_error.
  small_copies(const job& task, const small_kind& kind);

  /// One copy. Returns when the data are usable. Throws device_error.
  void run();
  /// Chooses the memory of the next copy. If all is used, begins with the first again, whose copy
  /// can then no longer be verified.
  void choose_next();
  [[nodiscard]] bool all_are_used() const { return used_ == places; }
  [[nodiscard]] std::size_t bytes() const { return kind_.bytes; }

  /// Compares what has arrived since the last call with what was sent, and poisons the
  /// destinations. Returns one line if a byte is wrong. The copies have ended, and no other work is
  /// under way, because the device may take part. Throws device_error.
  std::optional<std::string> find_damage();
  /// Makes all later copies send wrong data, for injected faults.
  void corrupt();

  [[nodiscard]] std::size_t multiprocessors() const;

 private:
  struct place_ends {
    std::byte* src;
    std::byte* dst;
  };
  [[nodiscard]] bool to_device() const { return kind_.direction == transfers::direction::h2d; }
  [[nodiscard]] place_ends current() const;
  void write_host(std::size_t bytes, pattern written);
  void write_device(std::size_t bytes, pattern written);

  transfers::device& device_;
  pattern pattern_, poison_;
  small_kind kind_;
  transfers::host_memory host_;
  transfers::device_memory on_device_;
  std::unique_ptr<transfers::stream> stream_;
  std::optional<transfers::prompt_copier> copier_;
  std::size_t place_ = 0, used_ = 0;
};

}  // namespace bench_transfers::bench
