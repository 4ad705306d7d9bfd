#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/common/exit_code.hpp"

namespace bench_transfers::doctor {

enum class severity { slows, may_slow };

/// "slows", "may_slow"
const char* to_string(severity severity);

/// What a finding takes off a rate. A cost without a source is none: it is left out.
struct cost {
  enum class source {
    pcie_rates,    ///< the rates of both links by the PCI Express specification
    recorded_run,  ///< of this project, on another machine
    published,     ///< by others, on another machine
    measured,      ///< in this run
  };
  double least_lost = 0, most_lost = 0;  ///< parts of the rate, 0 to 1; alike: one figure
  std::string rate;                      ///< what gets slower: "copies of pinned memory"
  source origin = source::pcie_rates;
  std::string reference;  ///< where the figure is from

  bool operator==(const cost&) const = default;
};

/// "pcie_rates", "recorded_run", "published", "measured"
const char* to_string(cost::source source);

/// Where a remedy is carried out.
enum class place {
  process,   ///< where this program runs
  system,    ///< by root of the operating system, outside of containers
  driver,    ///< as `system`; of WSL in Windows, which has the driver
  hardware,  ///< at the computer and its firmware, outside of virtual machines
};

/// How to mend something: a sentence, and a command where one does it.
struct remedy {
  std::string text;
  std::string command = {};
  doctor::place place = place::process;
  std::string shows = {};  ///< what the command shows, where it mends nothing

  bool operator==(const remedy&) const = default;
};

/// A reason why transfers are slow. Code decides by `code` and `evidence`.
struct finding {
  std::string code;
  doctor::severity severity;
  std::string gpu = {};  ///< its id; empty: the host
  std::string what;      ///< one sentence
  nlohmann::ordered_json evidence;
  std::optional<doctor::cost> cost = {};  ///< nullopt: not known
  remedy fix;
};

/// A question that this machine does not answer.
struct unknown {
  std::string code;
  std::string gpu = {};
  std::string what;
  nlohmann::ordered_json evidence;
  bool decides = false;  ///< without the answer no GPU can be called healthy
  remedy fix;            ///< how to learn it
};

struct diagnosis {
  std::vector<finding> findings;
  std::vector<unknown> unknowns;
};

using verdict = common::exit_code;

/// "healthy", "findings", "not_known"
const char* to_string(verdict shown);

/// Not known without a GPU, whatever is found of the host. With GPUs: findings if there are any;
/// healthy only if nothing that decides is unknown.
verdict conclude(const diagnosis& diagnosis);

}  // namespace bench_transfers::doctor
