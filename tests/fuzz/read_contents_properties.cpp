#include "tests/fuzz/read_contents_properties.hpp"

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/result_file/reader.hpp"

using namespace bench_transfers;

namespace {

/// Small, so that highly compressed input takes little time.
constexpr std::size_t most_unpacked = std::size_t{1} << 20;
constexpr std::size_t longest_message = 2000;

void require(bool holds, const char* property) {
  if (!holds) throw std::logic_error(property);
}

bool is_one_line(std::string_view text) { return common::printable(text) == text; }

void check_refusal(std::string_view message) {
  require(!message.empty(), "a refusal says nothing");
  require(is_one_line(message), "a refusal is not one printable line");
  require(message.size() <= longest_message, "a refusal is too long");
}

void check_benchmarks(const result_file::contents& read) {
  for (const auto& [name, described] : read.benchmarks) {
    require(name == described.name, "a benchmark has another name than its key");
    require(is_one_line(name), "a benchmark's name is not printable");
    require(is_one_line(described.strategy), "a strategy is not printable");
    require(read.roles.contains(described.role), "a benchmark's role is not there");
  }
}

void check_rows(const result_file::contents& read) {
  std::size_t values = 0;
  for (const auto& row : read.rows) {
    require(row.benchmark == &read.benchmarks.at(row.benchmark->name),
            "a row points to a benchmark that is not there");
    require(!row.repetition || *row.repetition >= 0, "a repetition has a negative place");
    require(!row.failed || is_one_line(row.failed->message), "a failure is not one line");
    require(is_one_line(row.time_unit) && is_one_line(row.aggregate), "a text is not printable");
    for (const auto& value : row.values)
      require(read.value_names.contains(*value.name), "a value has no name");
    values += row.values.size();
  }
  require(values == read.values.size(), "a value belongs to no row, or to two");
}

void check_messages(const result_file::contents& read) {
  for (const auto& warning : read.warnings) require(is_one_line(warning.text), "a warning");
  for (const auto& [name, reason] : read.skipped)
    require(is_one_line(name) && is_one_line(reason.text), "a skip is not printable");
}

}  // namespace

void check_read_contents(std::string bytes) {
  try {
    const auto read =
        result_file::read_text(common::unpacked(std::move(bytes), most_unpacked), "some.json");
    check_benchmarks(read);
    check_rows(read);
    check_messages(read);
  } catch (const common::read_error& refusal) {
    check_refusal(refusal.what());
  } catch (const result_file::unusable_file& refusal) {
    check_refusal(refusal.what());
  }
}
