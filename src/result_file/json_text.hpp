#pragma once

#include <simdjson.h>

#include <string>

namespace bench_transfers::result_file {

/// A file's text as JSON, which lives as long as the parser. Throws bad_entry whose what() is the
/// reason alone: it is empty, not JSON, or nested deeper than the parser allows.
simdjson::dom::element parsed(simdjson::dom::parser& parser, std::string text);

}  // namespace bench_transfers::result_file
