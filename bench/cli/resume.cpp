#include "bench/cli/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "src/common/files.hpp"
#include "src/common/program.hpp"

namespace bench_transfers::bench {

resumption::resumption(const std::filesystem::path& file, const std::filesystem::path& out)
    : claim_(file), claim_of_out_(common::is_same_file(file, out) ? "" : out), earlier_(file) {}

void require_only_options_of_resume(const CLI::App& app) {
  constexpr std::array<std::string_view, 7> allowed{"resume", "out",   "max-time", "seed",
                                                    "brief",  "quiet", "inject"};
  const auto is_allowed = [&](const std::string& name) {
    return std::ranges::find(allowed, name) != allowed.end();
  };
  for (const auto* const option : app.get_options())
    if (option->count() > 0 && std::ranges::none_of(option->get_lnames(), is_allowed))
      throw common::usage_error(
          fmt::format("--{} does not go with --resume, which takes the options of its file",
                      option->get_lnames().back()));
}

std::vector<std::string> resumed_arguments(const std::vector<std::string>& arguments,
                                           const earlier_run& earlier) {
  std::vector<std::string> resumed{arguments.front()};
  resumed.insert(resumed.end(), earlier.options().begin(), earlier.options().end());
  resumed.insert(resumed.end(), arguments.begin() + 1, arguments.end());
  return resumed;
}

}  // namespace bench_transfers::bench
