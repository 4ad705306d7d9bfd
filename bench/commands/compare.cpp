#include <utility>

#include "bench/cli/run.hpp"
#include "src/claims/file_claim.hpp"
#include "src/command/command.hpp"
#include "src/command/options.hpp"
#include "src/common/program.hpp"
#include "src/common/writing.hpp"
#include "src/comparison/reports.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::bench {
namespace {

namespace answer = bench_transfers::comparison;
using file_list = std::vector<std::filesystem::path>;

constexpr const char* second_side = "--with";
constexpr const char* comparison_footer =
    "compare A.json B.json, or compare A1.json A2.json A3.json -- B1.json B2.json. With three runs "
    "of\n"
    "one side, the intervals include the differences between runs (docs/EXPORTS.md).\n"
    "Exit codes: 0 compared, 1 writing has failed, 2 usage, or files that cannot be used or\n"
    "compared. Whether B is slower does not change it: gate_transfers decides that.";

class compare_command final : public commands::command {
 public:
  explicit compare_command(CLI::App& options) {
    options.footer(comparison_footer);
    commands::add_files(options, "RESULT", first_, "result files of A, or one of A and one of B")
        .required();
    commands::add_files(options, second_side, second_, "result files of B; -- means the same");
    commands::add_json(options, json_);
    commands::add_markdown(options, markdown_);
  }

  /// Prints how much longer the second side takes, and writes the requested files.
  [[nodiscard]] common::exit_code run() const override {
    const auto [files, others] = sides();
    auto inputs = files;
    inputs.insert(inputs.end(), others.begin(), others.end());
    const auto claimed = claims::claim_outputs({json_, markdown_}, inputs);
    try {
      const auto first = answer::read_side(files);
      const auto second = answer::read_side(others);
      const auto result = answer::compare(first, second);
      common::write_outputs(
          {{json_, [&] { return answer::json_of(first, second, result); }},
           {markdown_, [&] { return answer::markdown_of(first, second, result); }}},
          [&] { return answer::text_of(first, second, result); });
      return exit_code::done;
    } catch (const gate::bad_input& error) {
      throw common::usage_error(error.what());
    }
  }

 private:
  [[nodiscard]] std::pair<file_list, file_list> sides() const {
    if (second_.empty() && first_.size() == 2) return {{first_.front()}, {first_.back()}};
    if (second_.empty() || first_.empty())
      throw common::usage_error(
          "compare needs two result files, or the files of each side with -- between them");
    return {first_, second_};
  }

  file_list first_;                        ///< without second_: two files, one of each side
  file_list second_;                       ///< behind -- or --with
  std::filesystem::path json_, markdown_;  ///< empty: none; "-": standard output
};

const commands::registration<compare_command> comparing{
    "compare", "Show how two result files, or sets of them, differ.", second_side};

}  // namespace
}  // namespace bench_transfers::bench
