#include "src/report/matters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/report/said.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::report {

double times_as_long(const measured& slow, const measured& fast) {
  return slow.median_ns / fast.median_ns;
}

bool is_slower(const measured& slow, const measured& fast, double factor) {
  return times_as_long(slow, fast) >= factor &&
         statistics::nearly_all_larger(slow.times_ns, fast.times_ns);
}
bool is_slower(const std::optional<pair>& both, double factor) {
  return both && is_slower(*both->first, *both->second, factor);
}

std::string seen_from_device(direction towards) {
  return towards == direction::h2d ? "to the device" : "from the device";
}
std::string size_words(const measured& benchmark) {
  return common::size_text(benchmark.bytes.value_or(0));
}
std::string time_words(const measured& benchmark) {
  return common::time_figure(benchmark.median_ns);
}
std::string rate_words(const measured& benchmark) {
  return common::rate_figure(benchmark.gb_per_s());
}
std::string rate_of_link(const run& of, const measured& benchmark) {
  const auto limit = of.link_limit();
  return rate_words(benchmark) +
         (limit ? fmt::format(" ({:.0f} % of the link)", 100 * benchmark.gb_per_s() / *limit) : "");
}

std::vector<common::message> what_matters(const run& of) {
  constexpr std::size_t most_findings = 5;
  if (of.read().on_host || of.is_falsified()) return {};
  auto all = matters_of_transfers(of);
  std::ranges::move(matters_of_memory(of), std::back_inserter(all));
  std::ranges::stable_sort(all, std::ranges::greater{}, &finding::weight);
  all.resize(std::min(all.size(), most_findings));
  std::vector<common::message> said;
  for (auto& [code, text, weight] : all)
    said.push_back({std::move(code), {{"factor", weight}}, std::move(text)});
  return said;
}

}  // namespace bench_transfers::report
