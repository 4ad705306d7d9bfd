// How often `bench_transfers compare` errs on recorded files: all pairs of files of one machine,
// which have no difference, and the same with one benchmark of each class slowed.
//
//   comparison_errors FOLDER...
//
// A folder has the files of one machine, each of several processes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/comparison/compare.hpp"
#include "src/comparison/runs.hpp"

namespace bench_transfers::comparison {
namespace {

constexpr std::array slowdowns_percent{2, 5, 20, 50};
constexpr std::size_t slowed_of_a_class = 10;

std::vector<side> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".gz") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<side> files;
  for (const auto& path : paths) files.push_back(read_side({{path}}));
  return files;
}

std::map<std::string, finding> findings_of(const comparison_result& result) {
  std::map<std::string, finding> findings;
  for (const auto& group : result.groups)
    for (const auto& benchmark : group.benchmarks)
      if (benchmark.difference.is_told()) findings[benchmark.name] = benchmark.difference.known;
  return findings;
}

/// Some of each class, spread over its groups.
using classes = std::map<gate::benchmark_class, std::vector<std::string>>;
classes some_of_each(const comparison_result& result) {
  classes all, some;
  for (const auto& group : result.groups)
    for (const auto& benchmark : group.benchmarks) all[group.limited_by].push_back(benchmark.name);
  for (auto& [kind, names] : all) {
    std::ranges::sort(names);
    const auto step = std::max<std::size_t>(1, names.size() / slowed_of_a_class);
    for (std::size_t i = 0; i < slowed_of_a_class && i * step < names.size(); ++i)
      some[kind].push_back(names[i * step]);
  }
  return some;
}

void slow(side& of, const std::string& benchmark, double factor) {
  for (auto& run : of.runs)
    if (const auto values = run.benchmarks.find(benchmark); values != run.benchmarks.end())
      for (auto& value : values->second.values) value *= factor;
}

struct tally {
  int slowed = 0, found = 0;
};
using tallies = std::map<gate::benchmark_class, std::map<int, tally>>;

/// One of each class at a time.
void count_found(const side& first, const side& second, const classes& chosen, tallies& into) {
  for (const int percent : slowdowns_percent)
    for (std::size_t i = 0; i < slowed_of_a_class; ++i) {
      auto slowed = second;
      for (const auto& [kind, names] : chosen)
        if (i < names.size()) slow(slowed, names[i], 1 + percent / 100.0);
      const auto findings = findings_of(compare(first, slowed));
      for (const auto& [kind, names] : chosen) {
        if (i >= names.size()) continue;
        auto& tally = into[kind][percent];
        const auto found = findings.find(names[i]);
        ++tally.slowed;
        tally.found += found != findings.end() && found->second == finding::slower ? 1 : 0;
      }
    }
}

void judge(const std::filesystem::path& folder, tallies& into) {
  const auto files = files_in(folder);
  int pairs = 0, with_difference = 0;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      const auto result = compare(files[i], files[j]);
      ++pairs;
      with_difference += findings_of(result).empty() ? 0 : 1;
      count_found(files[i], files[j], some_of_each(result), into);
    }
  fmt::print("{:<28}{:>6}{:>7}{:>19}\n", folder.filename().string(), files.size(), pairs,
             with_difference);
}

void print(const tallies& all) {
  fmt::print("\nslowed by");
  for (const int percent : slowdowns_percent) fmt::print("{:>8} %", percent);
  for (const auto& [kind, by_percent] : all) {
    fmt::print("\n{:<9}", to_string(kind));
    for (const auto& [percent, tally] : by_percent)
      fmt::print("{:>8.1f} %", 100.0 * tally.found / tally.slowed);
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace bench_transfers::comparison

int main(int count, char** arguments) {
  using namespace bench_transfers::comparison;
  fmt::print("{:<28}{:>6}{:>7}{:>19}\n", "machine", "files", "pairs", "with a difference");
  tallies all;
  try {
    for (int i = 1; i < count; ++i) judge(arguments[i], all);
    print(all);
  } catch (const std::exception& error) {
    fmt::print(stderr, "comparison_errors: {}\n", error.what());
    return 2;
  }
  return 0;
}
