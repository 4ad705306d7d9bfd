#include "bench/cli/help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <vector>

#include "bench/cli/profile.hpp"
#include "provenance.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

constexpr std::size_t columns_of_help = 90;

/// "quick 4B,4KiB,64KiB; standard 4B:1GiB:x4"
std::string sizes_of_profiles() {
  std::vector<std::string> sizes;
  for (const auto& name : profile_names())
    sizes.push_back(fmt::format("{} {}", name, find_profile(name).sizes));
  return fmt::format("{}", fmt::join(sizes, "; "));
}

std::string examples(bool is_fleet) {
  if (is_fleet)
    return "docs/FLEET.md and docs/SITE.md explain it.\n"
           "Example:\n"
           "  srun --kill-on-bad-exit=0 --ntasks-per-node=8 bench_transfers fleet --out=sweep "
           "--sweep=monday";
  return "docs/OUTPUT.md explains what is printed.\n"
         "Examples:\n"
         "  bench_transfers --profile=quick --brief\n"
         "  bench_transfers --strategies=copy/pageable,copy/pinned --sizes=1MiB:1GiB:x4 "
         "--out=run.json\n"
         "  bench_transfers advise --bytes=64MiB --direction=h2d --from=run.json";
}

}  // namespace

std::string footer_of_help(bool is_fleet) {
  const std::string devices =
      is_fleet
          ? "Devices: by default the GPU of the local rank. Of a list, such as cuda:0,2-3, each "
            "rank\n"
            "takes its own; host measures without a GPU (copies within memory).\n"
          : "Devices: auto (first GPU, otherwise host), all (every GPU), cuda:N, host (no GPU: "
            "copies\n"
            "within memory), or several: cuda:0,2-3. Names of benchmarks then end in @cuda:N.\n";
  return devices +
         common::wrapped(
             fmt::format(
                 "Sizes of profiles: {}. quick takes plain transfers, wc write-combining, company "
                 "work beside copies (docs/METHOD.md).",
                 sizes_of_profiles()),
             columns_of_help) +
         "Google Benchmark's flags work too: --benchmark_filter=REGEX, --benchmark_repetitions=N,\n"
         "--benchmark_min_time=SECONDS, --benchmark_list_tests, "
         "--benchmark_format=json|csv|console, ...\n"
         "Exit codes: 0 all ran, 1 something failed, 2 usage, 3 nothing ran, 130/143 interrupted" +
         (is_fleet ? ".\n" : ",\n4 the time was up before anything was measured.\n") +
         examples(is_fleet);
}

std::string version_text() {
  return fmt::format(
      "bench_transfers {} ({}, {}, CUDA {})", provenance::version,
      *provenance::git_commit ? provenance::git_commit : "no commit known", provenance::compiler,
      *provenance::cuda_toolkit
          ? fmt::format("{}, nvcc {}", provenance::cuda_runtime, provenance::cuda_toolkit)
          : "not built in");
}

}  // namespace bench_transfers::bench
