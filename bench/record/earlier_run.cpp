#include "bench/record/earlier_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/harness/rows.hpp"
#include "src/common/files.hpp"
#include "src/common/message.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/machine/machine.hpp"
#include "src/result_file/procedure.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;
using result_file::member;
using result_file::text_at;

[[noreturn]] void refuse_to_resume(const std::filesystem::path& file, std::string_view why) {
  throw common::usage_error(
      fmt::format("cannot resume {}: {}", common::printable(file.string()), why));
}

/// What the reader of result files has accepted, as it is in the file. The reader has checked what
/// all of them need; what only this one needs is checked below.
std::pair<result_file::contents, json> read_both(const std::filesystem::path& file) {
  try {
    auto text = common::read_text(file);
    auto read = result_file::read_text(text, file);
    result_file::require_bench_transfers(read, file);
    result_file::require(result_file::needed::a_plan, read, file);
    return {std::move(read), result_file::document_in(std::move(text), file)};
  } catch (const common::read_error& error) {
    refuse_to_resume(file, error.what());
  } catch (const result_file::unusable_file& error) {
    throw common::usage_error(error.what());
  }
}

void require_lists(const std::filesystem::path& file, const json& facts) {
  const auto is_list_of_objects = [](const json& list) {
    return list.is_null() || (list.is_array() && std::ranges::all_of(list, [](const json& entry) {
                                return entry.is_object();
                              }));
  };
  for (const auto* key : {"strategies", "buffers", "warnings", "skipped"})
    if (!is_list_of_objects(member(facts, {key})))
      refuse_to_resume(file, fmt::format("its {} are no list of objects", key));
  for (const auto* key : {"run", "machine", "program"})
    if (!member(facts, {key}).is_object())
      refuse_to_resume(file, fmt::format("it has no object {}", key));
  const auto& faults = member(facts, {"run", "faults_injected"});
  if (!faults.is_null() && !faults.is_array())
    refuse_to_resume(file, "its run.faults_injected are no list");
}

bool is_of_fleet(const json& facts) {
  const auto& line = member(facts, {"run", "command_line"});
  return line.is_array() && line.size() > 1 && line[1] == "fleet";
}

/// A device as it is told from others.
using identity = std::vector<std::pair<std::string, std::string>>;

identity identity_of(const named_device& named) {
  const auto& description = named.device.description();
  return {{"device", named.id},
          {"kind of device", description.kind},
          {"name of the device", description.name},
          {"UUID of the GPU", description.cuda ? description.cuda->uuid : ""}};
}

identity identity_in(const json& device) {
  return {{"device", text_at(device, {"id"})},
          {"kind of device", text_at(device, {"kind"})},
          {"name of the device", text_at(device, {"name"})},
          {"UUID of the GPU", text_at(device, {"uuid"})}};
}

/// After a restart, and where the kernel does not tell of one, the name of the computer counts.
identity identity_of_machine(const json& machine, const json& context, bool is_same_boot) {
  identity facts{{"processor", text_at(machine, {"cpu", "model"})}};
  if (!is_same_boot) facts.emplace_back("name of the computer", text_at(context, {"host_name"}));
  return facts;
}

/// Whether a benchmark was skipped for what was so at that moment: a limit on memory or threads, or
/// a call that failed.
bool may_have_passed(const json& skipped) {
  constexpr std::array<std::string_view, 3> passing{"device_failed", "memory_refused",
                                                    "threads_refused"};
  return std::ranges::find(passing, text_at(skipped, {"reason", "code"})) != passing.end();
}

void require_same(const std::filesystem::path& file, const identity& before, const identity& now) {
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].second != now[i].second)
      refuse_to_resume(file,
                       fmt::format("it was measured elsewhere: its {} is '{}', here it is '{}'",
                                   before[i].first, common::printable_in_short(before[i].second),
                                   common::printable_in_short(now[i].second)));
}

}  // namespace

earlier_run::earlier_run(std::filesystem::path file) : file_(std::move(file)) {
  auto [read, document] = read_both(file_);
  document_ = std::move(document);
  complete_ = read.complete;
  require_lists(file_, facts());
  for (const auto& entry : skipped()) skipped_.insert(text_at(entry, {"name"}));
  if (is_of_fleet(facts()))
    refuse_to_resume(file_, "it is of bench_transfers fleet, whose ranks measure together");
  read_options();
  read_rows();
}

void earlier_run::read_options() {
  const auto& list = member(facts(), {"run", "options"});
  if (!list.is_array()) refuse_to_resume(file_, "it does not tell its options (run.options)");
  for (const auto& option : list) {
    if (!option.is_string() || !common::is_measuring_option(option.get<std::string>()))
      refuse_to_resume(file_, "its run.options have something that is no option of a measurement");
    options_.push_back(option.get<std::string>());
  }
}

void earlier_run::read_rows() {
  for (const auto& row : document_.at("benchmarks")) read_row(row);
}

void earlier_run::read_row(const json& row) {
  const auto name = text_at(row, {"run_name"});
  if (name.empty()) refuse_to_resume(file_, "a row has no run_name");
  if (text_at(row, {"run_type"}) == "aggregate")
    refuse_to_resume(file_, "it has aggregates, which do not tell what is measured");
  if (member(row, {"error_occurred"}) == true || !text_at(row, {"error_message"}).empty()) {
    failed_.insert(name);
    return;
  }
  const auto& index = member(row, {"repetition_index"});
  constexpr int most = 1'000'000;
  if (!index.is_number_unsigned() || index > most)
    refuse_to_resume(
        file_, fmt::format("a repetition of {} has no number", common::printable_in_short(name)));
  const auto disturbed = disturbances_of(row);
  if (const auto& procedure = member(row, {"procedure"}); procedure.is_number_unsigned())
    repetitions_[name].procedure = procedure.get<unsigned>();
  const auto& median = member(row, {"median_ns"});
  repetitions_[name].add(index.get<int>(),
                         median.is_number() ? std::optional(median.get<double>()) : std::nullopt,
                         disturbed);
}

json earlier_run::skipped() const {
  auto stays = json::array();
  for (const auto& entry : member(facts(), {"skipped"}))
    if (!may_have_passed(entry)) stays.push_back(entry);
  return stays;
}

bool earlier_run::has(const benchmark_case& planned, int rounds) const {
  if (failed_.contains(planned.name) || skipped_.contains(planned.name)) return true;
  const auto measured = repetitions_.find(planned.name);
  if (measured == repetitions_.end()) return false;
  const bool until_stable = planned.measured->sampling.until_stable;
  return complete_ || measured->second.count >= (until_stable ? 3 : 1) * rounds;
}

void earlier_run::leave_out_measured(plan& plan, int rounds) const {
  std::vector<benchmark_case> lacking;
  for (auto& planned : plan.cases) {
    if (const auto measured = repetitions_.find(planned.name); measured != repetitions_.end())
      planned.earlier = measured->second;
    if (planned.earlier.count > 0 &&
        result_file::is_other_procedure(planned.earlier.procedure, planned.procedure))
      refuse_to_resume(file_, fmt::format("{} was measured by another procedure: measure it anew",
                                          common::printable_in_short(planned.name)));
    if (!has(planned, rounds))
      lacking.push_back(std::move(planned));
    else if (!complete_ && !failed_.contains(planned.name) && planned.earlier.are_spoilt())
      plan.set_aside.push_back(std::move(planned));
  }
  plan.cases = std::move(lacking);
}

void require_same_machine(const earlier_run& earlier, std::span<const named_device> devices) {
  const auto& list = earlier.facts().at("devices");
  if (list.size() != devices.size())
    refuse_to_resume(earlier.file(), fmt::format("it is of {} devices, and not of {}", list.size(),
                                                 devices.size()));
  for (std::size_t i = 0; i < devices.size(); ++i)
    require_same(earlier.file(), identity_in(list.at(i)), identity_of(devices[i]));
  const auto& before = earlier.facts().at("machine");
  const auto now = machine::describe();
  const auto boot = text_at(before, {"kernel", "boot_id"});
  const bool is_same_boot = !boot.empty() && boot == text_at(now, {"kernel", "boot_id"});
  require_same(earlier.file(), identity_of_machine(before, earlier.context(), is_same_boot),
               identity_of_machine(now, google_context(), is_same_boot));
}

}  // namespace bench_transfers::bench
