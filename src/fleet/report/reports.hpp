#pragma once

#include <string>

#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// The judgement for people: the verdict, who is slow and by how much, and what was tested.
std::string text_of(const sweep& sweep, const judgement& judged);

/// The judgement for programs: docs/FLEET.md, "The answer".
std::string json_of(const sweep& sweep, const judgement& judged);

/// A table of the GPUs, with what each is slower than the median of its peers.
std::string table_of(const sweep& sweep);

}  // namespace bench_transfers::fleet
