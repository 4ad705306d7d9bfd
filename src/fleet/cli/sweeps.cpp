#include "src/fleet/cli/sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <string>

#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/fleet/io/sweep_file.hpp"

namespace bench_transfers::fleet {
namespace {

/// Throws unusable_sweep for a sweep that has no place in the order of time.
void require_time(const sweep& sweep, const std::filesystem::path& file) {
  // The clocks of nodes differ.
  constexpr std::chrono::hours more_than_clocks_differ{1};
  const auto refuse = [&](const std::string& why) {
    throw unusable_sweep(fmt::format("cannot use {}: {}", common::printable(file.string()), why));
  };
  if (!sweep.begin) refuse("it does not tell when the sweep began");
  if (*sweep.begin > std::chrono::system_clock::now() + more_than_clocks_differ)
    refuse(fmt::format("the sweep begins in the future, {}", common::timestamp_text(*sweep.begin)));
}

std::set<std::string> uuids_of(const sweep& sweep) {
  std::set<std::string> uuids;
  for (const auto& gpu : sweep.gpus) uuids.insert(gpu.uuid);
  return uuids;
}

/// Two files of one sweep. Sweeps of older releases have no time.
bool are_same(const sweep& first, const sweep& second) {
  return first.id == second.id && first.begin == second.begin &&
         (first.begin ? uuids_of(first) == uuids_of(second) : first.gpus == second.gpus);
}

}  // namespace

std::vector<sweep> read_sweeps(const paths& files) {
  std::vector<sweep> sweeps;
  for (const auto& file : files) sweeps.push_back(read_sweep(file));
  return sweeps;
}

std::vector<sweep> read_references(const paths& files, const sweep& judged) {
  auto references = read_sweeps(files);
  for (std::size_t i = 0; i < references.size(); ++i)
    if (are_same(judged, references[i]))
      throw common::usage_error(fmt::format("--reference={} is the sweep that is judged",
                                            common::printable(files[i].string())));
  return references;
}

read_history records_of(const paths& folders, const settings& settings,
                        const std::vector<sweep>& references) {
  read_history result;
  const auto files = sweeps_below(folders);
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      const auto sweep = read_sweep(files[i]);
      require_time(sweep, files[i]);
      const auto is_itself = [&](const fleet::sweep& other) { return are_same(sweep, other); };
      std::vector<fleet::sweep> others;
      const bool is_reference = std::ranges::any_of(references, is_itself);
      if (is_reference)
        std::ranges::remove_copy_if(references, std::back_inserter(others), is_itself);
      const auto& accepted = is_reference ? others : references;
      result.records.push_back(record_of(sweep, judge(sweep, settings, accepted)));
    } catch (const unusable_sweep& error) {
      common::complain("fleet_transfers", error.what());
      result.is_complete = false;
    }
  }
  return result;
}

}  // namespace bench_transfers::fleet
