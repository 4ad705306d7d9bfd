#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/result_file/contents.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::imports {

inline constexpr const char* nvbandwidth_program = "nvbandwidth";

/// The copies of one test case from or to one device.
struct nvbandwidth_copy {
  result_file::benchmark described;
  double gb_per_s, time_ns;
};

/// What is taken of the output of nvbandwidth. A text is empty if the output does not say.
struct nvbandwidth_run {
  std::string host_name, version, git_version, driver_version;
  nlohmann::ordered_json cuda_runtime_version;
  std::size_t buffer_bytes;               ///< the size of each copy
  std::vector<std::string> device_names;  ///< of all devices
  std::vector<nvbandwidth_copy> copies;
  std::vector<result_file::skipped_benchmark> skipped;  ///< test cases and their devices
  std::vector<common::message> words;                   ///< nvbandwidth's errors and warnings
  bool is_complete;
};

/// "cuda:0".
std::string id_of_nvbandwidth_device(std::size_t index);

/// Not a sentence: the name of the file precedes it.
class unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `output`: in the form of nvbandwidth's JSON. `buffer_bytes`: none: that of its release. Throws
/// unusable.
nvbandwidth_run nvbandwidth_run_in(const nlohmann::ordered_json& output,
                                   std::optional<std::size_t> buffer_bytes);

}  // namespace bench_transfers::imports
