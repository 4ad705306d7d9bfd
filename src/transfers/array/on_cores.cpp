#include "src/transfers/array/on_cores.hpp"

#include "src/transfers/array/convert.hpp"

namespace transfers::detail {

void convert(one_core& policy, const conversion& conversion) { convert_by(policy, conversion); }
void convert(all_cores& policy, const conversion& conversion) { convert_by(policy, conversion); }

}  // namespace transfers::detail
