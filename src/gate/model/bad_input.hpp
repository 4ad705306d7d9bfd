#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace bench_transfers::gate {

/// A file that cannot be used; what() is one line that names the file and the reason.
class bad_input : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file's name for such a message.
std::string quoted(const std::filesystem::path& file);

}  // namespace bench_transfers::gate
