#include "src/gate/io/read_run.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "src/common/text.hpp"
#include "src/gate/io/facts.hpp"
#include "src/gate/io/rows.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::gate {

namespace {

run run_of(const result_file::contents& contents, const result_file::process_of_run& process,
           const std::filesystem::path& file, const metric& judged_by) {
  run result;
  result.file = file;
  result.process = process;
  read_facts(contents, judged_by, result);
  read_rows(contents, judged_by.with(result.declared), result);
  return result;
}

}  // namespace

std::vector<run> runs_of(const result_file::contents& contents, const std::filesystem::path& file,
                         const metric& judged_by) {
  try {
    if (const auto lacking = lacks(result_file::needed::a_repetition, contents); !lacking.empty())
      throw bad_input(lacking);
    std::vector<run> runs;
    for (const auto& process : processes_of(contents))
      runs.push_back(run_of(contents, process, file, judged_by));
    return runs;
  } catch (const std::runtime_error& error) {  // bad_input or result_file::bad_entry
    throw bad_input(
        fmt::format("cannot use {}: {}", common::printable(file.string()), error.what()));
  }
}

std::vector<run> runs_in(std::string text, const std::filesystem::path& file,
                         const metric& judged_by) {
  try {
    return runs_of(result_file::read_text(std::move(text), file), file, judged_by);
  } catch (const result_file::unusable_file& error) {
    throw bad_input(error.what());
  }
}

result_file::contents contents_of(const std::filesystem::path& file) {
  try {
    return result_file::read(file);
  } catch (const result_file::unusable_file& error) {
    throw bad_input(error.what());
  }
}

std::vector<run> read_runs(const std::filesystem::path& file, const metric& judged_by) {
  return runs_of(contents_of(file), file, judged_by);
}

}  // namespace bench_transfers::gate
