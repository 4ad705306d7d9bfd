#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench_transfers::common {

/// A warning, a reason or a note. Code decides by `code` and `data`; `text` is for people and may
/// be reworded at any time.
struct message {
  std::string code;  ///< a stable word, "link_below_maximum"
  nlohmann::ordered_json data =
      nlohmann::ordered_json::object();  ///< what the text says, as values
  std::string text;                      ///< one line

  bool operator==(const message&) const = default;
};

/// {"code": …, "data": {…}, "text": …}
nlohmann::ordered_json to_json(const message& shown);

/// A list of them.
nlohmann::ordered_json to_json(const std::vector<message>& shown);

}  // namespace bench_transfers::common
