#include "src/gate/io/read_run.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <utility>

#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/gate/io/facts.hpp"
#include "src/gate/io/json.hpp"
#include "src/gate/io/rows.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

run run_of(std::string text, const metric& judged_by) {
  simdjson::dom::parser parser;
  const auto document = parsed(parser, std::move(text));
  run read;
  read_context(document, judged_by, read);
  read_rows(document, judged_by.with(read.declared), read);
  return read;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::exception& why) {
  throw bad_input(fmt::format("cannot use {}: {}", common::printable(file.string()), why.what()));
}

}  // namespace

run run_in(std::string text, const std::filesystem::path& file, const metric& judged_by) {
  try {
    auto read = run_of(std::move(text), judged_by);
    read.file = file;
    return read;
  } catch (const bad_input& why) {
    refuse(file, why);
  }
}

run read_run(const std::filesystem::path& file, const metric& judged_by) {
  std::string text;
  try {
    text = common::read_text(file);
  } catch (const common::read_error& why) {
    refuse(file, why);
  }
  return run_in(std::move(text), file, judged_by);
}

}  // namespace bench_transfers::gate
