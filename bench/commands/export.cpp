#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "bench/cli/run.hpp"
#include "src/claims/file_claim.hpp"
#include "src/command/command.hpp"
#include "src/command/options.hpp"
#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/exports/results/formats.hpp"
#include "src/report/report.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_format = "report";  // of no other program

std::vector<std::string> words_of_formats() {
  auto words = exports::words_of_formats();
  words.emplace_back(report_format);
  return words;
}

std::string formats() { return fmt::format("{}", fmt::join(words_of_formats(), ", ")); }

constexpr const char* export_footer =
    "Medians over the repetitions of a run with their 95 % intervals; docs/EXPORTS.md has an "
    "example\n"
    "of each format. Files compressed with gzip are read, too.\n"
    "Exit codes: 0 done, 1 writing has failed, 2 usage, or a file that cannot be used.";

/// Null: the report's.
const exports::format* format_named(const std::string& word) {
  const auto* const format = exports::find_format(word);
  if (format || word == report_format) return format;
  throw common::usage_error(
      fmt::format("bad --format '{}': {}", common::printable_in_short(word), formats()));
}

void require_distinct(const std::vector<fs::path>& files) {
  if (const auto file = common::named_twice(files))
    throw common::usage_error(fmt::format("{} is named twice", file->string()));
}

/// Without folders where that is enough to tell the files apart: exports are passed on.
std::vector<std::string> names_of(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  std::set<std::string> distinct;
  for (const auto& file : files) distinct.insert(names.emplace_back(file.filename().string()));
  if (distinct.size() == files.size()) return names;
  names.clear();
  for (const auto& file : files) names.push_back(file.string());
  return names;
}

result_file::contents read(const fs::path& file) {
  try {
    auto contents = result_file::read(file);
    result_file::require_bench_transfers(contents, file);
    result_file::require(result_file::needed::a_time, contents, file);
    return contents;
  } catch (const result_file::unusable_file& error) {
    throw common::usage_error(error.what());
  }
}

void tell_left_out(const std::string& file, const std::vector<std::string>& names, const char* one,
                   const char* several) {
  constexpr std::size_t most_names = 3;
  if (names.empty()) return;
  common::complain("bench_transfers", fmt::format("{}: {} {} not exported: {}", file, names.size(),
                                                  names.size() == 1 ? one : several,
                                                  common::listed(names, most_names)));
}

void tell_left_out(const exports::run_values& run) {
  tell_left_out(run.file, run.failed, "benchmark has failed and is",
                "benchmarks have failed and are");
  tell_left_out(run.file, run.timeless, "benchmark has no median_ns and is",
                "benchmarks have no median_ns and are");
}

class export_command final : public commands::command {
 public:
  explicit export_command(CLI::App& options) {
    options.footer(common::wrapped(fmt::format("Formats: {}.", formats())) + export_footer);
    commands::add_files(options, "RESULT", files_, "result files").required();
    options.add_option("--format", format_, "one of the formats below")
        ->required()
        ->type_name("FORMAT");
    options.add_option("--out", out_, "write it here (default: -, standard output)")
        ->type_name("FILE");
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto* const format = format_named(format_);
    require_distinct(files_);
    const auto claimed = claims::claim_outputs({out_}, files_);
    const auto names = names_of(files_);
    std::vector<exports::run_values> runs;
    std::vector<report::run_report> reports;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto contents = read(files_[i]);
      runs.push_back(exports::values_of(contents, names[i]));
      if (!format) reports.push_back(report::report_of(contents, names[i]));
    }
    try {
      const auto text = format ? format->write(runs) : report::document_of(reports);
      for (const auto& run : runs) tell_left_out(run);
      common::write_output(out_, text);
    } catch (const exports::not_exportable& error) {
      throw common::usage_error(error.what());
    }
    return exit_code::done;
  }

  [[nodiscard]] commands::offers offered() const override {
    return {{"--format", words_of_formats()}};
  }

 private:
  std::vector<fs::path> files_;
  std::string format_;
  fs::path out_ = "-";  ///< "-": standard output
};

const commands::registration<export_command> exporting{
    "export", "Write result files as CSV, Markdown, metrics or for CI."};

}  // namespace
}  // namespace bench_transfers::bench
