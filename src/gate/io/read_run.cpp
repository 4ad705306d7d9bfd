#include "src/gate/io/read_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/common/printable.hpp"
#include "src/gate/io/facts.hpp"
#include "src/gate/io/rows.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::gate {
namespace {

run run_of(const result_file::contents& contents, const std::filesystem::path& file,
           const metric& judged_by) {
  try {
    run read;
    read.file = file;
    read_facts(contents, judged_by, read);
    read_rows(contents, judged_by.with(read.declared), read);
    return read;
  } catch (const bad_input& why) {
    throw bad_input(fmt::format("cannot use {}: {}", common::printable(file.string()), why.what()));
  }
}

}  // namespace

run run_in(std::string text, const std::filesystem::path& file, const metric& judged_by) {
  try {
    return run_of(result_file::read_text(std::move(text), file), file, judged_by);
  } catch (const result_file::unusable_file& why) {
    throw bad_input(why.what());
  }
}

run read_run(const std::filesystem::path& file, const metric& judged_by) {
  try {
    return run_of(result_file::read(file), file, judged_by);
  } catch (const result_file::unusable_file& why) {
    throw bad_input(why.what());
  }
}

}  // namespace bench_transfers::gate
