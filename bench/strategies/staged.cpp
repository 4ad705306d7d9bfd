#include "directions.hpp"
#include "strategy.hpp"

namespace bench {
namespace {

/// Pageable memory by way of page-locked chunks, as calibrated on this machine: small copies are
/// cudaMemcpy's (their rows have no chunk_bytes).
transfer prepare(const job& wanted) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, transfers::pageable, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  const auto by = wanted.memory.staged_copier();
  if (const auto chunk = by->chunk_bytes(wanted.bytes, way); chunk > 0)
    copy.facts = {{"threads", by->how().threads}, {"chunk_bytes", static_cast<double>(chunk)}};
  copy.steps = {{"copy", [by, both, way] {
                   by->copy(both.destination.data, both.source.data, both.source.bytes, way);
                 }}};
  return copy;
}

const registration staged{
    strategy{.name = "copy/staged",
             .summary = "ordinary memory by way of page-locked chunks that threads fill or drain",
             .variants = {"h2d", "d2h"},
             .host = transfers::pageable,
             .prepare = prepare}};

}  // namespace
}  // namespace bench
