#include "src/exports/results/formats.hpp"

#include <array>

namespace bench_transfers::exports {
namespace {

constexpr std::array<format, 7> formats{{{"csv", csv_of},
                                         {"markdown", markdown_of},
                                         {"openmetrics", openmetrics_of},
                                         {"openmetrics-timestamps", openmetrics_timestamps_of},
                                         {"bencher", bencher_of},
                                         {"github-benchmark", github_times_of},
                                         {"github-benchmark-bigger", github_rates_of}}};

}  // namespace

const format* find_format(std::string_view word) {
  for (const auto& format : formats)
    if (word == format.word) return &format;
  return nullptr;
}

std::vector<std::string> words_of_formats() {
  std::vector<std::string> words;
  for (const auto& format : formats) words.emplace_back(format.word);
  return words;
}

}  // namespace bench_transfers::exports
