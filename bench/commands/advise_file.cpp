#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "bench/cli/default_file.hpp"
#include "bench/commands/advise.hpp"
#include "src/common/program.hpp"
#include "src/result_file/reader.hpp"

// The result file that advise answers from.

namespace bench_transfers::bench {
namespace {

namespace files = std::filesystem;

constexpr const char* local_results = "results/local";

/// The newest result that scripts/bench has written below `local_results`, or a run without --out
/// in the current folder.
files::path newest_local_result() {
  std::optional<std::pair<files::file_time_type, files::path>> newest;
  const auto offer = [&](const files::directory_entry& entry) {
    std::error_code unreadable;
    const auto time = entry.last_write_time(unreadable);
    if (!unreadable && (!newest || time > newest->first)) newest = {time, entry.path()};
  };
  std::error_code error;
  files::recursive_directory_iterator below(
      local_results, files::directory_options::skip_permission_denied, error);
  for (; !error && below != files::recursive_directory_iterator(); below.increment(error))
    if (below->path().filename() == "result.json") offer(*below);
  files::directory_iterator here(".", error);
  for (; !error && here != files::directory_iterator(); here.increment(error))
    if (is_default_file(here->path().filename().string())) offer(*here);
  if (newest) return newest->second;
  throw common::usage_error(
      fmt::format("no result of scripts/bench below {}, or of a run without --out here: make one "
                  "with bench_transfers --profile=standard, or name one with --from",
                  local_results));
}

}  // namespace

void refuse(const advice::measurements& measured, const std::string& why) {
  throw nothing_to_rank(fmt::format("nothing to rank in {}: {}", measured.from.file.string(), why));
}

void require_gpu(const advice_request& request, const files::path& file, bool has_gpu) {
  if (!has_gpu && !request.allow_host)
    throw common::usage_error(
        fmt::format("cannot use {}: it was made without a GPU; --allow-host answers for copies "
                    "within this machine's memory",
                    file.string()));
}

advice::file_for_answers file_of(const advice_request& request) {
  try {
    auto read = advice::read_for_answers(
        request.source.empty() ? newest_local_result() : request.source, request.device,
        request.role, request.cpu_reads.value_or(0), request.lines);
    require_gpu(request, read.copies.from.file, read.copies.from.has_gpu);
    if (!read.lacks.empty()) refuse(read.copies, read.lacks);
    return read;
  } catch (const result_file::unusable_file& error) {
    throw common::usage_error(error.what());
  }
}

std::string names_of(const std::vector<advice::rankable_role>& roles) {
  std::vector<std::string> names;
  for (const auto& role : roles) names.push_back(role.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace bench_transfers::bench
