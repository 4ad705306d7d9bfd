#include "src/gate/model/work.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "src/result_file/procedure.hpp"

namespace bench_transfers::gate {
namespace {

using amounts = std::pair<const char*, std::optional<amount> work::*>;
constexpr std::array<amounts, 2> all_amounts{
    {{"bytes_per_second", &work::bytes}, {"items_per_second", &work::items}}};

bool is_far(double before, double after) {
  constexpr double tolerance = 0.02;
  return !(std::abs(after - before) <= tolerance * before);
}

/// By one of both times the amount is exact; by the other it is as noisy as the time.
bool is_other(const std::optional<amount>& before, const std::optional<amount>& after) {
  return before && (!after || (is_far(before->by_real_time, after->by_real_time) &&
                               is_far(before->by_cpu_time, after->by_cpu_time)));
}

bool is_other(const std::string& before, const std::string& after) {
  return !before.empty() && before != after;
}

std::string text_of(const std::optional<amount>& known) {
  return known ? fmt::format("{:.4g}", known->by_real_time) : "";
}

}  // namespace

bool is_same_number(double before, double after) {
  return std::abs(before - after) <= 1e-6 * before;
}

bool is_other_procedure(const work& before, const work& after) {
  return result_file::is_other_procedure(before.procedure, after.procedure);
}

std::optional<work_difference> difference_of(const work& before, const work& after) {
  for (const auto& [key, member] : all_amounts)
    if (is_other(before.*member, after.*member))
      return work_difference{key, text_of(before.*member), text_of(after.*member)};
  if (is_other(before.label, after.label))
    return work_difference{"label", before.label, after.label};
  return std::nullopt;
}

void keep_common(work& known, const work& another) {
  for (const auto& [key, member] : all_amounts)
    if (is_other(known.*member, another.*member)) (known.*member).reset();
  if (is_other(known.label, another.label)) known.label.clear();
}

}  // namespace bench_transfers::gate
