#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"
#include "src/advice/role_answers.hpp"
#include "src/advice/text.hpp"
#include "src/claims/file_claim.hpp"
#include "src/common/message.hpp"
#include "src/common/writing.hpp"
#include "src/exports/text.hpp"

// What the modes of `bench_transfers advise` share. Each of them has a file, which checks the
// options of its questions and answers them; advise.cpp has the options and chooses the mode, and
// advise_file.cpp reads the result file.

namespace bench_transfers::bench {

/// The command line of `bench_transfers advise`.
struct advice_request {
  std::string role = "copy";  ///< of the benchmarks that are ranked
  /// A size as common::parse_size takes it; of copies also several, as common::parse_sizes takes
  /// them; empty: no ranking.
  std::string bytes;
  /// "h2d" or "d2h"; of copies also "h2d,d2h", of other roles "both", "none"; empty: all.
  std::string direction;
  std::vector<std::int64_t> reuses{1};
  std::optional<double> cpu_writes, cpu_reads;  ///< empty: the usual value for the direction
  /// Who touched the host's lines last, when a copy begins.
  result_file::cache_state lines = result_file::cache_state::warm;
  std::filesystem::path source;     ///< empty: the newest local result
  std::string device;               ///< id of one of its devices; empty: the first
  std::filesystem::path json, map;  ///< empty: none
  std::string devices;  ///< "all" or devices of a host map, "cuda:0,2-3"; empty: no copies at once
  std::filesystem::path host_map;  ///< what `bench_transfers map` wrote
  bool check = false;
  bool allow_host = false;
};

/// A result file was read, but nothing in it can be ranked; what() is one line. Exit code 3.
class nothing_to_rank : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is printed, and what the files get.
struct written_answer {
  exports::answer text;
  std::vector<common::output> files;
  std::vector<claims::file_claim> claimed;  ///< until all is written

  void write(const std::filesystem::path& path, const nlohmann::ordered_json& document) {
    files.push_back({path, [document] { return common::text_of(document); }});
  }
};

/// Throws usage_error for options that do not go together in a mode.
using check_of_advice = void(const advice_request&, const CLI::App& command);
/// Returns whether everything that was asked has an answer.
using answer_of_advice = bool(written_answer&, const advice_request&);

check_of_advice check_copies, check_role, check_copies_at_once;
answer_of_advice advise_copies, advise_role, advise_copies_at_once;

/// Throws usage_error for a file that was made without one, unless the request allows it.
void require_gpu(const advice_request& request, const std::filesystem::path& file, bool has_gpu);
/// What the file of the request, or the newest local result, has for answers.
advice::file_for_answers file_of(const advice_request& request);
[[noreturn]] void refuse(const advice::measurements& measured, const std::string& why);
std::string names_of(const std::vector<advice::rankable_role>& roles);
/// What a program calls for each strategy.
advice::calls_by_strategy calls_to_recommend();
advice::question question_for(const advice_request& request, result_file::direction towards);

}  // namespace bench_transfers::bench
