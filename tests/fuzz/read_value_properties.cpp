#include "tests/fuzz/read_value_properties.hpp"

#include <algorithm>
#include <stdexcept>

#include "src/common/printable.hpp"
#include "src/gate/io/query.hpp"
#include "src/gate/model/bad_input.hpp"

using namespace bench_transfers;

namespace {

void require_line(const std::string& text) {
  if (common::printable(text) != text) throw std::logic_error("an answer is not one line");
}

}  // namespace

void check_read_value(const std::string& input) {
  const auto end = std::min(input.find('\n'), input.size());
  const auto text = input.substr(std::min(end + 1, input.size()));
  try {
    if (const auto value = gate::value_in(text, "answer.json", input.substr(0, end)))
      require_line(*value);
  } catch (const gate::bad_input& refusal) {
    require_line(refusal.what());
  }
}
