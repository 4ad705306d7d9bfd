#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "src/common/message.hpp"
#include "src/result_file/beginning.hpp"

namespace bench_transfers::fleet {

/// The problem of a file that cannot be used, and of its rank: that has left results, even if
/// nobody can read them. `told` is what the file tells of whose it is; without a value, it cannot
/// be read at all. `node` is known otherwise, or empty. All texts of the problem are printable.
common::message unusable_result(const std::filesystem::path& file, const std::string& node,
                                const std::optional<result_file::beginning>& told,
                                const std::string& why);

}  // namespace bench_transfers::fleet
