#include <algorithm>

#include "src/gate/io/query.hpp"
#include "src/gate/model/bad_input.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/refusals.hpp"

namespace bench_transfers::fuzz {

void check_read_value(const std::string& input) {
  const auto end = std::min(input.find('\n'), input.size());
  const auto text = input.substr(std::min(end + 1, input.size()));
  try {
    if (const auto value = gate::value_in(text, "answer.json", input.substr(0, end)))
      require(is_one_line(*value), "a value is not one line");
  } catch (const gate::bad_input& refusal) {
    check_refusal(refusal.what());
  }
}

}  // namespace bench_transfers::fuzz
