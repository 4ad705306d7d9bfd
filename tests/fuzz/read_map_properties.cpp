#include <nlohmann/json.hpp>

#include "src/topology/map/reader.hpp"
#include "src/topology/report/report.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/refusals.hpp"

namespace bench_transfers::fuzz {
namespace {

void require_line(const std::string& text) { require(is_one_line(text), "a text is not one line"); }

}  // namespace

void check_read_map(const std::string& text) {
  topology::map_file read;
  try {
    read = topology::map_file_from_text(text, "host_map.json");
  } catch (const topology::unusable_map& refusal) {
    return check_refusal(refusal.what());
  }
  for (const auto& name : read.map.devices) require_line(name);
  for (const auto& set : read.map.skipped) require_line(set.why_not);
  require_line(read.origin.date);
  require_line(read.origin.commit);
  require_line(read.origin.host_name);
  require(!topology::text_of(read.map).empty(), "a map without words");
  const auto again = topology::to_json(read.map).dump();
  require(topology::map_file_from_text(again, "again.json").map == read.map,
          "a map that changes when it is written");
}

}  // namespace bench_transfers::fuzz
