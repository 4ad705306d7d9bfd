#include "src/report/choices.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "src/statistics/sample_order.hpp"

namespace bench_transfers::report {
namespace {

constexpr const char* ordinary = "pageable";
/// Numbers of uses that rules tell apart.
constexpr std::array<double, 7> asked_reuses{1, 5, 20, 100, 1'000, 10'000, 1'000'000};

bool is_candidate(const measured& benchmark, direction towards, among memory) {
  const auto& described = *benchmark.described;
  return trust::is_transfer(benchmark) && described.direction == towards &&
         (memory == among::all_memory || described.memory == ordinary);
}

}  // namespace

const measured* choice::candidate(const std::string& strategy) const {
  const auto found = std::ranges::find_if(
      candidates, [&](const measured* each) { return each->described->strategy == strategy; });
  return found == candidates.end() ? nullptr : *found;
}

bool choice::is_plain(const measured& chosen) const {
  return chosen.described->strategy == plain->described->strategy;
}

bool choice::is_certain() const {
  const auto count = plain->times_ns.size();
  return statistics::most_pairs_reversed(count, count).has_value();
}

statistics::ratio choice::gain(const measured& chosen) const {
  statistics::pair_limits limits;
  return statistics::ratio_of(plain->times_ns, chosen.times_ns, limits);
}

bool choice::is_tie() const {
  return is_plain(best()) || (is_certain() && !gain(best()).is_above_one());
}

choices::choices(const run& of) : run_(of), model_(advice::measurements_in(of.read(), {}, 0)) {}

std::optional<choice> choices::at(direction towards, std::size_t size, among memory) const {
  const auto& plain = run_.copies(towards, ordinary);
  const auto same_size = plain.find(size);
  if (same_size == plain.end()) return std::nullopt;
  choice made{towards, size, same_size->second, {}, {}};
  for (const auto& benchmark : run_.benchmarks())
    if (is_candidate(benchmark, towards, memory) && benchmark.described->size_bytes == size)
      made.candidates.push_back(&benchmark);
  made.as_good = trust::as_good_as_fastest(made.candidates);
  return made.as_good.empty() ? std::nullopt : std::optional(std::move(made));
}

std::vector<std::size_t> choices::sizes(direction towards, among memory) const {
  const auto& plain = run_.copies(towards, ordinary);
  std::set<std::size_t> found;
  for (const auto& benchmark : run_.benchmarks()) {
    if (!is_candidate(benchmark, towards, memory)) continue;
    const auto* same_size = at_size_of(plain, benchmark);
    if (same_size && same_size->described->strategy != benchmark.described->strategy)
      found.insert(benchmark.described->size_bytes.value_or(0));
  }
  return {found.begin(), found.end()};
}

const measured& choices::decide(const choice& made) const {
  const auto names = advised(made);
  if (!names.empty())
    if (const auto* named = made.candidate(names.back())) return *named;
  return made.is_tie() ? *made.plain : made.best();
}

std::vector<std::string> choices::advised(const choice& made) const {
  std::vector<std::string> names;
  for (const auto reuse : asked_reuses) {
    auto question = advice::usual_question(made.towards);
    question.bytes = static_cast<double>(made.size);
    question.reuse = reuse;
    const auto ranked = model_.rank(question);
    if (ranked.strategies.empty()) return {};
    names.push_back(advice::recommended(ranked).name);
  }
  return names;
}

std::optional<reuse_needed> choices::reuse_needed_for(const choice& made,
                                                      const std::string& strategy) const {
  if (!model_.measured().allocation) return std::nullopt;
  const auto names = advised(made);
  if (names.empty() || names.back() != strategy) return std::nullopt;
  reuse_needed needed{.enough = asked_reuses.front(), .too_few = 0, .instead = {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == strategy) continue;
    needed.too_few = asked_reuses.at(i);
    needed.enough = asked_reuses.at(i + 1);
    if (std::ranges::find(needed.instead, names[i]) == needed.instead.end())
      needed.instead.push_back(names[i]);
  }
  return needed.instead.empty() ? std::nullopt : std::optional(needed);
}

std::optional<advice::measured_terms> choices::terms() const {
  return model_.transfer_sizes() ? std::optional(model_.measured()) : std::nullopt;
}

}  // namespace bench_transfers::report
