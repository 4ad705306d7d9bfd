#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>
#include <utility>

#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/async_memory.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::host_memory_kind;

/// Memory, or a lock on some, until its last owner goes.
struct holding {
  std::shared_ptr<void> owner;
  std::byte* data = nullptr;
};

/// Memory to take and to give back, again and again.
struct source {
  std::function<holding()> take;
  std::function<void()> before = [] {};  ///< what has to be there before, not timed
};

/// What is given back goes to the system, or stays in a pool for the next one who asks.
enum class given_back { to_system, to_pool };

/// A source of memory, and its names.
struct allocator {
  std::string name;

  std::string summary;
  std::function<source(const job&)> open;
  bool on_device = false;
  given_back to = given_back::to_system;
  std::optional<host_memory_kind> kind = {};  ///< for what a device cannot allocate
  std::size_t smallest = 4096;
  bool only_cuda = false;   ///< other devices have no counterpart
  bool only_locks = false;  ///< the memory is there before and afterwards
  bool of_kind = false;     ///< its name is the kind's
  unsigned plainness = 1;
};

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void touch_pages(std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += page_bytes())
    *static_cast<volatile std::byte*>(data + i) = std::byte{1};
}

/// Whether there is memory that can be read at an address: a system call finds out without harm.
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
  take_large_blocks_from_the_system();
  return {[bytes = task.bytes] {
    auto* const data = static_cast<std::byte*>(std::malloc(bytes));
    if (data == nullptr) throw transfers::out_of_memory("malloc");
    const std::shared_ptr<void> owner(data, std::free);
    touch_pages(data, bytes);
    return holding{owner, data};
  }};
}

source of_kind(const job& task, host_memory_kind kind) {
  return {[&device = task.device, bytes = task.bytes, kind] {
    const auto owner = std::make_shared<transfers::host_memory>(device.allocate_host(bytes, kind));
    return holding{owner, owner->data()};
  }};
}

/// Page-locks memory that is there: what has been touched is the same each time.
source lock_touched(const job& task, host_memory_kind kind) {
  const auto memory =
      std::make_shared<transfers::host_memory>(task.device.allocate_host(task.bytes, kind));
  return {[&device = task.device, memory] {
    const auto owner = std::make_shared<transfers::page_lock>(device.lock(memory->bytes()));
    return holding{owner, memory->data()};
  }};
}

/// Page-locks memory that nobody has touched, new each time.
source lock_untouched(const job& task) {
  take_large_blocks_from_the_system();
  struct state {
    std::unique_ptr<std::byte, decltype(&std::free)> memory{nullptr, std::free};
  };
  const auto now = std::make_shared<state>();
  return {[&device = task.device, now, bytes = task.bytes] {
            const auto owner =
                std::make_shared<transfers::page_lock>(device.lock({now->memory.get(), bytes}));
            return holding{owner, now->memory.get()};
          },
          [now, bytes = task.bytes] {
            now->memory.reset();
            const auto whole = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
            now->memory.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes(), whole)));
            if (now->memory == nullptr) throw transfers::out_of_memory("aligned_alloc");
          }};
}

source on_device(const job& task) {
  return {[&device = task.device, bytes = task.bytes] {
    const auto owner = std::make_shared<transfers::device_memory>(device.allocate(bytes));
    return holding{owner, owner->data()};
  }};
}

source on_device_async(const job& task) {
  return {[allocate = subjects::async_allocator(task.device, task.stream), bytes = task.bytes] {
    const auto owner = allocate(bytes);
    return holding{owner, owner.get()};
  }};
}

template <class Pool, class Memory>
source from_pool(std::shared_ptr<Pool> pool, std::size_t bytes) {
  return {[pool = std::move(pool), bytes] {
    const auto owner = std::make_shared<Memory>(pool->allocate(bytes));
    return holding{owner, owner->data()};
  }};
}

std::vector<allocator> all_allocators() {
  using transfers::pin_flags;
  std::vector<allocator> all{{.name = "malloc",
                              .summary = "malloc, every page touched",
                              .open = from_malloc,
                              .plainness = 0}};
  for (const auto kind :
       {transfers::pageable, transfers::pageable_huge, transfers::registered,
        transfers::registered_huge, transfers::pinned(), transfers::pinned(pin_flags::portable),
        transfers::pinned(pin_flags::mapped), transfers::pinned(pin_flags::write_combined)})
    all.push_back({.name = to_string(kind),
                   .summary = describe(kind) + ", every page touched",
                   .open = [kind](const job& task) { return of_kind(task, kind); },
                   .kind = kind,
                   .of_kind = true,
                   .plainness = kind == transfers::pageable ? 0 : 1 + options_of(kind)});
  const auto locking = [](host_memory_kind kind) {
    return [kind](const job& task) { return lock_touched(task, kind); };
  };
  all.push_back({.name = "lock_untouched",
                 .summary = "only cudaHostRegister of memory that nobody has touched",
                 .open = lock_untouched,
                 .kind = transfers::registered,
                 .smallest = std::size_t{256} << 10,
                 .only_locks = true,
                 .plainness = 2});
  all.push_back({.name = "lock_touched",
                 .summary = "only cudaHostRegister of base pages that have been touched",
                 .open = locking(transfers::pageable),
                 .kind = transfers::registered,
                 .only_locks = true,
                 .plainness = 2});
  all.push_back({.name = "lock_touched_huge",
                 .summary = "only cudaHostRegister of huge pages that have been touched",
                 .open = locking(transfers::pageable_huge),
                 .kind = transfers::pageable_huge,
                 .only_locks = true,
                 .plainness = 3});
  all.push_back({.name = "device",
                 .summary = "device memory from cudaMalloc",
                 .open = on_device,
                 .on_device = true});
  all.push_back({.name = "device_async",
                 .summary = "cudaMallocAsync and a wait, pool warm",
                 .open = on_device_async,
                 .on_device = true,
                 .to = given_back::to_pool,
                 .only_cuda = true,
                 .plainness = 2});
  all.push_back({.name = "device_pool",
                 .summary = "transfers::device_pool, warm",
                 .open =
                     [](const job& task) {
                       return from_pool<transfers::device_pool, transfers::device_memory>(
                           std::make_shared<transfers::device_pool>(task.device), task.bytes);
                     },
                 .on_device = true,
                 .to = given_back::to_pool,
                 .plainness = 2});
  all.push_back({.name = "pinned_pool",
                 .summary = "transfers::pinned_pool, warm",
                 .open =
                     [](const job& task) {
                       return from_pool<transfers::pinned_pool, transfers::host_memory>(
                           std::make_shared<transfers::pinned_pool>(task.device, task.stream),
                           task.bytes);
                     },
                 .to = given_back::to_pool,
                 .kind = transfers::pinned(),
                 .plainness = 2});
  return all;
}

// --- Their two benchmarks ------------------------------------------------------------------------

std::optional<std::string> why_unusable(const job& task, const allocator& how, const holding& now) {
  const auto some = std::min<std::size_t>(task.bytes, page_bytes());
  if (how.on_device) {
    task.device.write_pattern(now.data, 0, some, task.memory.pattern());
    const auto found = task.device.check_pattern(now.data, 0, some, task.memory.pattern());
    return found.wrong_bytes == 0 ? std::nullopt
                                  : std::optional<std::string>("the memory does not keep data");
  }
  for (const auto at : {std::size_t{0}, task.bytes - some}) {
    transfers::write_host_pattern(now.data, at, some, task.memory.pattern());
    if (transfers::check_host_pattern(now.data, at, some, task.memory.pattern()).wrong_bytes > 0)
      return "the memory does not keep data";
  }
  return std::nullopt;
}

/// Whether it must be gone afterwards. Small blocks stay with malloc, and a lock leaves the memory
/// where it was.
bool goes_to_system(const job& task, const allocator& how) {
  constexpr std::size_t large = std::size_t{4} << 20;
  return how.to == given_back::to_system && task.bytes >= large && !how.only_locks;
}

/// Whether its address tells. Of its memory, a GPU's driver only says how much is free.
bool is_host_memory(const job& task, const allocator& how) {
  return !how.on_device || !task.device.description().cuda;
}

std::optional<std::string> unless_returned(bool returned) {
  if (returned) return std::nullopt;
  return "the memory was not given back to the system: what is measured is not an allocation";
}

/// Gives it back and looks whether it is gone.
std::optional<std::string> why_not_returned(const job& task, const allocator& how, holding now) {
  if (!goes_to_system(task, how)) return std::nullopt;
  const bool on_host = is_host_memory(task, how);
  const auto free_before = on_host ? 0 : task.device.free_memory();
  now.owner.reset();
  return unless_returned(on_host ? !is_readable(now.data)
                                 : task.device.free_memory() >= free_before + task.bytes / 2);
}

transfer prepare(const job& task, const allocator& how, bool frees) {
  struct state {
    job task;
    allocator how;
    source from;
    holding now = {};
    void take() {
      from.before();
      now = from.take();
    }
    void give_back() {
      now = {};
      // A pool may hand a block out again only when the stream has done with it; until then the
      // next one who asks gets a new one.
      if (how.to == given_back::to_pool) task.stream.synchronize();
    }
  };
  const auto it = std::make_shared<state>(state{task, how, how.open(task)});
  const step allocate{"allocate", [it] { it->now = it->from.take(); }};
  const step free{"free", [it] { it->now.owner.reset(); }};  // where it was is looked at afterwards
  transfer made;
  made.amount.bytes = task.bytes;
  made.timing.batched = false;
  made.timing.least_operations = 1;
  made.steps = {frees ? free : allocate};
  made.timing.between = [it, frees] {
    if (frees && it->now.owner) return;  // there it is
    it->give_back();
    if (frees)
      it->take();
    else
      it->from.before();
  };
  made.check.compare = [it, frees]() -> std::optional<std::string> {
    // What the operation itself has freed can be looked at, where it was; to get it again may take
    // long.
    if (frees && !it->now.owner && it->now.data != nullptr && goes_to_system(it->task, it->how) &&
        is_host_memory(it->task, it->how))
      return unless_returned(!is_readable(it->now.data));
    if (!it->now.owner) {
      it->give_back();
      it->take();
    }
    auto wrong = why_unusable(it->task, it->how, it->now);
    if (!wrong) wrong = why_not_returned(it->task, it->how, std::exchange(it->now, {}));
    it->give_back();
    return wrong;
  };
  if (how.to == given_back::to_pool) {
    // What it keeps is there from now on.
    it->take();
    it->give_back();
  }
  if (frees)
    it->take();
  else
    it->from.before();
  return made;
}

std::optional<std::string> why_unsupported(const allocator& how, const transfers::device& device) {
  if (how.only_cuda && !device.description().cuda)
    return "cudaMallocAsync is CUDA's own; the host device has no counterpart";
  return how.kind ? device.why_unsupported(*how.kind) : std::nullopt;
}

strategy strategy_for(const allocator& how, bool frees) {
  return {.family = frees ? "free" : "allocate",
          .parts = {how.of_kind ? in_memory(*how.kind) : method(how.name)},
          .summary = frees ? "giving it back: " + how.summary : how.summary,
          .role = frees ? roles::deallocation : roles::allocation,
          .plainness = how.plainness,
          .prepare = [how, frees](const job& task) { return prepare(task, how, frees); },
          .needs = {.more_host_memory = !how.on_device,
                    .more_device_memory = how.on_device,
                    .why_unsupported =
                        [how](const transfers::device& device) {
                          return why_unsupported(how, device);
                        }},
          .sampling = {.smallest = how.smallest,
                       .skip_largest = 1,
                       .cold = false,
                       .effort = 1.0 / 3,
                       .until_stable = true}};
}

const struct allocation_strategies {
  allocation_strategies() {
    for (const auto& how : all_allocators())
      for (const bool frees : {false, true}) registration{strategy_for(how, frees)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
