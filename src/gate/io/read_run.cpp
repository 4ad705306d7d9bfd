#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/gate/io/facts.hpp"
#include "src/gate/io/json.hpp"
#include "src/gate/io/rows.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {
namespace {

bool is_rate(std::string_view key) {
  return key.ends_with("_per_s") || key.ends_with("_per_second") || key.ends_with("_percent");
}

run run_of(std::string text, const metric& judged_by) {
  simdjson::dom::parser parser;
  const auto document = parsed(parser, std::move(text));
  run read;
  read_context(document, read);
  read_rows(document, judged_by, read);
  return read;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::exception& why) {
  throw bad_input(fmt::format("cannot use {}: {}", common::printable(file.string()), why.what()));
}

}  // namespace

metric metric::named(std::string key) {
  const bool rate = is_rate(key);
  return {std::move(key), rate};
}

bool metric::is_time() const {
  return key == "real_time" || key == "cpu_time" || key.ends_with("_ns");
}

bool metric::is_rate_of_bytes() const {
  return key.ends_with("gb_per_s") || key == "bytes_per_second";
}

bool metric::tells_direction() const { return is_time() || is_rate(key); }

bool metric::can_be(double value) const {
  constexpr double least_ns = 1e-3;
  constexpr double most_ns = 1e15;  // eleven days
  if (is_time()) return value >= least_ns && value <= most_ns;
  return value > 0 && std::isfinite(value);
}

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
