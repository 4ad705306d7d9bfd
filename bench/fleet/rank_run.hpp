#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/cli/run.hpp"
#include "bench/fleet/earlier_files.hpp"
#include "bench/fleet/gather_sweep.hpp"
#include "bench/fleet/rank_identity.hpp"
#include "bench/fleet/rank_turns.hpp"
#include "bench/harness/settings.hpp"
#include "src/claims/file_claim.hpp"
#include "src/fleet/mpi/gathering.hpp"
#include "src/fleet/ranks/node_ranks.hpp"

namespace bench_transfers::bench {

/// Lets this process use all processors that it may, if the ranks copy both ways at once and it has
/// too few for that. Returns whether they are more than before. Called before anything starts
/// threads, which inherit it.
bool unbind_if_too_few(const settings& settings);

/// The measurement of one rank's GPU.
class rank_run {
 public:
  /// `unbound`: what unbind_if_too_few() has returned.
  rank_run(settings settings, const fleet_request& request, const rank_identity& self,
           bool unbound);

  /// Throws usage_error and others, whose texts name the rank.
  exit_code measure();

  /// Its file is empty until no other process writes it.
  [[nodiscard]] rank_result result() const;

 private:
  exit_code measure_device();
  /// Returns whether there is one.
  bool choose_device();
  void choose_file(earlier_files& earlier);
  void join_ranks(earlier_files& earlier);
  void meet_ranks(std::size_t put_aside);
  void share_processors();
  void claim_file();
  void say_where() const;
  /// What the others of the job must know of it, without the result.
  [[nodiscard]] fleet::contribution contribution() const;

  settings settings_;
  const fleet_request& request_;
  const rank_identity& self_;
  bool unbound_;
  bool is_whole_ = false;
  nlohmann::ordered_json facts_;  ///< context.transfers.fleet
  run_request run_;
  std::string device_;                        ///< what tells it from the others of its node
  std::unique_ptr<fleet::node_ranks> ranks_;  ///< null where there is one
  std::unique_ptr<rank_turns> turns_;         ///< likewise
  std::filesystem::path chosen_file_;
  std::unique_ptr<claims::file_claim> claim_;  ///< of its file
  std::filesystem::path file_;                 ///< empty until it is claimed
};

}  // namespace bench_transfers::bench
