// How often the 95 % interval of a file holds the median of other processes of its machine: each
// file is left out in turn, and judged by the processes of the others.
//
//   interval_coverage FOLDER...
//
// A folder has the files of one machine, each of several processes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/result_file/benchmark_class.hpp"
#include "src/result_file/reader.hpp"
#include "src/result_file/spread.hpp"
#include "src/statistics/process_intervals.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers {
namespace {

/// What a file says of a benchmark.
struct measured {
  result_file::benchmark_class kind = result_file::benchmark_class::other;
  std::map<int, std::vector<double>> times_ns;  ///< by process
  std::optional<statistics::interval> interval;
};
using file = std::map<std::string, measured>;

file measured_in(const std::filesystem::path& path) {
  const auto read = result_file::read(path);
  file found;
  for (const auto& row : read.rows)
    if (const auto time = row.number("median_ns"); time && !row.failed && *time > 0)
      if (row.kind == result_file::row_kind::repetition)
        found[row.benchmark->name].times_ns[row.process].push_back(*time);
  for (const auto& [described, spread] : result_file::spreads_of(read)) {
    auto& of = found.at(described->name);
    of.interval = spread.interval;
    of.kind = class_of(limited_by(*described, read.on_host),
                       statistics::median(of.times_ns.begin()->second));
  }
  return found;
}

/// What the processes of the other files have measured.
std::vector<double> others_of(const std::vector<file>& files, const file& left_out,
                              const std::string& benchmark) {
  std::vector<double> medians;
  for (const auto& other : files)
    if (const auto of = other.find(benchmark); &other != &left_out && of != other.end())
      for (const auto& [process, times] : of->second.times_ns)
        medians.push_back(statistics::median(times));
  return medians;
}

double deviation_of_logarithms(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += std::log(value);
    squares += std::log(value) * std::log(value);
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1));
}

struct tally {
  int intervals = 0, hold = 0;
  std::vector<double> half_widths, in_deviations;
};
using tallies = std::map<result_file::benchmark_class, tally>;

void print(const std::string& machine, std::size_t files, const tallies& found) {
  for (const auto& [kind, of] : found)
    if (of.intervals > 0)
      fmt::print("{:<24}{:>6}  {:<8}{:>9}{:>10.1f} %{:>12.2f} %{:>8.2f}\n", machine, files,
                 to_string(kind), of.intervals, 100.0 * of.hold / of.intervals,
                 100 * statistics::median(of.half_widths), statistics::median(of.in_deviations));
}

void add(const tally& more, tally& to) {
  to.intervals += more.intervals;
  to.hold += more.hold;
  std::ranges::copy(more.half_widths, std::back_inserter(to.half_widths));
  std::ranges::copy(more.in_deviations, std::back_inserter(to.in_deviations));
}

void count(const measured& of, const std::vector<double>& others, tally& into) {
  if (!of.interval || others.size() < statistics::processes_to_come) return;
  const double truth = statistics::median(others);
  ++into.intervals;
  into.hold += of.interval->low <= truth && truth <= of.interval->high ? 1 : 0;
  into.half_widths.push_back(std::log(of.interval->high / of.interval->low) / 2);
  if (const double deviation = deviation_of_logarithms(others); deviation > 0)
    into.in_deviations.push_back(into.half_widths.back() / deviation);
}

std::vector<file> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".gz") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<file> files;
  for (const auto& path : paths) files.push_back(measured_in(path));
  return files;
}

void judge(const std::vector<std::filesystem::path>& folders) {
  tallies all;
  std::size_t all_files = 0;
  for (const auto& folder : folders) {
    const auto files = files_in(folder);
    tallies found;
    for (const auto& left_out : files)
      for (const auto& [benchmark, of] : left_out)
        count(of, others_of(files, left_out, benchmark), found[of.kind]);
    print(folder.filename().string(), files.size(), found);
    for (const auto& [kind, of] : found) add(of, all[kind]);
    all_files += files.size();
  }
  print("all", all_files, all);
}

}  // namespace
}  // namespace bench_transfers

int main(int count, char** arguments) {
  fmt::print("{:<24}{:>6}  {:<8}{:>9}{:>12}{:>14}{:>8}\n", "machine", "files", "class", "intervals",
             "hold", "half-width", "in sd");
  try {
    bench_transfers::judge({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "interval_coverage: {}\n", error.what());
    return 2;
  }
  return 0;
}
