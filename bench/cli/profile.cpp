#include "bench/cli/profile.hpp"

#include <fmt/format.h>

#include <array>

#include "src/common/program.hpp"

namespace bench_transfers::bench {
namespace {

using namespace std::chrono_literals;

const std::array<profile, 4>& profiles() {
  static const std::array<profile, 4> list{{
      {"quick", "4B,4KiB,64KiB,1MiB,16MiB,128MiB", "1MiB", true, 9, 3ms},
      {"standard", "4B:1GiB:x4", "64KiB,1MiB,16MiB", false, 9, 6ms},
      {"full", "4B:1GiB:x2", "4KiB:64MiB:x4", false, 21, 20ms},
      // Of many nodes at a time: links, host and latency, each in a few benchmarks. The turns of a
      // node take two thirds of a minute at most.
      {"sweep", "4B,64KiB,4MiB,16MiB,64MiB", "", false, 5, 6ms, true, 40s},
  }};
  return list;
}

}  // namespace

const profile& find_profile(const std::string& name) {
  for (const auto& candidate : profiles())
    if (candidate.name == name) return candidate;
  throw common::usage_error(
      fmt::format("unknown profile '{}': quick, standard, full or sweep", name));
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto& candidate : profiles()) names.push_back(candidate.name);
  return names;
}

}  // namespace bench_transfers::bench
