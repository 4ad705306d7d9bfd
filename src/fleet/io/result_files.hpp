#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/common/message.hpp"

namespace bench_transfers::fleet {

/// Nothing can be collected; what() is one line.
class nothing_to_collect : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result file, and the node that its folder stands for.
struct found_file {
  std::filesystem::path path;
  std::string node;  ///< empty: the file lies directly in the folder that was named
  std::optional<std::string> bytes = {};  ///< if it is not to be read from the disk
};

struct found_files {
  std::vector<found_file> files;
  std::vector<common::message> problems;  ///< what is named like a result and is none
};

/// The result files (.json, .json.gz) below these folders, each once, in the order of their paths;
/// a file may be named itself. Links are followed, but not in circles. Throws nothing_to_collect
/// for what is not there, and if there are none.
found_files files_below(const std::vector<std::filesystem::path>& folders);

/// Whether files_below looks at a file of this name.
bool is_named_like_a_result(const std::filesystem::path& file);

/// Their names, for a message.
std::string names_of(const std::vector<std::filesystem::path>& folders);

}  // namespace bench_transfers::fleet
