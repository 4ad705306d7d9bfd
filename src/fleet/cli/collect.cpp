#include "src/fleet/io/collect.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/claims/file_claim.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/fleet/cli/options.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/report/sections.hpp"

namespace bench_transfers::fleet {
namespace {

void show_files(std::size_t done, std::size_t files) {
  constexpr std::size_t step = 100;
  if (done % step != 0 && done != files) return;
  common::show_progress(stderr, fmt::format("read {} of {} files", done, files), done == files);
}

bool are_same(const std::filesystem::path& first, const std::filesystem::path& second) {
  std::error_code not_there;
  return std::filesystem::equivalent(first, second, not_there);
}

class collect_command final : public commands::command {
 public:
  explicit collect_command(CLI::App& options) {
    commands::add_files(options, "DIR", folders_,
                        "folders with result files: DIR/NODE/*.json, *.json.gz; or single files")
        .required()
        ->type_name("DIR");
    options.add_option("--out", out_, "write the sweep here; .gz compresses it, - prints it alone")
        ->required()
        ->type_name("FILE");
    options
        .add_option("--within", within_hours_,
                    "how far a run may be from most others (default: 12, in a sweep less)")
        ->check(CLI::Range(0, 1'000'000).description(""))
        ->type_name("HOURS");
    options
        .add_option("--sweep", sweep_,
                    "only the files of this sweep (default: that of more than half)")
        ->type_name("ID");
    commands::take_each(*options.add_option("--absent", absent_,
                                            "nodes that could take no part, such as drained ones"),
                        "NODE,")
        .delimiter(',');
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto claimed = claims::claim_outputs({out_}, {});
    if (!common::is_standard_output(out_) && !is_named_like_a_result(out_))
      throw common::usage_error(
          fmt::format("bad --out={}: the name must end in .json or .json.gz, or history does not "
                      "find the sweep",
                      common::printable(out_.string())));
    auto found = files_below(folders_);
    std::erase_if(found.files, [&](const found_file& file) {
      if (!are_same(file.path, out_)) return false;
      if (is_own_file(file.path)) return true;  // the sweep of the last time
      throw common::usage_error(
          fmt::format("--out={} would replace a result that is collected", out_.string()));
    });
    const auto files = found.files.size();
    const auto within =
        within_hours_ ? std::optional(std::chrono::hours(*within_hours_)) : std::nullopt;
    auto results = read_files(std::move(found), show_files);
    std::size_t passed_over = 0;
    const auto own_files = results.own_files;
    if (sweep_.empty())
      require_most_of_one_sweep(results);
    else
      passed_over = keep_sweep(results, sweep_);
    auto sweep = sweep_of(std::move(results.gpus), std::move(results.problems), within);
    for (const auto& node : absent_) sweep.absent_nodes.insert(common::printable(node));
    write_sweep(out_, sweep);
    auto text = fmt::format(
        "{} of {} in {}; {}{}\n", common::counted(sweep.gpus.size(), "GPU"),
        common::counted(files - passed_over - own_files, "file"), common::printable(out_.string()),
        common::counted(sweep.problems.size(), "problem"),
        passed_over == 0 ? std::string()
                         : fmt::format("; {} of other sweeps",
                                       common::counted(passed_over, "file is", "files are")));
    for (const auto& sentence : problem_section(sweep.problems).sentences)
      text += fmt::format("  {}\n", sentence);
    common::print_beside(out_, text);
    return exit_code::healthy;
  }

 private:
  std::vector<std::filesystem::path> folders_;
  std::filesystem::path out_;
  std::optional<unsigned> within_hours_;  ///< none: the usual
  std::string sweep_;                     ///< id; empty: that of most files
  std::vector<std::string> absent_;       ///< nodes
};

const commands::registration<collect_command> collecting{
    "collect", "Put the result files of many GPUs together as one sweep."};

}  // namespace
}  // namespace bench_transfers::fleet
