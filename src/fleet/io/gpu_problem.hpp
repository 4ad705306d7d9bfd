#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// Of one GPU. `more`: data of the problem besides the GPU and its node.
inline void add_problem(sweep& sweep, const gpu& gpu, const char* code, std::string text,
                        const nlohmann::ordered_json& more) {
  nlohmann::ordered_json data{{"gpu", gpu.uuid}, {"node", gpu.node}};
  data.update(more);
  sweep.problems.push_back({code, std::move(data), std::move(text)});
}

}  // namespace bench_transfers::fleet
