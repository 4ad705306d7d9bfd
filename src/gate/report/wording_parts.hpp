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
/// "1 benchmark has fewer than half of its repetitions left"; `where`: " of FILE", or empty.
std::string few_repetitions_text(std::size_t count, const std::string& where);
/// "27 benchmarks, the worst copy/pinned/h2d/1MiB by 9.63 %"
std::string worst_text(std::size_t count, const std::string& worst, double by);
/// "the median of 24 benchmarks is 44.7 % slower"
std::string median_text(const reasons::environment_changed& cause);
/// Of each reason, without the name of the class that it is of.
std::string text_of(const reason& cause, const limits& limits);

}  // namespace bench_transfers::gate
