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

run run_of(const result_file::contents& contents, const std::filesystem::path& file,
           const metric& judged_by) {
  try {
    if (const auto lacking = lacks(result_file::needed::a_repetition, contents); !lacking.empty())
      throw bad_input(lacking);
    run result;
    result.file = file;
    read_facts(contents, judged_by, result);
    read_rows(contents, judged_by.with(result.declared), result);
    return result;
  } catch (const std::runtime_error& error) {  // bad_input or result_file::bad_entry
    throw bad_input(
        fmt::format("cannot use {}: {}", common::printable(file.string()), error.what()));
  }
}

run run_in(std::string text, const std::filesystem::path& file, const metric& judged_by) {
  try {
    return run_of(result_file::read_text(std::move(text), file), file, judged_by);
  } catch (const result_file::unusable_file& error) {
    throw bad_input(error.what());
  }
}

run read_run(const std::filesystem::path& file, const metric& judged_by) {
  try {
    return run_of(result_file::read(file), file, judged_by);
  } catch (const result_file::unusable_file& error) {
    throw bad_input(error.what());
  }
}

}  // namespace bench_transfers::gate
