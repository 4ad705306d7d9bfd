#include "bench/strategies/file_copies.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "transfers/fast/file_copy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::file_reading;
using transfers::input_file;

/// Threads that read a file into page-locked memory as a file_copier does, and nothing else.
class plain_reads {
 public:
  explicit plain_reads(transfers::device& device)
      : memory_(device.allocate_host(settings_.chunks * settings_.largest_chunk,
                                     device.why_unsupported(transfers::registered_huge)
                                         ? transfers::pinned()
                                         : transfers::registered_huge)),
        team_(settings_.threads) {}

  void run(const input_file& file, std::size_t bytes) {
    next_ = 0;
    team_.run([&](unsigned thread) {
      constexpr auto piece = std::size_t{256} << 10;
      const auto pieces_of_thread = memory_.size() / settings_.threads / piece;
      auto* const own = memory_.data() + thread * pieces_of_thread * piece;
      std::size_t turn = 0;
      for (auto first = next_.fetch_add(piece); first < bytes; first = next_.fetch_add(piece))
        read(file, own + turn++ % pieces_of_thread * piece, first, std::min(piece, bytes - first));
    });
  }

 private:
  /// The file has whole blocks.
  static void read(const input_file& file, std::byte* memory, std::size_t first,
                   std::size_t bytes) {
    const auto block = file.alignment();
    const auto wanted = (bytes + block - 1) / block * block;
    for (std::size_t complete = 0; complete < bytes;) {
      const auto count = pread(file.native_handle(), memory + complete, wanted - complete,
                               static_cast<off_t>(first + complete));
      if (count < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "cannot read the temporary file");
      if (count == 0) throw std::logic_error("the temporary file is too short");
      complete += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
  }

  file_reading settings_;
  transfers::host_memory memory_;
  std::atomic<std::size_t> next_ = 0;
  transfers::worker_team team_;
};

/// Reads of the file that are timed in turn with the operation. Of a cold file they are direct
/// ones, where there are any: what the disk gives.
std::vector<comparison> reads_in_turn(const job& task, const file_to_device& copy,
                                      page_cache state) {
  const bool warm = state == page_cache::warm;
  if (!warm && copy.file->why_not_past_cache()) return {};
  return {{.name = warm ? "read" : "disk",
           .description = warm ? "the file into page-locked memory and no further"
                               : "the file into page-locked memory and no further, past the cache",
           .run = [reads = std::make_shared<plain_reads>(task.device), copy,
                   &file = warm ? copy.file->through_cache()
                                : copy.file->past_cache()] { reads->run(file, copy.bytes); },
           .bytes = copy.bytes}};
}

/// The pattern goes from the file to device memory of the benchmark's own.
transfer prepare(const job& task, page_cache state, const open_file& open) {
  const file_to_device copy{task.memory.file(task.bytes),
                            std::make_shared<const transfers::device_memory>(
                                task.device.allocate(task.bytes + buffers::guard)),
                            task.bytes};
  transfer result;
  result.destination = payload{copy.on_device->data(), task.bytes, true};
  auto operation = open(task, copy);
  result.steps = {{"load", std::move(operation.run)}};
  result.against = reads_in_turn(task, copy, state);
  result.timing.between = [file = copy.file, state, bytes = task.bytes] {
    state == page_cache::warm ? file->make_warm(bytes) : file->make_cold(bytes);
  };
  result.timing.batched = false;
  result.timing.least_operations = 1;  // of a disk, each may take seconds
  result.derive = [metrics = std::move(operation.metrics)](const metric_values&) {
    return metrics;
  };
  return result;
}

}  // namespace

strategy copy_from_file(std::vector<name_part> parts, const std::string& summary,
                        const std::string& calls, page_cache state, unsigned plainness,
                        open_file open) {
  const file_reading settings;
  const bool warm = state == page_cache::warm;
  return {.family = "file",
          .parts = std::move(parts),
          .summary = "a file to the device: " + summary,
          .calls = calls,
          .variants = {both_directions().front()},
          // Not a constant: strategies of other files are registered before it has its value.
          .role = {"file", "copies from files to the device", result_file::table::directions},
          .plainness = plainness,
          .prepare = [state, open = std::move(open)](
                         const job& task) { return prepare(task, state, open); },
          .needs = {.more_host_memory = 1,  // the page cache
                    .more_device_memory = 1,
                    .fixed_host_memory = 2 * settings.chunks * settings.largest_chunk},
          // On request: nobody expects a benchmark of transfers to write a GiB to the disk.
          .sampling = {.smallest = warm ? std::size_t{4} << 10 : std::size_t{1} << 20,
                       .size_stride = 2,
                       .cold = false,
                       .on_request = true}};
}

std::string name_of(page_cache state) { return state == page_cache::warm ? "warm" : "cold"; }

}  // namespace bench_transfers::bench
