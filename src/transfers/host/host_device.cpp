#include "transfers/host/host_device.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "src/transfers/array/calculate.hpp"
#include "src/transfers/array/host_loops.hpp"
#include "src/transfers/array/reduce.hpp"
#include "src/transfers/core/check_requests.hpp"
#include "src/transfers/core/lengths.hpp"
#include "src/transfers/core/numa.hpp"
#include "src/transfers/core/on_all_cores.hpp"
#include "src/transfers/core/pages.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

/// Counts the unfinished work of all streams of a device.
class outstanding_work {
 public:
  void add() {
    const std::scoped_lock lock(mutex_);
    ++count_;
  }
  void remove() {
    {
      const std::scoped_lock lock(mutex_);
      --count_;
    }
    done_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t count_ = 0;
};

/// The blocks and the capacity of a device's memory.
class device_blocks {
 public:
  explicit device_blocks(std::optional<std::size_t> capacity) : capacity_(capacity) {}

  /// Throws out_of_memory.
  void reserve(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (capacity_ && bytes > *capacity_ - used_bytes_)
      throw out_of_memory(fmt::format("{} bytes of device memory: {} of {} are free", bytes,
                                      *capacity_ - used_bytes_, *capacity_));
    used_bytes_ += bytes;
  }
  void release(std::size_t bytes) noexcept {
    const std::scoped_lock lock(mutex_);
    used_bytes_ -= bytes;
  }
  void add(const std::byte* block, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    blocks_.emplace(block, bytes);
  }
  void remove(const std::byte* block) noexcept {
    const std::scoped_lock lock(mutex_);
    blocks_.erase(block);
  }

  [[nodiscard]] std::optional<std::size_t> free_bytes() const {
    const std::scoped_lock lock(mutex_);
    return capacity_ ? std::optional(*capacity_ - used_bytes_) : std::nullopt;
  }

  [[nodiscard]] bool contain(const std::byte* address) const {
    const std::scoped_lock lock(mutex_);
    const auto next = blocks_.upper_bound(address);
    return next != blocks_.begin() && address < std::prev(next)->first + std::prev(next)->second;
  }

 private:
  const std::optional<std::size_t> capacity_;
  mutable std::mutex mutex_;
  std::size_t used_bytes_ = 0;
  std::map<const std::byte*, std::size_t> blocks_;
};

/// State that a device and its streams share.
struct device_parts final : detail::accessors {
  std::shared_ptr<emulated_link> link;  ///< null if there is none
  device_blocks blocks;
  outstanding_work work;
  int index = 0;
  std::chrono::steady_clock::time_point origin = std::chrono::steady_clock::now();

  explicit device_parts(const host_device_options& options)
      : link(options.link), blocks(options.memory_bytes), index(options.index.value_or(0)) {}

  [[nodiscard]] detail::device_identity identity() const noexcept {
    return {this, "host", index, this};
  }

  void let_access(const std::shared_ptr<const device_parts>& accessor) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(accessors_, [](const auto& known) { return known.expired(); });
    accessors_.push_back(accessor);
  }
  [[nodiscard]] bool contain(const void* state) const override {
    const std::scoped_lock lock(mutex_);
    return state != nullptr && std::ranges::any_of(accessors_, [&](const auto& known) {
             return known.lock().get() == state;
           });
  }

 private:
  mutable std::mutex mutex_;
  /// Not their addresses: a later device may have the same.
  std::vector<std::weak_ptr<const device_parts>> accessors_;
};

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

  /// A point can be reached only once.
  void mark(std::shared_ptr<point> marked) { point_ = std::move(marked); }

 private:
  std::shared_ptr<point> point_;
};

/// Calls `move`, whose bytes cross the link, if there is one.
template <class Move>
void cross(emulated_link* link, emulated_link::copy_sequence& sequence, std::size_t bytes,
           direction direction, Move&& move) {
  if (link == nullptr) return move();
  auto crossing = link->begin(sequence, bytes, direction);
  move();
  crossing.finish();
}

/// The same for bytes that cross the link in both directions at once.
template <class Move>
void cross_twice(emulated_link& link, emulated_link::copy_sequence& sequence, std::size_t bytes,
                 Move&& move) {
  auto uploads = sequence;
  auto downloads = sequence;
  auto upload = link.begin(uploads, bytes, direction::h2d);
  auto download = link.begin(downloads, bytes, direction::d2h);
  move();
  upload.finish();
  download.finish();
  sequence = emulated_link::later(uploads, downloads);
}

/// A thread that runs enqueued work in order: the host's counterpart of a CUDA stream.
class host_stream final : public stream {
 public:
  explicit host_stream(std::shared_ptr<device_parts> parts)
      : parts_(std::move(parts)), worker_([this](const std::stop_token& stop) { work(stop); }) {}

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
      return enqueue([=, this] { cross_twice(*link(), sequence_, bytes, copy); });
    if (!reads_host && !writes_host) return enqueue(copy);
    enqueue_crossing(bytes, reads_host ? direction::h2d : direction::d2h, copy);
  }

  void copy_batch(std::span<std::byte* const> destinations,
                  std::span<const std::byte* const> sources, std::span<const std::size_t> sizes,
                  direction direction) override {
    detail::check_lengths(destinations.size(), sources.size(), sizes.size());
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
    detail::check_fill(element.size());
    std::array<std::byte, 16> pattern{};
    std::ranges::copy(element, pattern.begin());
    enqueue([=, this, element_bytes = element.size()] {
      detail::fill(loops(), memory, std::span(pattern).first(element_bytes), elements);
    });
  }

  void write_sequence(const sequence& sequence) override {
    detail::check_arithmetic(sequence.type);
    enqueue([=, this] { detail::write_sequence(loops(), sequence); });
  }

  void calculate(const elementwise_operation& operation) override {
    detail::check_arithmetic(operation.type);
    enqueue([=, this] { detail::calculate(loops(), operation); });
  }

  void convert(const conversion& conversion) override {
    enqueue([=, this] { detail::convert(loops(), conversion); });
  }

  [[nodiscard]] element_value reduce(const reduction& request) override {
    detail::check_reduction(request);
    element_value result;
    enqueue([=, this, &result] { result = detail::reduce(loops(), request); });
    synchronize();
    return result;
  }

  void call(std::function<void()> function) override {
    enqueue([this, function = std::move(function)] {
      try {
        function();
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
    });
  }

  [[nodiscard]] std::unique_ptr<event> record(event_timing timing) override {
    return std::make_unique<host_event>(mark(timing));
  }

  void record_again(event& recorded) override {
    auto* const of_host = dynamic_cast<host_event*>(&recorded);
    if (of_host == nullptr)
      throw invalid_argument("a stream of a host device records only events of host devices");
    of_host->mark(mark(of_host->marked()->timing));
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

  void synchronize() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return unfinished_ == 0; });
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  }

 private:
  [[nodiscard]] detail::device_identity identity() const noexcept override {
    return parts_->identity();
  }

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
  [[nodiscard]] detail::host_loops loops() { return detail::host_loops(std::ref(team_)); }

  void enqueue(std::function<void()> task) {
    {
      const std::scoped_lock lock(mutex_);
      tasks_.push_back(std::move(task));
      ++unfinished_;
      parts_->work.add();
    }
    wake_.notify_one();
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto has_task = [this] { return !tasks_.empty(); };
    // A stop takes effect only when no work is left: destruction waits for enqueued work.
    while (wake_.wait(lock, stop, has_task)) {
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;  // its captures may use this stream when they are destroyed
      lock.lock();
      if (--unfinished_ == 0) idle_.notify_all();
      parts_->work.remove();
    }
  }

  std::shared_ptr<device_parts> parts_;
  emulated_link::copy_sequence sequence_;  ///< of the worker's copies
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> tasks_;
  std::size_t unfinished_ = 0;
  std::exception_ptr failure_;  ///< exception of a called function, for synchronize() to throw
  detail::loop_team team_;      ///< the worker's
  std::jthread worker_;         // last: starts after, and is joined before, the other members
};

/// Locked memory ranges and their pages: mlock(2) does not count locks, and neighbours share pages.
class locked_ranges {
 public:
  /// Shared by all host devices, because the operating system's locks are those of the process.
  static std::shared_ptr<locked_ranges> of_this_process() {
    static const auto ranges = std::make_shared<locked_ranges>();
    return ranges;
  }

  /// Throws invalid_argument if a part of it is locked already; what lock_pages throws.
  void lock(std::span<std::byte> memory) {
    const std::scoped_lock guard(mutex_);
    const auto after = ranges_.lower_bound(memory.data() + memory.size());
    if (after != ranges_.begin()) {
      const auto& [first, bytes] = *std::prev(after);
      if (first + bytes > memory.data())
        throw invalid_argument("this host memory is page-locked already, or a part of it is");
    }
    lock_pages(memory.data(), memory.size());
    ranges_.emplace(memory.data(), memory.size());
  }

  void unlock(std::byte* first) {
    const std::scoped_lock guard(mutex_);
    const auto range = ranges_.find(first);
    const auto next = std::next(range);
    // A page in which a neighbour ends or begins stays locked; the whole pages between are
    // unlocked.
    auto begin = page_of(first);
    auto end = page_of(first + range->second - 1) + page_;
    if (range != ranges_.begin()) {
      const auto& [neighbour, bytes] = *std::prev(range);
      begin = std::max(begin, page_of(neighbour + bytes - 1) + page_);
    }
    if (next != ranges_.end()) end = std::min(end, page_of(next->first));
    ranges_.erase(range);
    if (begin < end) munlock(begin, static_cast<std::size_t>(end - begin));
  }

 private:
  [[nodiscard]] std::byte* page_of(std::byte* address) const {
    return address - reinterpret_cast<std::uintptr_t>(address) % page_;
  }

  const std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::mutex mutex_;
  std::map<std::byte*, std::size_t> ranges_;
};

std::string rate_text(const link_description& link) {
  const auto text = [](double rate, const char* name) {
    return rate == 0 ? std::string() : fmt::format(", {:g} GB/s {}", rate / 1e9, name);
  };
  return text(link.h2d_bytes_per_second, "h2d") + text(link.d2h_bytes_per_second, "d2h") +
         text(link.both_bytes_per_second, "both together");
}

device_description describe_device(const host_device_options& options) {
  device_description description{.kind = "host", .name = "host (no GPU)"};
  description.index = options.index.value_or(0);
  if (options.link) description.emulated_link = options.link->description();
  if (options.link && options.link->links().size() > 1)
    description.emulated_path = options.link->links();
  if (!options.index && !options.link) return description;
  description.name = "host (emulated, no GPU";  // one model, as GPUs of a computer have
  if (options.link)
    description.name += fmt::format("; link {}{}", description.emulated_link->name,
                                    rate_text(*description.emulated_link));
  description.name += ')';
  return description;
}

class host_device final : public device {
 public:
  explicit host_device(const host_device_options& options)
      : parts_(std::make_shared<device_parts>(options)), description_(describe_device(options)) {
    if (description_.index < 0) throw invalid_argument("the index of a device is not negative");
  }
  explicit host_device(same_device_as same, const host_device& other)
      : device(same), parts_(other.parts_), description_(other.description_) {}

  [[nodiscard]] std::shared_ptr<device> share() override {
    return std::make_shared<host_device>(same_device_as{*this}, *this);
  }

  [[nodiscard]] detail::device_identity identity() const noexcept override {
    return parts_->identity();
  }

  [[nodiscard]] const device_description& description() const noexcept override {
    return description_;
  }

  [[nodiscard]] std::optional<std::string> why_unsupported(host_memory_kind kind) const override {
    if (kind.origin == host_origin::managed)
      return "managed memory comes from a GPU driver; the host device has none";
    if (has(kind.flags, pin_flags::write_combined))
      return "write-combined memory comes from a GPU driver; the host device has none";
    if (has(kind.flags, pin_flags::portable))
      return "PORTABLE concerns several CUDA contexts; the host device has none";
    if (kind.origin == host_origin::pageable_huge)
      if (auto reason = why_no_huge_pages()) return reason;
    return detail::why_not_on_its_node(kind);
  }

  /// Page-locking is mlock(2); the "device" can address all memory.
  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    if (const auto reason = why_unsupported(kind)) throw unsupported(*reason);
    auto data = map_pages_of(kind, bytes);
    auto* const address = data.get();
    if (!is_page_locked(kind)) return {std::move(data), bytes, kind, address};
    locked_->lock({address, bytes});
    auto unmap = std::move(data.get_deleter());
    return {{data.release(),
             [unmap, locked = locked_](std::byte* first) {
               locked->unlock(first);
               unmap(first);
             }},
            bytes,
            kind,
            address};
  }

  [[nodiscard]] device_memory allocate(std::size_t bytes) override {
    parts_->blocks.reserve(bytes);
    auto reserved = std::shared_ptr<void>(
        nullptr, [parts = parts_, bytes](void*) { parts->blocks.release(bytes); });
    auto pages = map_pages(bytes, page_size::base);
    parts_->blocks.add(pages.get(), bytes);
    auto unmap = std::move(pages.get_deleter());
    // Like cudaFree, which waits for work that may still use the memory.
    return {{pages.release(),
             [unmap, reserved = std::move(reserved), parts = parts_](std::byte* p) mutable {
               parts->work.wait();
               parts->blocks.remove(p);
               unmap(p);
               reserved.reset();
             }},
            bytes};
  }

  [[nodiscard]] page_lock lock(std::span<std::byte> memory) override {
    if (memory.empty()) throw invalid_argument("cannot lock zero bytes of host memory");
    locked_->lock(memory);
    return {{memory.data(), [locked = locked_](std::byte* first) { locked->unlock(first); }},
            memory.size(),
            memory.data()};
  }

  [[nodiscard]] bool copies_directly(const std::byte* /*host*/) const override { return true; }

  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override { return host; }

  [[nodiscard]] std::size_t free_memory() const override {
    const auto host_bytes = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::min(host_bytes, parts_->blocks.free_bytes().value_or(host_bytes));
  }

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    if (!parts_->link) {
      std::memcpy(dst, src, bytes);
      return;
    }
    auto sequence = last_copies_.take();
    cross(parts_->link.get(), sequence, bytes, direction, [&] { std::memcpy(dst, src, bytes); });
    last_copies_.put(sequence);
  }

  /// All memory of host devices is memory of the process.
  bool access_peer(device& peer) override {
    if (auto* const other = dynamic_cast<host_device*>(&peer)) other->parts_->let_access(parts_);
    return peer.description().kind == "host";
  }

  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<host_stream>(parts_);
  }

  void synchronize() override { parts_->work.wait(); }

  [[nodiscard]] std::shared_ptr<const void> make_current() override { return nullptr; }

 private:
  /// The copies of the thread that copied last; its delays do not concern other threads.
  class last_copies {
   public:
    emulated_link::copy_sequence take() {
      const std::scoped_lock lock(mutex_);
      return thread_ == std::this_thread::get_id() ? sequence_ : emulated_link::copy_sequence();
    }
    void put(const emulated_link::copy_sequence& sequence) {
      const std::scoped_lock lock(mutex_);
      thread_ = std::this_thread::get_id();
      sequence_ = sequence;
    }

   private:
    std::mutex mutex_;
    std::thread::id thread_;
    emulated_link::copy_sequence sequence_;
  };

  std::shared_ptr<device_parts> parts_;
  std::shared_ptr<locked_ranges> locked_ = locked_ranges::of_this_process();
  device_description description_;
  last_copies last_copies_;
};

}  // namespace

std::unique_ptr<device> open_host_device() { return open_host_device(host_device_options{}); }

std::unique_ptr<device> open_host_device(const host_device_options& options) {
  return std::make_unique<host_device>(options);
}

}  // namespace transfers
