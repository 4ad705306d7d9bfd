#include "bench/cli/default_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "src/common/program.hpp"
#include "src/common/whole_file.hpp"

namespace bench_transfers::bench {
namespace {

/// Named after the time, and numbered if there are several of one second.
std::string new_file() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto name = fmt::format("bench_transfers-{:%Y%m%dT%H%M%SZ}", now);
  auto file = name + ".json";
  for (int number = 2; std::filesystem::exists(file); ++number)
    file = fmt::format("{}-{}.json", name, number);
  return file;
}

}  // namespace

void keep_result(settings& settings) {
  if (settings.chose_out || settings.list_benchmarks || settings.out_format != "json") return;
  try {
    const auto file = new_file();
    common::require_writable(file);
    settings.out = file;
  } catch (const common::write_error& error) {
    common::complain(
        "bench_transfers",
        fmt::format("no result file is kept: {}; --out=FILE names another place", error.what()));
  }
}

}  // namespace bench_transfers::bench
