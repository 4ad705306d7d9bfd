#pragma once

#include <cstddef>
#include <cstdio>

namespace bench_transfers::common {

/// How many columns a line may have; `otherwise` if the stream is no terminal or does not tell.
std::size_t columns_of(std::FILE* stream, std::size_t otherwise);

}  // namespace bench_transfers::common
