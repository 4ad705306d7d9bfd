#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/common/program.hpp"

namespace bench_transfers::bench {

/// The devices that one part of a list names: "cuda:2-3", "host:0@a=10GB/s", "host".
struct named_range {
  std::string kind;                          ///< "cuda", "host"
  std::optional<int> first = {}, last = {};  ///< none: "host"
  std::string links = {};                    ///< "@a=10GB/s"; empty: none
};

std::string name_of(const named_range& range, std::optional<int> index);

/// Calls add(range, index, part) for each device of a list; without an index for "host".
/// Throws usage_error for other lists, but reads none of the links: see choose_devices.
void for_each_device(
    const std::string& list,
    const std::function<void(const named_range&, std::optional<int>, const std::string&)>& add);

/// Throws usage_error for more devices than a run may have.
void require_few(std::size_t devices);

/// What a list of choose_devices calls its devices, "cuda:0", "cuda:2" and "cuda:3" of
/// "cuda:0,2-3", which need not exist. Throws usage_error for other lists, for links, and for auto
/// and all.
[[nodiscard]] std::vector<std::string> names_in_list(const std::string& list);

/// Says which names there are.
common::usage_error bad_device(std::string_view name);

}  // namespace bench_transfers::bench
