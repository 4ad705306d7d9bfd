// A new strategy is this one file, put into bench/strategies/. Here it is linked to a program of
// its own by the tests, which list it and run it.
#include "directions.hpp"
#include "strategy.hpp"

namespace bench {
namespace {

/// Two halves, one after the other: is one large copy better than two?
transfer prepare(const job& wanted) {
  const auto way = direction_of(wanted.variant);
  const auto [source, destination] = ends_of(wanted, transfers::pageable, way);
  const auto half = wanted.bytes / 2;
  transfer halves;
  halves.source = source;
  halves.destination = destination;
  halves.steps = {{"first_half", [&device = wanted.device, source, destination, way,
                                  half] { device.copy(destination.data, source.data, half, way); }},
                  {"second_half", [&device = wanted.device, source, destination, way, half] {
                     device.copy(destination.data + half, source.data + half, source.bytes - half,
                                 way);
                   }}};
  return halves;
}

const registration one([](registry& strategies) {
  strategies.push_back({.name = "copy_halves/pageable",
                        .summary = "two cudaMemcpy of half the size",
                        .variants = {"h2d", "d2h"},
                        .host = transfers::pageable,
                        .prepare = prepare});
});

}  // namespace
}  // namespace bench
