#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/report/run.hpp"
#include "src/statistics/sample_order.hpp"

// What matters most in a run: matters_of_transfers.cpp and matters_of_memory.cpp find it, and
// matters.cpp chooses from it.

namespace bench_transfers::report {

/// A sentence, and how much it matters.
struct finding {
  std::string code, text;
  double weight;  ///< by how many times something differs; published as "factor"
};
using findings = std::vector<finding>;

findings matters_of_transfers(const run& of);
findings matters_of_memory(const run& of);

/// Advice that costs work, such as another layout, needs as clear a gain.
inline constexpr double worth_work = 1.2;

/// How many times as long it takes.
double times_as_long(const measured& slow, const measured& fast);
/// Whether it takes so many times as long, and nearly all repetitions agree.
bool is_slower(const measured& slow, const measured& fast, double factor);
bool is_slower(const std::optional<pair>& both, double factor);

/// "to the device", "from the device".
std::string seen_from_device(direction towards);
/// Of the bytes that one operation moves.
std::string size_words(const measured& benchmark);
std::string time_words(const measured& benchmark);
std::string rate_words(const measured& benchmark);
/// With the part of the link that it is, if that is known.
std::string rate_of_link(const run& of, const measured& benchmark);

}  // namespace bench_transfers::report
