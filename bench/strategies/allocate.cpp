#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "bench/strategies/allocators.hpp"
#include "bench/verification/pattern.hpp"
#include "src/transfers/core/pages.hpp"

namespace bench_transfers::bench::allocate_strategies {
namespace {

/// Which of the two calls a benchmark times.
enum class timed_call { allocate, free };

/// Whether memory at an address can be read: a system call fails instead of crashing.
bool is_readable(const std::byte* address) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const bool readable = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

std::optional<std::string> why_unusable(const job& task, const allocator& allocator,
                                        const holding& held) {
  const auto bytes = std::min<std::size_t>(task.bytes, transfers::page_bytes());
  if (allocator.gives == resource::device_memory) {
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
  return allocator.target == release_target::system && task.bytes >= large &&
         allocator.gives != resource::page_lock;
}

/// Whether the address shows that memory is unmapped. A GPU's driver only reports free memory.
bool is_host_memory(const job& task, const allocator& allocator) {
  return allocator.gives != resource::device_memory || !task.device.description().cuda;
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
  benchmarked(const job& task, const allocator& allocator, timed_call timed)
      : task_(task), allocator_(allocator), timed_(timed), source_(allocator.open(task)) {
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
    if (timed_ == timed_call::free && held_.owner) return;  // it is allocated
    give_back();
    make_ready();
  }

  std::optional<std::string> why_wrong() {
    // Its former address is enough to verify that it is freed. To allocate it again may take long.
    const bool has_been_freed = timed_ == timed_call::free && !held_.owner && held_.data != nullptr;
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
    if (timed_ == timed_call::free)
      take();
    else
      source_.before();
  }

  job task_;
  allocator allocator_;
  timed_call timed_;
  source source_;
  holding held_ = {};
};

transfer prepare(const job& task, const allocator& allocator, timed_call timed) {
  const auto memory = std::make_shared<benchmarked>(task, allocator, timed);
  transfer operation;
  operation.timing.batched = false;
  operation.timing.least_operations = 1;
  operation.steps = {timed == timed_call::free
                         ? step{"free", [memory] { memory->free(); }}
                         : step{"allocate", [memory] { memory->allocate(); }}};
  operation.timing.between = [memory] { memory->restore(); };
  operation.check.compare = [memory] { return memory->why_wrong(); };
  return operation;
}

std::optional<std::string> why_unsupported(const allocator& allocator,
                                           const transfers::device& device) {
  if (allocator.cuda)
    if (auto reason = why_not_cuda(allocator.cuda->name, device)) return reason;
  if (allocator.kind) return bench::why_unsupported(*allocator.kind, device);
  return std::nullopt;
}

strategy strategy_for(const allocator& allocator, timed_call timed) {
  const bool frees = timed == timed_call::free;
  const bool on_device = allocator.gives == resource::device_memory;
  return {
      .family = frees ? "free" : "allocate",
      .parts = {allocator.name},
      .summary = frees ? "giving it back: " + allocator.summary : allocator.summary,
      .role = frees ? roles::deallocation : roles::allocation,
      .plainness = allocator.plainness,
      .procedure = frees ? 1 : allocator.procedure,
      .prepare = [allocator, timed](const job& task) { return prepare(task, allocator, timed); },
      .needs = {.more_host_memory = on_device ? 0U : 1U,
                .more_device_memory = on_device ? 1U : 0U,
                .page_locks = allocator.gives == resource::page_lock,
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
      for (const auto timed : {timed_call::allocate, timed_call::free})
        registration{strategy_for(allocator, timed)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::allocate_strategies
