#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/topology/findings/findings.hpp"

namespace bench_transfers::topology {

inline std::vector<common::message> with_code(const host_map& map, const std::string& code) {
  auto list = findings(map);
  std::erase_if(list, [&](const auto& finding) { return finding.code != code; });
  return list;
}

/// The only finding with this code.
inline common::message only(const host_map& map, const std::string& code) {
  const auto list = with_code(map, code);
  EXPECT_EQ(list.size(), 1) << code;
  return list.at(0);
}

}  // namespace bench_transfers::topology
