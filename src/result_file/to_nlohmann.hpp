#pragma once

#include <simdjson.h>

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace bench_transfers::result_file {

/// What simdjson has read, in the type that the programs work with.
nlohmann::ordered_json to_nlohmann(const simdjson::dom::element& value);

/// An object but for the members of these names.
nlohmann::ordered_json to_nlohmann(const simdjson::dom::object& object,
                                   std::initializer_list<std::string_view> left_out = {});

}  // namespace bench_transfers::result_file
