#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/cli/choose_device.hpp"
#include "bench/harness/settings.hpp"
#include "bench/harness/turns.hpp"
#include "bench/record/earlier_run.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/common/exit_code.hpp"
#include "src/common/message.hpp"

namespace bench_transfers::bench {

using common::exit_code;

/// Of a process that leaves the rest of its run to the next one: EX_TEMPFAIL of sysexits.h. No run
/// ends with it.
inline constexpr auto next_process = static_cast<exit_code>(75);

/// What a run needs beyond its settings.
struct run_request {
  devices_choice devices;
  nlohmann::ordered_json fleet;  ///< which process of many it is: context.transfers.fleet
  /// Why nothing should be copied in both directions by all of the node's processes at once; none:
  /// it can be. Becomes a warning if something is skipped therefore.
  std::optional<common::message> too_few_processors = {};
  turns* ranks = nullptr;                ///< the other processes of the node
  bool quiet = false;                    ///< neither progress nor summary
  std::string name = {};                 ///< begins its complaints; empty: a process by itself
  bool is_claimed = false;               ///< the caller has claimed settings.out
  const earlier_run* earlier = nullptr;  ///< what this one goes on with; null: nothing
};

/// The strategies that the devices can be measured with.
registry strategies_of(const devices_choice& devices, const settings& settings);

/// Whether the ranks of a node would copy both ways at once. It opens no GPU.
bool copies_both_ways_with_ranks(const settings& settings);

/// Whether the name of the result file is printed.
bool says_where(const settings& settings);

/// In words, for people.
std::string reason_of(const std::exception& error);

/// Measures, writes the result file and prints the summary. Throws usage_error, and
/// common::write_error after all has been written that can be.
exit_code measure(const settings& settings, run_request request);

}  // namespace bench_transfers::bench
