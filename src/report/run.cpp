#include "src/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "src/trust/judgement.hpp"

namespace bench_transfers::report {
namespace {

using result_file::member;

const result_file::benchmark& first_of(const series& sizes) {
  return *sizes.begin()->second->described;
}

}  // namespace

run::run(const result_file::contents& read) : read_(read), benchmarks_(trust::benchmarks_in(read)) {
  std::map<std::string, series> by_label;
  for (const auto& benchmark : benchmarks_) {
    const auto& described = *benchmark.described;
    if (described.cache == result_file::cache_state::warm &&
        (benchmark.bytes || !described.size_bytes))
      by_label[result_file::benchmark_name(described.strategy, described.variant, {},
                                           result_file::cache_state::warm)]
              [described.size_bytes.value_or(0)] = &benchmark;
  }
  for (auto& [label, sizes] : by_label) all_.push_back(std::move(sizes));
  std::ranges::stable_sort(all_, {}, [](const series& sizes) { return first_of(sizes).plainness; });
}

std::vector<const series*> run::matching(const std::string& role, const condition& wanted) const {
  std::vector<const series*> found;
  for (const auto& sizes : all_)
    if (first_of(sizes).role == role && (!wanted || wanted(first_of(sizes))))
      found.push_back(&sizes);
  return found;
}

const series& run::plainest(const std::string& role, const condition& wanted) const {
  static const series none;
  const auto found = matching(role, wanted);
  return found.empty() ? none : *found.front();
}

const series& run::copies(direction towards, const std::string& memory,
                          const std::optional<std::string>& method) const {
  return plainest("copy", [&](const result_file::benchmark& copy) {
    return copy.direction == towards && copy.memory == memory && copy.method == method &&
           !copy.in_place;
  });
}

std::optional<double> run::link_limit() const {
  const auto& limit = member(read_.facts, {"link", "limit_gb_per_s"});
  return limit.is_number() && limit.get<double>() > 0 ? std::optional(limit.get<double>())
                                                      : std::nullopt;
}

bool run::is_falsified() const { return !trust::faults_in(read_).empty(); }

const measured* largest(const series& sizes) {
  return sizes.empty() ? nullptr : sizes.rbegin()->second;
}

const measured* at_size_of(const series& sizes, const measured& other) {
  const auto found = sizes.find(other.described->size_bytes.value_or(0));
  return found == sizes.end() ? nullptr : found->second;
}

std::optional<pair> common_pair(const series& first, const series& second) {
  for (auto size = first.rbegin(); size != first.rend(); ++size)
    if (const auto* other = at_size_of(second, *size->second)) return pair{size->second, other};
  return std::nullopt;
}

std::string way(direction towards) {
  return towards == direction::h2d ? "to the device" : "to the host";
}

std::string percent_beyond(double factor) { return fmt::format("{:.0f} %", 100 * (factor - 1)); }

}  // namespace bench_transfers::report
