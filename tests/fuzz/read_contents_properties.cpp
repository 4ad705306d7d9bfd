#include <cstddef>

#include "src/common/gzip.hpp"
#include "src/result_file/reader.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/refusals.hpp"

namespace bench_transfers::fuzz {
namespace {

void check_benchmarks(const result_file::contents& contents) {
  for (const auto& [name, benchmark] : contents.benchmarks) {
    require(name == benchmark.name, "a benchmark has another name than its key");
    require(is_one_line(name), "a benchmark's name is not printable");
    require(is_one_line(benchmark.strategy), "a strategy is not printable");
    require(contents.roles.contains(benchmark.role), "a benchmark's role is not there");
  }
}

void check_rows(const result_file::contents& contents) {
  std::size_t values = 0;
  for (const auto& row : contents.rows) {
    require(row.benchmark == &contents.benchmarks.at(row.benchmark->name),
            "a row points to a benchmark that is not there");
    require(!row.repetition || *row.repetition >= 0, "a repetition has a negative place");
    require(!row.failed || is_one_line(row.failed->message), "a failure is not one line");
    require(is_one_line(row.time_unit) && is_one_line(row.aggregate), "a text is not printable");
    for (const auto& value : row.values)
      require(contents.value_names.contains(*value.name), "a value has no name");
    values += row.values.size();
  }
  require(values == contents.values.size(), "a value belongs to no row, or to two");
}

void check_messages(const result_file::contents& contents) {
  for (const auto& warning : contents.warnings) require(is_one_line(warning.text), "a warning");
  for (const auto& [name, reason] : contents.skipped)
    require(is_one_line(name) && is_one_line(reason.text), "a skip is not printable");
}

}  // namespace

void check_read_contents(const std::string& bytes) {
  try {
    const auto contents =
        result_file::read_text(common::unpacked(bytes, most_unpacked), "some.json");
    check_benchmarks(contents);
    check_rows(contents);
    check_messages(contents);
  } catch (const common::read_error& refusal) {
    check_refusal(refusal.what());
  } catch (const result_file::unusable_file& refusal) {
    check_refusal(refusal.what());
  }
}

}  // namespace bench_transfers::fuzz
