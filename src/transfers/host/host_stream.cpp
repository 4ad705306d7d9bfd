#include "src/transfers/host/host_stream.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <latch>
#include <numeric>
#include <vector>

#include "src/transfers/array/calculate.hpp"
#include "src/transfers/array/host_loops.hpp"
#include "src/transfers/array/reduce.hpp"
#include "src/transfers/core/check_requests.hpp"
#include "src/transfers/core/on_all_cores.hpp"
#include "src/transfers/host/task_queue.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

/// A point in a stream's work, which its events, its thread and waiting streams share.
struct point {
  std::shared_ptr<const device_parts> device;
  event_timing timing;
  std::latch reached{1};
  nanoseconds time{};  ///< by the device's clock; written before it is reached
};

class host_event final : public event {
 public:
  explicit host_event(std::shared_ptr<point> marked) : point_(std::move(marked)) {}

  [[nodiscard]] bool done() const override { return point_->reached.try_wait(); }
  void wait() const override { point_->reached.wait(); }

  [[nodiscard]] nanoseconds time_since(const event& earlier) const override {
    const auto* const first = dynamic_cast<const host_event*>(&earlier);
    if (first == nullptr || first->point_->device != point_->device)
      throw invalid_argument("there is no time between events of different devices");
    if (first->point_->timing == event_timing::off || point_->timing == event_timing::off)
      throw invalid_argument("an event recorded with event_timing::off has no time");
    first->wait();
    wait();
    return point_->time - first->point_->time;
  }

  [[nodiscard]] const std::shared_ptr<point>& marked() const noexcept { return point_; }

  /// By a new point: each can be reached only once.
  void replace(std::shared_ptr<point> marked) { point_ = std::move(marked); }

 private:
  std::shared_ptr<point> point_;
};

class host_stream final : public stream {
 public:
  explicit host_stream(std::shared_ptr<device_parts> parts)
      : parts_(std::move(parts)), queue_(parts_->work) {}

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    enqueue_crossing(bytes, direction, [=] { std::memcpy(dst, src, bytes); });
  }

  void copy_d2d(std::byte* dst, const std::byte* src, std::size_t bytes) override {
    enqueue([=] { std::memcpy(dst, src, bytes); });
  }

  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                      unsigned /*most_blocks*/) override {
    const auto copy = [=, this] {
      team_(bytes, 2 * bytes, [=](std::size_t first, std::size_t count) {
        std::memcpy(dst + first, src + first, count);
      });
    };
    if (link() == nullptr) return enqueue(copy);
    const bool reads_host = !parts_->blocks.contain(src);
    const bool writes_host = !parts_->blocks.contain(dst);
    if (reads_host && writes_host)
      return enqueue([=, this] { cross_twice(link(), sequence_, bytes, copy); });
    if (!reads_host && !writes_host) return enqueue(copy);
    enqueue_crossing(bytes, reads_host ? direction::h2d : direction::d2h, copy);
  }

  void copy_batch(std::span<std::byte* const> destinations,
                  std::span<const std::byte* const> sources, std::span<const std::size_t> sizes,
                  direction direction) override {
    check_lengths(destinations.size(), sources.size(), sizes.size());
    const auto total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    enqueue_crossing(total, direction,
                     [dsts = std::vector(destinations.begin(), destinations.end()),
                      srcs = std::vector(sources.begin(), sources.end()),
                      bytes = std::vector(sizes.begin(), sizes.end())] {
                       for (std::size_t i = 0; i < bytes.size(); ++i)
                         std::memcpy(dsts[i], srcs[i], bytes[i]);
                     });
  }

  void copy_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction direction) override {
    const auto move = [=, this] {
      // A part must take a thread longer than waking up.
      constexpr std::size_t worth_a_thread = 64;
      const auto copy_part = [=](std::size_t first, std::size_t count) {
        for (const auto& piece : std::span(table, pieces).subspan(first, count)) {
          auto* const device_block = on_device + piece.offset;
          if (direction == direction::h2d)
            std::memcpy(device_block, piece.host, piece.bytes);
          else
            std::memcpy(piece.host, device_block, piece.bytes);
        }
      };
      team_.run(pieces, worth_a_thread, copy_part);
    };
    if (link() == nullptr) return enqueue(move);
    // Like a kernel, this reads the table when it runs.
    enqueue([=, this] {
      std::size_t bytes = 0;
      for (const auto& piece : std::span(table, pieces)) bytes += piece.bytes;
      cross(link(), sequence_, bytes, direction, move);
    });
  }

  void copy_pitched(pitched<std::byte> dst, pitched<const std::byte> src, pitched_extent extent,
                    direction direction) override {
    enqueue_crossing(extent.row_bytes * extent.rows * extent.slices, direction, [=] {
      for (std::size_t slice = 0; slice < extent.slices; ++slice)
        for (std::size_t row = 0; row < extent.rows; ++row)
          std::memcpy(dst.data + slice * dst.slice_pitch + row * dst.row_pitch,
                      src.data + slice * src.slice_pitch + row * src.row_pitch, extent.row_bytes);
    });
  }

  void clear(std::byte* memory, std::size_t bytes) override {
    enqueue([=] { std::memset(memory, 0, bytes); });
  }

  void fill(std::byte* memory, std::span<const std::byte> element, std::size_t elements) override {
    check_fill(element.size());
    std::array<std::byte, 16> pattern{};
    std::ranges::copy(element, pattern.begin());
    enqueue([=, this, element_bytes = element.size()] {
      detail::fill(loops(), memory, std::span(pattern).first(element_bytes), elements);
    });
  }

  void write_sequence(const sequence& sequence) override {
    check_arithmetic(sequence.type);
    enqueue([=, this] { detail::write_sequence(loops(), sequence); });
  }

  void calculate(const elementwise_operation& operation) override {
    check_arithmetic(operation.type);
    enqueue([=, this] { detail::calculate(loops(), operation); });
  }

  void convert(const conversion& conversion) override {
    enqueue([=, this] { detail::convert(loops(), conversion); });
  }

  [[nodiscard]] element_value reduce(const reduction& request) override {
    check_reduction(request);
    element_value result;
    enqueue([=, this, &result] { result = detail::reduce(loops(), request); });
    synchronize();
    return result;
  }

  void call(std::function<void()> function) override { enqueue(std::move(function)); }

  [[nodiscard]] std::unique_ptr<event> record(event_timing timing) override {
    return std::make_unique<host_event>(mark(timing));
  }

  void record_again(event& recorded) override {
    auto* const of_host = dynamic_cast<host_event*>(&recorded);
    if (of_host == nullptr)
      throw invalid_argument("a stream of a host device records only events of host devices");
    of_host->replace(mark(of_host->marked()->timing));
  }

  void wait(const event& event) override {
    const auto* const of_host = dynamic_cast<const host_event*>(&event);
    if (of_host == nullptr)
      throw invalid_argument("a stream of a host device waits only for events of host devices");
    enqueue([this, marked = of_host->marked()] {
      if (link() == nullptr) return marked->reached.wait();
      const auto waiting_since = time();
      const bool waits = !marked->reached.try_wait();
      marked->reached.wait();
      const auto& other = marked->device->link;
      if (other && link()->shares_clock(*other))
        sequence_ = link()->ended_at(std::max(waiting_since, marked->time));
      else if (waits)
        sequence_ = {};  // no delay: the other device has another clock
    });
  }

  [[nodiscard]] bool is_recording() const override { return false; }

  [[nodiscard]] void* native_handle() const noexcept override { return nullptr; }
  [[nodiscard]] void* native_context() const noexcept override { return nullptr; }

  void synchronize() override { queue_.wait(); }

 private:
  [[nodiscard]] device_identity identity() const noexcept override { return parts_->identity(); }

  [[nodiscard]] emulated_link* link() const noexcept { return parts_->link.get(); }

  /// The time of the worker's work so far, by the device's clock.
  [[nodiscard]] nanoseconds time() const {
    if (link() != nullptr) return link()->time_of(sequence_);
    return std::chrono::steady_clock::now() - parts_->origin;
  }

  /// Enqueues a new point.
  std::shared_ptr<point> mark(event_timing timing) {
    auto marked = std::shared_ptr<point>(new point{.device = parts_, .timing = timing});
    enqueue([this, marked] {
      marked->time = time();
      marked->reached.count_down();
    });
    return marked;
  }

  template <class Move>
  void enqueue_crossing(std::size_t bytes, direction direction, Move move) {
    enqueue([this, bytes, direction, move = std::move(move)] {
      cross(link(), sequence_, bytes, direction, move);
    });
  }

  /// Loops of the worker's tasks.
  [[nodiscard]] host_loops loops() { return host_loops(std::ref(team_)); }

  void enqueue(std::function<void()> task) { queue_.enqueue(std::move(task)); }

  std::shared_ptr<device_parts> parts_;
  emulated_link::copy_sequence sequence_;  ///< of the worker's copies
  loop_team team_;                         ///< the worker's
  task_queue queue_;                       // last: its tasks use the other members
};

}  // namespace

std::unique_ptr<stream> open_host_stream(std::shared_ptr<device_parts> parts) {
  return std::make_unique<host_stream>(std::move(parts));
}

}  // namespace transfers::detail
