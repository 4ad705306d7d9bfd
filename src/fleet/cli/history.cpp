#include "src/fleet/history/history.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/claims/file_claim.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/fleet/cli/options.hpp"
#include "src/fleet/cli/sweeps.hpp"
#include "src/fleet/report/reports.hpp"

namespace bench_transfers::fleet {
namespace {

/// The only GPU whose UUID begins like this.
const gpu_history& require_gpu(const history& history, const std::string& beginning) {
  constexpr std::size_t most_shown = 5;
  const auto gpus = history.beginning_with(beginning);
  const auto refuse = [&](const std::string& why) {
    throw common::usage_error(fmt::format("bad --gpu '{}': {}", common::printable(beginning), why));
  };
  if (gpus.empty()) refuse("no GPU of these sweeps has a UUID that begins like this");
  if (gpus.size() > 1) {
    std::vector<std::string> uuids;
    for (const auto* gpu : gpus) uuids.push_back(gpu->uuid);
    refuse(
        fmt::format("{} GPUs begin like this: {}", gpus.size(), common::listed(uuids, most_shown)));
  }
  return *gpus.front();
}

class history_command final : public commands::command {
 public:
  explicit history_command(CLI::App& options) {
    commands::add_files(options, "SWEEP", sweeps_, "sweeps, or folders with sweeps")
        .required()
        ->type_name("DIR|FILE");
    add_references(options, references_,
                   "a sweep that was accepted, to compare each with; may be repeated");
    options.add_option("--gpu", gpu_, "of this GPU alone: its UUID, or how it begins")
        ->type_name("UUID");
    commands::add_json(options, json_);
  }

  [[nodiscard]] common::exit_code run() const override {
    auto inputs = references_;
    inputs.insert(inputs.end(), sweeps_.begin(), sweeps_.end());
    const auto claimed = claims::claim_outputs({json_}, inputs);
    auto read = records_of(sweeps_, settings::usual(), read_sweeps(references_));
    if (read.records.empty()) return exit_code::bad_input;
    const history history(std::move(read.records));
    const auto* gpu = gpu_.empty() ? nullptr : &require_gpu(history, gpu_);
    common::write_outputs({{json_, [&] { return json_of(history, gpu); }}},
                          [&] { return gpu ? text_of(history, *gpu) : text_of(history); });
    if (gpu ? gpu->is_in_trouble() : history.is_in_trouble()) return exit_code::named;
    const bool is_known = read.is_complete && (gpu ? history.is_known(*gpu) : history.is_healthy());
    return is_known ? exit_code::healthy : exit_code::unknown;
  }

 private:
  paths sweeps_;      ///< folders and files
  paths references_;  ///< accepted sweeps
  std::string gpu_;   ///< beginning of a UUID; empty: all
  std::filesystem::path json_;
};

const commands::registration<history_command> following{
    "history", "Tell since when GPUs are slow, and which have moved."};

}  // namespace
}  // namespace bench_transfers::fleet
