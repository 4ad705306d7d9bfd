#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace bench_transfers::imports {

/// The JSON in what nvbandwidth --json has printed, without a container's greeting before it and
/// what mpirun puts before each line; as it is where there is no JSON.
std::string without_surroundings(std::string text);

/// What nvbandwidth has printed without --json, in the form of its JSON; none if it is another
/// text. A test case that has no sum is cut off: its status is "Running". Lines of errors and
/// warnings, also those that other programs or the driver have printed among them, are lists of
/// texts: `error` and `warning`.
std::optional<nlohmann::ordered_json> from_plain_text(std::string_view text);

}  // namespace bench_transfers::imports
