#pragma once

#include <memory>
#include <vector>

#include "bench/harness/turns.hpp"
#include "src/common/message.hpp"
#include "src/fleet/ranks/node_ranks.hpp"

namespace bench_transfers::bench {

/// That the others of its node no longer wait for a rank, for their result files and for people.
common::message warning_of(const fleet::lost_rank& lost);

/// The turns of a node's ranks. Waiting throws fleet::left_behind.
class rank_turns final : public turns {
 public:
  /// The ranks must live longer.
  explicit rank_turns(fleet::node_ranks& ranks) : ranks_(ranks) {}

  [[nodiscard]] std::size_t count() const noexcept override { return ranks_.count(); }
  void beat() noexcept override { ranks_.beat(); }
  void wait() override { ranks_.wait_for_turn(); }
  void end() override;
  void leave() noexcept override { ranks_.leave(); }
  [[nodiscard]] std::unique_ptr<meeting> meet(std::uint64_t number) override;
  [[nodiscard]] std::vector<common::message> warnings() const override;

 private:
  fleet::node_ranks& ranks_;
};

}  // namespace bench_transfers::bench
