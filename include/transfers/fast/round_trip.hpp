#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "transfers/array/buffer.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"

namespace transfers {

/// Processes host data on the device piece by piece: the upload of the next piece and the download
/// of the previous one overlap the work on the current one, so that both directions of the link are
/// busy at once. Needs device memory for a few pieces only. Threads stage pageable memory, and
/// sleep between calls.
class round_trip_pipeline {
 public:
  /// Pieces under way at a time, and the size of the largest, in bytes (a multiple of 4 KiB). Small
  /// data are divided into smaller pieces.
  struct shape {
    unsigned streams = 3;  ///< one piece each, if both ends are page-locked
    std::size_t largest_piece = std::size_t{8} << 20;       ///< bytes, likewise
    unsigned threads = std::min(12U, usable_processors());  ///< if an end is pageable
    unsigned chunks = 24;                                   ///< pieces with memory, likewise
    std::size_t largest_chunk = std::size_t{2} << 20;       ///< bytes of such a piece
  };

  /// Enqueues the device's work on a piece of `bytes` bytes, in place; `first` is its offset in the
  /// data.
  using device_work =
      std::function<void(stream& stream, std::byte* piece, std::size_t first, std::size_t bytes)>;

  /// Starts threads and allocates streams and memory only when run() first needs them. Throws
  /// invalid_argument for sizes and counts of zero.
  explicit round_trip_pipeline(device& device) : round_trip_pipeline(device, shape{}) {}
  round_trip_pipeline(device& device, const shape& sizes);
  ~round_trip_pipeline();
  round_trip_pipeline(const round_trip_pipeline&) = delete;
  round_trip_pipeline& operator=(const round_trip_pipeline&) = delete;

  /// Returns when all data have arrived. Source and destination may be the same memory, but not
  /// overlap otherwise. Pieces, except the last, are whole multiples of `unit` bytes. They have
  /// `piece_bytes` bytes, or a size chosen from `bytes` if that is 0. Calls from several threads
  /// take turns, and so do those of `work` for page-locked memory only. Throws
  /// invalid_argument for pieces that are larger than the largest; out_of_memory,
  /// std::system_error; device_error and what `work` throws, after all work has ended (the
  /// destination's content is then undefined).
  void run(std::byte* dst, const std::byte* src, std::size_t bytes, const device_work& work,
           std::size_t unit = 1, std::size_t piece_bytes = 0);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The context's own pipeline, with the default shape; the first call creates it. Throws
/// std::bad_alloc.
[[nodiscard]] round_trip_pipeline& round_trips(const context& context);

/// destination = work(source) for contiguous ranges (vectors, arrays, spans), piece by piece
/// through the device, with the context's own pipeline. `work(stream&, device_view<T> piece,
/// std::size_t first)` enqueues the work on elements first, first + 1, … in place; several threads
/// may call it at a time. Waits for earlier work of the context, and returns when all data have
/// arrived. Throws length_error unless the sizes match, and what
/// round_trip_pipeline::run throws.
template <host_elements From, host_elements To, class Work>
void round_trip(const context& context, const From& src, To&& dst, Work&& work) {
  using T = detail::element_of<From>;
  TRANSFERS_REQUIRE_ELEMENT(T);
  static_assert(std::is_same_v<T*, decltype(std::ranges::data(dst))>,
                "the destination must have the source's element type, and must not be const");
  static_assert(detail::outlives_expression<To>,
                "nobody gets what is copied to a temporary: it must outlive the copy");
  const auto elements = std::ranges::size(src);
  if (elements != std::ranges::size(dst))
    throw length_error(
        "a round trip needs a destination of the source's size: " + std::to_string(elements) +
        " and " + std::to_string(std::ranges::size(dst)) + " elements");
  if (elements == 0) return;
  context.synchronize();
  round_trips(context).run(
      reinterpret_cast<std::byte*>(std::ranges::data(dst)),
      reinterpret_cast<const std::byte*>(std::ranges::data(src)), elements * sizeof(T),
      [&work](stream& stream, std::byte* piece, std::size_t first, std::size_t bytes) {
        work(stream, device_view<T>(reinterpret_cast<T*>(piece), bytes / sizeof(T)),
             first / sizeof(T));
      },
      sizeof(T));
}

}  // namespace transfers
