#pragma once

#include <cstddef>
#include <string>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

// Parts of sentences, for the sentences of wording.hpp alone.

/// "is" or "are"
std::string verb(std::size_t count);
/// The threshold of a class.
std::string limit_of(benchmark_class kind, const limits& limits);
/// "link: what is said of it"
std::string with_class(benchmark_class kind, const std::string& text);
/// "the median of 24 benchmarks is 44.7 % slower"
std::string median_text(const reasons::environment_changed& cause);
/// Of each reason, without the name of the class that it is of.
std::string text_of(const reason& cause, const limits& limits);

}  // namespace bench_transfers::gate
