#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {

std::string report_of(std::span<const run_values> runs) {
  using json = nlohmann::ordered_json;
  constexpr int format = 1;
  auto judged = json::array();
  for (const auto& run : runs) {
    judged.push_back({{"file", run.file}});
    judged.back().update(trust::to_json(run.judged));
  }
  const json document{{"kind", "judged runs"}, {"format", format}, {"runs", judged}};
  return common::text_of(document);
}

}  // namespace bench_transfers::exports
