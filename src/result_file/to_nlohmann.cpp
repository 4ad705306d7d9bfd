#include "src/result_file/to_nlohmann.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace bench_transfers::result_file {

using json = nlohmann::ordered_json;
using simdjson::dom::element;

namespace {

template <class Value>
Value get(const element& value) {
  return value.get<Value>().value();
}

}  // namespace

json to_nlohmann(const simdjson::dom::object& object,
                 std::initializer_list<std::string_view> left_out) {
  // No assignments by key, for each of which nlohmann would search all members: parsed() has
  // refused keys that are there twice.
  json::object_t members;
  members.reserve(object.size());
  for (const auto& [key, item] : object)
    if (std::ranges::find(left_out, key) == left_out.end())
      members.push_back({std::string(key), to_nlohmann(item)});
  return members;
}

json to_nlohmann(const element& value) {
  using enum simdjson::dom::element_type;
  switch (value.type()) {
    case ARRAY: {
      json list = json::array();
      for (const auto item : get<simdjson::dom::array>(value)) list.push_back(to_nlohmann(item));
      return list;
    }
    case OBJECT: return to_nlohmann(get<simdjson::dom::object>(value));
    case INT64: {
      // As in JSON that nlohmann has read itself: what is not negative is unsigned.
      const auto number = get<std::int64_t>(value);
      return number < 0 ? json(number) : json(static_cast<std::uint64_t>(number));
    }
    case UINT64: return get<std::uint64_t>(value);
    case DOUBLE: return get<double>(value);
    case STRING: return std::string(get<std::string_view>(value));
    case BOOL: return get<bool>(value);
    case NULL_VALUE: break;
  }
  return nullptr;
}

}  // namespace bench_transfers::result_file
