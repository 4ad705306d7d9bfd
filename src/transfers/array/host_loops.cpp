#include "src/transfers/array/host_loops.hpp"

#include "src/transfers/array/convert.hpp"

namespace transfers::detail {

void convert(const host_loops& loops, const conversion& conversion) {
  convert_by(loops, conversion);
}

}  // namespace transfers::detail
