#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/fleet/history/record.hpp"
#include "src/fleet/history/trouble.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// What has happened to a GPU or a slot.
struct change {
  enum class kind {
    added,    ///< a GPU that no sweep before has
    gone,     ///< a GPU that this and all later sweeps do not have, though they have its node
    moved,    ///< it was at another place in the sweep before
    replaced  ///< it is in the slot of another one, which is gone
  } what;
  std::size_t sweep;
  std::string gpu;
  fleet::place place;
  std::string old_gpu;     ///< of replaced
  fleet::place old_place;  ///< of moved
};

/// Where a GPU is at the time of the newest sweep.
enum class presence {
  there,
  gone,       ///< its node was measured later, and it was not
  replaced,   ///< another one is in its slot
  not_swept,  ///< its node was not measured later
};

struct gpu_history {
  std::string uuid;
  std::vector<const gpu_record*> records;  ///< by sweep; null: it is not there
  std::vector<std::size_t> named;          ///< sweeps
  /// None of one that was replaced: it has left with the card.
  std::optional<fleet::trouble> trouble;
  fleet::presence presence = presence::there;

  [[nodiscard]] bool is_in_trouble() const { return trouble || presence == presence::gone; }
  [[nodiscard]] const gpu_record& newest() const;
  [[nodiscard]] std::size_t newest_sweep() const;
};

/// Sweeps in the order of their times.
class history {
 public:
  /// Of sweeps that are there twice (the same id, time and GPUs) one counts. Those without a time
  /// come first.
  explicit history(std::vector<sweep_record> sweeps);
  // GPUs point to the records.
  history(const history&) = delete;
  history& operator=(const history&) = delete;
  history(history&&) = delete;
  history& operator=(history&&) = delete;
  ~history() = default;

  [[nodiscard]] const std::vector<sweep_record>& sweeps() const { return sweeps_; }
  [[nodiscard]] const std::vector<gpu_history>& gpus() const { return gpus_; }
  [[nodiscard]] const std::vector<change>& changes() const { return changes_; }
  /// All that any sweep has measured.
  [[nodiscard]] const std::set<aspect>& aspects() const { return aspects_; }
  /// Benchmarks that another procedure measured than in a newer sweep, or than in a sweep's
  /// references. A sweep does not count in the aspects of the former.
  [[nodiscard]] const std::set<std::string>& other_procedures() const { return other_procedures_; }

  /// Whether a GPU is in trouble, or the newest sweep names anything.
  [[nodiscard]] bool is_in_trouble() const;
  /// Whether the newest sweep is healthy.
  [[nodiscard]] bool is_healthy() const;
  /// Whether the newest sweep tells that this GPU, which is in no trouble, is well.
  [[nodiscard]] bool is_known(const gpu_history& gpu) const;

  /// The GPUs whose UUIDs begin like this; if one is called so, that one alone.
  [[nodiscard]] std::vector<const gpu_history*> beginning_with(const std::string& uuid) const;

 private:
  void leave_out_other_procedures();
  void follow_gpus();
  void find_changes();
  void find_absent();
  /// Of each of these GPUs that is gone: the first sweep that shows it.
  [[nodiscard]] std::map<std::string, std::size_t> first_sweeps_without(
      const std::vector<const gpu_history*>& gpus) const;
  [[nodiscard]] fleet::verdict newest_verdict() const;

  std::vector<sweep_record> sweeps_;
  std::vector<gpu_history> gpus_;
  std::vector<change> changes_;
  std::set<aspect> aspects_;
  std::set<std::string> other_procedures_;
};

/// Tells of each finding since when it is there, by a history whose newest sweep is the one that
/// was judged: of a wider part, since when most of its GPUs are slow.
void add_onsets(const sweep& sweep, judgement& judged, const history& history);

/// Tells which GPUs the nodes of missing ranks had, by such a history: where as many are gone as
/// ranks are missing.
void add_gpus_of_missing(judgement& judged, const history& history);

}  // namespace bench_transfers::fleet
