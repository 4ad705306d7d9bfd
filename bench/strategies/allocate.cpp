#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>
#include <utility>

#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/async_memory.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace bench_transfers::bench {
namespace {

using subjects::freed_memory;
using subjects::pooled_memory;
using transfers::host_memory_kind;

/// Memory, or a page lock, that is released with its last owner.
struct holding {
  std::shared_ptr<void> owner;
  std::byte* data = nullptr;
};

/// Allocates memory again and again; the holding releases it.
struct source {
  std::function<holding()> take;
  std::function<void()> before = [] {};  ///< runs before `take`, untimed
};

/// Where released memory goes: to the system, or to a pool that keeps it for the next allocation.
enum class release_target { system, pool };

/// A call of CUDA, and the release that brought it, if that is a later one.
struct own_call {
  std::string name;
  std::optional<machine::cuda_release> since = {};
};

/// A source of memory, and its names.
struct allocator {
  name_part name;
  std::string summary;
  std::function<source(const job&)> open;
  bool on_device = false;
  release_target target = release_target::system;
  std::optional<host_memory_kind> kind = {};  ///< that the device must support
  std::size_t smallest = 4096;
  std::optional<own_call> cuda = {};  ///< other devices have no counterpart
  bool only_locks = false;  ///< page-locks existing memory: the device must support that as well
  unsigned plainness = 1;
};

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void touch_pages(std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += page_bytes())
    *static_cast<volatile std::byte*>(data + i) = std::byte{1};
}

/// Whether memory at an address can be read: a system call fails instead of crashing.
bool is_readable(const std::byte* address) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const bool readable = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

// --- Allocators ------------------------------------------------------------------------------

source from_malloc(const job& task) {
  disable_malloc_caching();
  return {[bytes = task.bytes] {
    auto* const data = static_cast<std::byte*>(std::malloc(bytes));
    if (data == nullptr) throw transfers::out_of_memory("malloc");
    const std::shared_ptr<void> owner(data, std::free);
    touch_pages(data, bytes);
    return holding{owner, data};
  }};
}

source memory_of_kind(const job& task, host_memory_kind kind) {
  return {[&device = task.device, bytes = task.bytes, kind] {
    const auto owner = std::make_shared<transfers::host_memory>(device.allocate_host(bytes, kind));
    return holding{owner, owner->data()};
  }};
}

/// Page-locks memory that exists and has been touched: the same memory each time.
source lock_touched(const job& task, host_memory_kind kind) {
  const auto memory =
      std::make_shared<transfers::host_memory>(task.device.allocate_host(task.bytes, kind));
  return {[&device = task.device, memory] {
    const auto owner = std::make_shared<transfers::page_lock>(device.lock(memory->bytes()));
    return holding{owner, memory->data()};
  }};
}

/// Page-locks new, untouched memory each time.
source lock_untouched(const job& task) {
  disable_malloc_caching();
  struct shared_state {
    std::unique_ptr<std::byte, decltype(&std::free)> memory{nullptr, std::free};
  };
  const auto state = std::make_shared<shared_state>();
  return {[&device = task.device, state, bytes = task.bytes] {
            const auto owner =
                std::make_shared<transfers::page_lock>(device.lock({state->memory.get(), bytes}));
            return holding{owner, state->memory.get()};
          },
          [state, bytes = task.bytes] {
            state->memory.reset();
            const auto rounded = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
            state->memory.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes(), rounded)));
            if (state->memory == nullptr) throw transfers::out_of_memory("aligned_alloc");
          }};
}

source on_device(const job& task) {
  return {[&device = task.device, bytes = task.bytes] {
    const auto owner = std::make_shared<transfers::device_memory>(device.allocate(bytes));
    return holding{owner, owner->data()};
  }};
}

source on_device_async(const job& task) {
  return {[allocate = subjects::async_allocator(task.device, task.stream, pooled_memory::device,
                                                freed_memory::kept),
           bytes = task.bytes] {
    const auto owner = allocate(bytes);
    return holding{owner, owner.get()};
  }};
}

/// From a pool of CUDA in host memory. A pool may give memory whose pages nobody has touched: one
/// that keeps its memory is touched with the first block.
source from_host_pool(const job& task, pooled_memory memory, freed_memory freed) {
  return {[allocate = subjects::async_allocator(task.device, task.stream, memory, freed), freed,
           bytes = task.bytes, is_touched = false]() mutable {
    const auto owner = allocate(bytes);
    if (freed == freed_memory::given_back || !is_touched) touch_pages(owner.get(), bytes);
    is_touched = true;
    return holding{owner, owner.get()};
  }};
}

source from_device_pool(const job& task) {
  return {[pool = transfers::device_pool(task.device), &stream = task.stream,
           bytes = task.bytes]() mutable {
    const auto owner = std::make_shared<transfers::device_memory>(pool.allocate(bytes, stream));
    return holding{owner, owner->data()};
  }};
}

source from_pinned_pool(const job& task) {
  const auto pool = std::make_shared<transfers::pinned_pool>(task.device, task.stream);
  return {[pool, bytes = task.bytes] {
    const auto owner = std::make_shared<transfers::host_memory>(pool->allocate(bytes));
    return holding{owner, owner->data()};
  }};
}

/// CUDA's pools of host memory, without memory to begin with, and warm.
std::vector<allocator> host_pools() {
  const auto pool = [](const std::string& name, const std::string& summary, pooled_memory memory,
                       freed_memory freed, machine::cuda_release cuda) {
    const bool is_warm = freed == freed_memory::kept;
    return allocator{
        .name = method(name + (is_warm ? "_warm" : "")),
        .summary = "cudaMallocFromPoolAsync of " + summary + " and a wait, " +
                   (is_warm ? "pool warm" : "pool empty, every page touched"),
        .open = [memory, freed](const job& task) { return from_host_pool(task, memory, freed); },
        .target = is_warm ? release_target::pool : release_target::system,
        .cuda = own_call{"cudaMallocFromPoolAsync", cuda},
        .plainness = 2};
  };
  std::vector<allocator> pools;
  for (const auto freed : {freed_memory::given_back, freed_memory::kept}) {
    pools.push_back(
        pool("host_pool", "host memory", pooled_memory::host, freed, cuda_with::host_pools));
    pools.push_back(pool("host_pool_numa", "host memory on the device's NUMA node",
                         pooled_memory::host_numa, freed, cuda_with::host_numa_pools));
  }
  return pools;
}

/// Page locks of memory that is there already.
std::vector<allocator> page_locks() {
  const auto locking = [](host_memory_kind kind) {
    return [kind](const job& task) { return lock_touched(task, kind); };
  };
  return {{.name = method("lock_untouched"),
           .summary = "only cudaHostRegister of untouched memory",
           .open = lock_untouched,
           .smallest = std::size_t{256} << 10,
           .only_locks = true,
           .plainness = 2},
          {.name = method("lock_touched"),
           .summary = "only cudaHostRegister of base pages that have been touched",
           .open = locking(transfers::pageable),
           .only_locks = true,
           .plainness = 2},
          {.name = method("lock_touched_huge"),
           .summary = "only cudaHostRegister of huge pages that have been touched",
           .open = locking(transfers::pageable_huge),
           .kind = transfers::pageable_huge,
           .only_locks = true,
           .plainness = 3}};
}

/// Device memory, and the pools of the library.
std::vector<allocator> device_memory_and_pools() {
  return {{.name = method("device"),
           .summary = "device memory from cudaMalloc",
           .open = on_device,
           .on_device = true},
          {.name = method("device_async"),
           .summary = "cudaMallocAsync and a wait, pool warm",
           .open = on_device_async,
           .on_device = true,
           .target = release_target::pool,
           .cuda = own_call{"cudaMallocAsync"},
           .plainness = 2},
          {.name = method("device_pool"),
           .summary = "transfers::device_pool, warm, in the order of the stream",
           .open = from_device_pool,
           .on_device = true,
           .target = release_target::pool,
           .plainness = 2},
          {.name = method("pinned_pool"),
           .summary = "transfers::pinned_pool, warm",
           .open = from_pinned_pool,
           .target = release_target::pool,
           .kind = transfers::pinned(),
           .plainness = 2}};
}

std::vector<allocator> all_allocators() {
  using transfers::pin_flags;
  std::vector<allocator> allocators{{.name = method("malloc"),
                                     .summary = "malloc, every page touched",
                                     .open = from_malloc,
                                     .plainness = 0}};
  for (const auto kind :
       {transfers::pageable, transfers::pageable_huge, transfers::registered,
        transfers::registered_huge, transfers::pinned(), transfers::pinned(pin_flags::portable),
        transfers::pinned(pin_flags::mapped), transfers::pinned(pin_flags::write_combined)})
    allocators.push_back({.name = in_memory(kind),
                          .summary = describe(kind) + ", every page touched",
                          .open = [kind](const job& task) { return memory_of_kind(task, kind); },
                          .kind = kind,
                          .plainness = kind == transfers::pageable ? 0 : 1 + options_of(kind)});
  for (const auto& more : {page_locks(), device_memory_and_pools(), host_pools()})
    allocators.insert(allocators.end(), more.begin(), more.end());
  return allocators;
}

// --- Their two benchmarks ------------------------------------------------------------------------

std::optional<std::string> why_unusable(const job& task, const allocator& allocator,
                                        const holding& held) {
  const auto bytes = std::min<std::size_t>(task.bytes, page_bytes());
  if (allocator.on_device) {
    write_pattern(task.device, held.data, 0, bytes, task.memory.pattern());
    const auto check = check_pattern(task.device, held.data, 0, bytes, task.memory.pattern());
    return check.wrong_bytes == 0 ? std::nullopt
                                  : std::optional<std::string>("the memory does not keep data");
  }
  for (const auto at : {std::size_t{0}, task.bytes - bytes}) {
    write_host_pattern(held.data, at, bytes, task.memory.pattern());
    if (check_host_pattern(held.data, at, bytes, task.memory.pattern()).wrong_bytes > 0)
      return "the memory does not keep data";
  }
  return std::nullopt;
}

/// Whether the memory must be unmapped afterwards. malloc keeps small blocks, and releasing a lock
/// keeps the memory.
bool goes_to_system(const job& task, const allocator& allocator) {
  constexpr std::size_t large = std::size_t{4} << 20;
  return allocator.target == release_target::system && task.bytes >= large && !allocator.only_locks;
}

/// Whether the address shows that memory is unmapped. A GPU's driver only reports free memory.
bool is_host_memory(const job& task, const allocator& allocator) {
  return !allocator.on_device || !task.device.description().cuda;
}

std::optional<std::string> unless_returned(bool returned) {
  if (returned) return std::nullopt;
  return "the memory was not given back to the system: what is measured is not an allocation";
}

/// Releases the memory and checks that it went back to the system.
std::optional<std::string> why_not_returned(const job& task, const allocator& allocator,
                                            holding held) {
  if (!goes_to_system(task, allocator)) return std::nullopt;
  const bool on_host = is_host_memory(task, allocator);
  const auto free_before = on_host ? 0 : task.device.free_memory();
  held.owner.reset();
  return unless_returned(on_host ? !is_readable(held.data)
                                 : task.device.free_memory() >= free_before + task.bytes / 2);
}

/// The memory of a benchmark, of `allocate` or of `free`.
class benchmarked {
 public:
  benchmarked(const job& task, const allocator& allocator, bool frees)
      : task_(task), allocator_(allocator), frees_(frees), source_(allocator.open(task)) {
    if (allocator.target == release_target::pool) {
      // From now on the pool keeps the memory.
      take();
      give_back();
    }
    make_ready();
  }

  void allocate() { held_ = source_.take(); }
  void free() { held_.owner.reset(); }  // verified by the address afterwards

  /// Between two operations.
  void restore() {
    if (frees_ && held_.owner) return;  // it is allocated
    give_back();
    make_ready();
  }

  std::optional<std::string> why_wrong() {
    // Its former address is enough to verify that it is freed. To allocate it again may take long.
    const bool has_been_freed = frees_ && !held_.owner && held_.data != nullptr;
    if (has_been_freed && goes_to_system(task_, allocator_) && is_host_memory(task_, allocator_))
      return unless_returned(!is_readable(held_.data));
    if (!held_.owner) {
      give_back();
      take();
    }
    auto error = why_unusable(task_, allocator_, held_);
    if (!error) error = why_not_returned(task_, allocator_, std::exchange(held_, {}));
    give_back();
    return error;
  }

 private:
  void take() {
    source_.before();
    allocate();
  }
  void give_back() {
    held_ = {};
    // A pool reuses a block only when the stream has finished with it; until then the next
    // allocation returns a new block.
    if (allocator_.target == release_target::pool) task_.stream.synchronize();
  }
  /// For the next operation.
  void make_ready() {
    if (frees_)
      take();
    else
      source_.before();
  }

  job task_;
  allocator allocator_;
  bool frees_;
  source source_;
  holding held_ = {};
};

transfer prepare(const job& task, const allocator& allocator, bool frees) {
  const auto memory = std::make_shared<benchmarked>(task, allocator, frees);
  transfer operation;
  operation.timing.batched = false;
  operation.timing.least_operations = 1;
  operation.steps = {frees ? step{"free", [memory] { memory->free(); }}
                           : step{"allocate", [memory] { memory->allocate(); }}};
  operation.timing.between = [memory] { memory->restore(); };
  operation.check.compare = [memory] { return memory->why_wrong(); };
  return operation;
}

std::optional<std::string> why_unsupported(const allocator& allocator,
                                           const transfers::device& device) {
  if (allocator.cuda)
    if (auto reason = why_not_cuda(allocator.cuda->name, device)) return reason;
  if (allocator.kind)
    if (auto reason = device.why_unsupported(*allocator.kind)) return reason;
  return allocator.only_locks ? device.why_unsupported(transfers::registered) : std::nullopt;
}

strategy strategy_for(const allocator& allocator, bool frees) {
  return {
      .family = frees ? "free" : "allocate",
      .parts = {allocator.name},
      .summary = frees ? "giving it back: " + allocator.summary : allocator.summary,
      .role = frees ? roles::deallocation : roles::allocation,
      .plainness = allocator.plainness,
      .prepare = [allocator, frees](const job& task) { return prepare(task, allocator, frees); },
      .needs = {.more_host_memory = allocator.on_device ? 0U : 1U,
                .more_device_memory = allocator.on_device ? 1U : 0U,
                .cuda = allocator.cuda ? allocator.cuda->since : std::nullopt,
                .why_unsupported =
                    [allocator](const transfers::device& device) {
                      return why_unsupported(allocator, device);
                    }},
      .sampling = {.smallest = allocator.smallest,
                   .skip_largest = 1,
                   .cold = false,
                   .effort = 1.0 / 3,
                   .until_stable = true}};
}

const struct allocation_strategies {
  allocation_strategies() {
    for (const auto& allocator : all_allocators())
      for (const bool frees : {false, true}) registration{strategy_for(allocator, frees)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
