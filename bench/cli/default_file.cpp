#include "bench/cli/default_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>

#include "src/common/program.hpp"

namespace bench_transfers::bench {
namespace {

/// Makes a file that was not there: other processes may look for a name in the same second. Returns
/// an errno.
int make_file(const std::string& name) {
  errno = 0;
  auto* const made = std::fopen(name.c_str(), "wx");
  return made ? std::fclose(made) : errno;
}

constexpr std::string_view beginning = "bench_transfers-";

}  // namespace

bool is_default_file(std::string_view name) {
  return name.starts_with(beginning) && name.ends_with(".json");
}

settings with_result_file(bench::settings settings) {
  if (!settings.out.empty() || settings.chose_out || settings.out_format != "json") return settings;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto name = fmt::format("{}{:%Y%m%dT%H%M%SZ}", beginning, now);
  auto file = name + ".json";
  auto error = make_file(file);
  for (int number = 2; error == EEXIST; ++number) {
    file = fmt::format("{}-{}.json", name, number);
    error = make_file(file);
  }
  if (error == 0)
    settings.out = file;
  else
    common::complain("bench_transfers",
                     fmt::format("no result file is kept: cannot write {}: {}; --out=FILE names "
                                 "another place",
                                 file, std::generic_category().message(error)));
  return settings;
}

}  // namespace bench_transfers::bench
