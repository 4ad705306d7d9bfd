#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/strategy/pattern_file.hpp"
#include "bench/strategy/strategy.hpp"

/// What the strategies that copy from a file to the device have in common.
namespace bench_transfers::bench {

/// Where the file is when an operation begins.
enum class page_cache {
  warm,  ///< all of it in the page cache
  cold   ///< none of it
};

/// "warm", "cold".
std::string name_of(page_cache state);

/// What an operation copies, and where to.
struct file_to_device {
  std::shared_ptr<const pattern_file> file;
  std::shared_ptr<const transfers::device_memory> on_device;
  std::size_t bytes;
};

/// The operation, and metrics of it that are known in advance.
struct file_operation {
  std::function<void()> run;
  std::vector<measured_metric> metrics = {};
};

using open_file = std::function<file_operation(const job&, const file_to_device&)>;

/// A strategy of the family `file`, which is measured on request. Its file is read in that state of
/// the page cache, and in turn with it by threads that read and do nothing else.
strategy copy_from_file(std::vector<name_part> parts, const std::string& summary,
                        const std::string& calls, page_cache state, unsigned plainness,
                        open_file open);

}  // namespace bench_transfers::bench
