#include "src/gate/cli/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/gate/io/known_facts.hpp"
#include "src/gate/io/read_run.hpp"
#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::set<std::string>& known,
                         const char* complaint, const std::string& otherwise) {
  const auto meant = common::nearest(key, known);
  throw common::usage_error(
      fmt::format("bad --allow-different '{}': {}; {}", key, complaint,
                  meant.empty() ? otherwise : fmt::format("did you mean {}?", meant)));
}

}  // namespace

paths inputs_of(paths runs, const std::filesystem::path& baseline) {
  runs.push_back(baseline);
  return runs;
}

std::vector<run> read_runs(const paths& files, const metric& judged_by) {
  std::vector<run> runs;
  for (const auto& file : files)
    std::ranges::move(read_runs(file, judged_by), std::back_inserter(runs));
  return runs;
}

metric metric_of(const metric_request& request, std::span<const run> runs) {
  const auto declared = declaration_in(runs, request.judged_by);
  auto metric = request.judged_by.with(declared);
  if (!request.user_chose_direction && declared && declared->more_is_better)
    metric.more_is_better = *declared->more_is_better;
  else if (!request.has_direction)
    throw common::usage_error(fmt::format(
        "--judge-by={0}: neither its name nor the files tell which is better; write {0}:more or "
        "{0}:less",
        metric.key));
  if (metric.is_time() && metric.more_is_better)
    throw common::usage_error(
        fmt::format("bad --judge-by '{}': of a time, less is better", metric.key));
  return metric;
}

void require_facts(const std::set<std::string>& keys, const fingerprint& machine) {
  const auto facts = fact_keys();
  std::set<std::string> known(facts.begin(), facts.end());
  for (const auto& [key, value] : machine) known.insert(key);
  for (const auto& key : keys)
    if (!known.contains(key) && !key.starts_with("memory_type."))
      refuse(key, known, "no such fact", "such as device.name");
}

void require_known_keys(const std::set<std::string>& keys, const fingerprint& machine,
                        std::span<const run> runs) {
  std::set<std::string> known;
  for (const auto& [key, value] : machine) known.insert(key);
  for (const auto& run : runs)
    for (const auto& [key, value] : run.machine) known.insert(key);
  for (const auto& key : keys)
    if (!known.contains(key) && std::ranges::find(identity_keys, key) == identity_keys.end())
      refuse(key, known, "these files have no such fact",
             known.empty() ? "they do not describe their machine"
                           : fmt::format("they have {}", fmt::join(known, ", ")));
}

}  // namespace bench_transfers::gate
