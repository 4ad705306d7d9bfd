#include <memory>
#include <string>

#include "bench/strategies/file_copies.hpp"
#include "transfers/fast/file_copy.hpp"

namespace bench_transfers::bench::file_strategies {
namespace {

using transfers::direction;
using transfers::file_copier;
using transfers::input_file;

file_operation map_and_copy(const job& task, const file_to_device& copy) {
  return {[&device = task.device, copy] {
    const file_mapping pages(copy.file->through_cache(), copy.bytes);
    device.cuda_memcpy(copy.on_device->data(), pages.data(), pages.size(), direction::h2d, false);
  }};
}

file_operation map_and_stage(const job& task, const file_to_device& copy) {
  return {[copier = task.memory.staged_copier(), copy] {
    const file_mapping pages(copy.file->through_cache(), copy.bytes);
    copier->copy(copy.on_device->data(), pages.data(), pages.size(), direction::h2d);
  }};
}

file_operation read_by_threads(const job& task, const file_to_device& copy,
                               const input_file& file) {
  const auto copier = std::make_shared<file_copier>(task.device);
  return {[copier, copy, &file] { copier->copy(copy.on_device->data(), copy.bytes, file); },
          {{count_metric("reading_threads", "threads that read the file"),
            static_cast<double>(copier->settings().threads)}}};
}

const std::string mapping =
    "mapped = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0));\n";

std::string calls_to_read(const std::string& access) {
  return "transfers::file_copier copier(gpu);\n"
         "copier.copy(device, bytes, transfers::input_file(path, transfers::file_access::" +
         access + "));";
}

/// What moves the bytes.
enum class file_mover { memcpy, staging, threads };

void add(const std::string& name, const std::string& summary, const std::string& calls,
         unsigned plainness, const open_file& open, file_mover moves = file_mover::threads) {
  for (const auto state : {page_cache::warm, page_cache::cold}) {
    auto added = copy_from_file({method(name), setting(name_of(state))},
                                summary + ", " + name_of(state) + " page cache", calls, state,
                                plainness, open);
    added.holds_launches = moves == file_mover::memcpy;
    added.needs.staged_copier = moves == file_mover::staging;
    registration{added};
  }
}

const struct file_strategies {
  file_strategies() {
    add("mmap", "mmap and cudaMemcpy",
        mapping + "cudaMemcpy(device, mapped, bytes, cudaMemcpyDefault);", 0, map_and_copy,
        file_mover::memcpy);
    add("mmap_staged", "mmap and a staged copy",
        mapping +
            "transfers::staged_copier copier(gpu);\n"
            "copier.copy(device, mapped, bytes, transfers::direction::h2d);",
        1, map_and_stage, file_mover::staging);
    add("pread", "read by threads into page-locked chunks", calls_to_read("cached"), 1,
        [](const job& task, const file_to_device& copy) {
          return read_by_threads(task, copy, copy.file->through_cache());
        });
    add("either", "read likewise, past the page cache what is not in it", calls_to_read("either"),
        2, [](const job& task, const file_to_device& copy) {
          return read_by_threads(task, copy, copy.file->in_cache_or_past_it());
        });
    auto direct = copy_from_file({method("direct")}, "read likewise, past the page cache",
                                 calls_to_read("direct"), page_cache::cold, 2,
                                 [](const job& task, const file_to_device& copy) {
                                   return read_by_threads(task, copy, copy.file->past_cache());
                                 });
    for (auto& variant : direct.variants) variant.setting = name_of(page_cache::cold);
    registration{direct};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::file_strategies
