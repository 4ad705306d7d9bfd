#include "bench/harness/selection.hpp"

#include <algorithm>

#include "bench/harness/requests.hpp"
#include "bench/strategy/written_lines.hpp"

namespace bench_transfers::bench {
namespace {

bool is_selected(const strategy& candidate, const registry& strategies, const settings& settings) {
  const auto& sampling = candidate.sampling;
  if (!settings.strategies.empty())
    return !sampling.on_request || is_asked_for(strategies, candidate, settings.strategies);
  if (settings.essential_only && !sampling.essential) return false;
  return settings.chosen_for.empty() ? !sampling.on_request
                                     : sampling.profiles.contains(settings.chosen_for);
}

/// A strategy that names no variants for its profile has all of them there.
bool profile_has(const variant& variant, const sampling& sampling, const settings& settings) {
  const auto chosen = sampling.profiles.find(settings.chosen_for);
  return chosen == sampling.profiles.end() || chosen->second.empty() ||
         std::ranges::find(chosen->second, variant.name) != chosen->second.end();
}

/// The quick profile has one state of page-locked memory, which is as fast with flushed lines as
/// with lines that copies have left. It leaves out states whose times scatter most.
bool is_measured_in(cache_state state, const strategy& measured, const settings& settings) {
  const auto& sampling = measured.sampling;
  const bool is_quick = settings.essential_only && settings.strategies.empty();
  if (state == cache_state::warm) return true;
  if (state == cache_state::cold)
    return sampling.cold &&
           !(is_quick && measured.needs.host && is_page_locked(*measured.needs.host));
  return sampling.written && (!is_quick || (sampling.essential_written && !falls_asleep(state)));
}

/// The sizes of a profile or of the user that a strategy takes. Strategies with the same stride get
/// the same sizes, so that they can be compared.
std::vector<std::size_t> sizes_among(const std::vector<std::size_t>& sizes,
                                     const sampling& sampling, bool own_sizes) {
  const auto stride = own_sizes ? 1 : sampling.size_stride;
  const auto fits = [&](std::size_t bytes) {
    return bytes >= sampling.smallest && bytes <= sampling.largest;
  };
  const auto last =
      own_sizes ? sizes.size() : sizes.size() - std::min(sampling.skip_largest, sizes.size());
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < last; ++i)
    // The largest size in the strategy's range is always selected.
    if (fits(sizes[i]) && ((last - 1 - i) % stride == 0 || i + 1 == last || !fits(sizes[i + 1])))
      selected.push_back(sizes[i]);
  return selected;
}

}  // namespace

std::vector<const strategy*> selected_strategies(const registry& strategies,
                                                 const settings& settings) {
  auto selected = chosen_strategies(strategies, settings.strategies);
  std::erase_if(selected, [&](const strategy* candidate) {
    return !is_selected(*candidate, strategies, settings);
  });
  return selected;
}

std::vector<const variant*> selected_variants(const strategy& measured, const settings& settings) {
  const auto name = measured.name();
  std::vector<const variant*> selected;
  if (measured.variants.empty() && is_requested(name, settings.strategies))
    selected.push_back(nullptr);
  for (const auto& variant : measured.variants)
    if (is_requested(name + "/" + variant.name, settings.strategies) &&
        (!settings.strategies.empty() || profile_has(variant, measured.sampling, settings)))
      selected.push_back(&variant);
  return selected;
}

std::vector<size_in_state> selected_sizes(const strategy& measured, const settings& settings) {
  if (!measured.sampling.sized) return {{std::nullopt}};
  std::vector<size_in_state> selected;
  for (const auto state : settings.states) {
    if (!is_measured_in(state, measured, settings)) continue;
    const auto& sizes = state == cache_state::warm ? settings.sizes : settings.cold_sizes;
    for (const auto bytes : sizes_among(sizes, measured.sampling, settings.own_sizes))
      selected.push_back({bytes, state});
  }
  return selected;
}

}  // namespace bench_transfers::bench
