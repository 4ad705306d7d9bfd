#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// A GPU that a sweep does not have, though it has others of its node.
struct absent_gpu {
  std::string uuid, node;
};

/// Of each of these GPUs: has it left no result? A file that cannot be read is of the GPUs that it
/// names. One that names none may be of any GPU of its node, or of any node if it does not tell
/// that either: such files stand for GPUs if they are as many.
std::vector<bool> are_gone(const std::vector<absent_gpu>& absent,
                           const std::vector<unread_result>& unread);

/// How many files are of each node; "" stands for files that do not tell it.
using files_of_nodes = std::map<std::string, std::size_t>;
/// How many parts more a node can have. A node that is not there can have any number.
using room_of_nodes = std::map<std::string, std::size_t>;

/// Of each absent part, by its node ("" where it is not known): may one of the files be of it,
/// which do not tell whose they are? All parts of a node, if its files are as many. What is left of
/// these, as far as the node has room, may be of parts whose node is not known; files without a
/// node may be of any part.
std::vector<bool> may_have_left(const std::vector<std::string>& absent, files_of_nodes files,
                                const room_of_nodes& room = {});

}  // namespace bench_transfers::fleet
