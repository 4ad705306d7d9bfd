#include "src/fleet/history/trouble.hpp"

#include <set>
#include <utility>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// One aspect of a GPU over time.
class series {
 public:
  series(const std::vector<const gpu_record*>& records, std::optional<aspect> aspect)
      : records_(records), aspect_(aspect) {}

  /// The trouble of the newest sweep that has the GPU.
  [[nodiscard]] std::optional<trouble> present() const {
    const auto level = level_when_named();
    if (aspect_ && level <= 0) return std::nullopt;
    trouble result{records_.size(), std::nullopt, aspect_};
    bool was_named = false;
    for (auto i = records_.size(); i-- > 0;) {
      const auto* record = records_[i];
      if (!record || !is_measured(*record)) continue;
      if (!is_beyond(*record, level)) {
        result.before = i;
        break;
      }
      const bool is_newest = result.since == records_.size();
      if (aspect_ && is_newest) result.slower = record->slower.at(*aspect_);
      result.since = i;
      ++result.sweeps;
      was_named = was_named || is_named(*record);
    }
    return was_named ? std::optional(result) : std::nullopt;
  }

 private:
  [[nodiscard]] bool is_measured(const gpu_record& record) const {
    return !aspect_ || record.slower.contains(*aspect_);
  }
  [[nodiscard]] bool is_named(const gpu_record& record) const {
    return aspect_ ? record.named.contains(*aspect_) : record.is_named;
  }
  /// Half of what it is slower by when it is named: more than healthy GPUs differ by, but for one
  /// of fifty.
  [[nodiscard]] bool is_beyond(const gpu_record& record, double level) const {
    return aspect_ ? record.slower.at(*aspect_) > level / 2 : record.is_named;
  }
  [[nodiscard]] double level_when_named() const {
    std::vector<double> values;
    for (const auto* record : records_)
      if (aspect_ && record && is_measured(*record) && is_named(*record))
        values.push_back(record->slower.at(*aspect_));
    return values.empty() ? 0 : statistics::median(std::move(values));
  }

  const std::vector<const gpu_record*>& records_;
  std::optional<aspect> aspect_;
};

}  // namespace

std::optional<trouble> trouble_of(const std::vector<const gpu_record*>& records) {
  std::set<aspect> aspects;
  for (const auto* record : records)
    if (record) aspects.insert(record->named.begin(), record->named.end());
  std::optional<trouble> first;
  for (const auto& aspect : aspects) {
    const auto found = series(records, aspect).present();
    if (found && (!first || std::pair(found->since, -found->slower) <
                                std::pair(first->since, -first->slower)))
      first = found;
  }
  return first ? first : series(records, std::nullopt).present();
}

}  // namespace bench_transfers::fleet
