#include "tests/fuzz/read_map_properties.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "src/common/printable.hpp"
#include "src/topology/document.hpp"
#include "src/topology/reader.hpp"
#include "src/topology/text.hpp"

using namespace bench_transfers;

namespace {

void require(bool holds, const char* property) {
  if (!holds) throw std::logic_error(property);
}

void require_line(const std::string& text) {
  require(common::printable(text) == text, "a text that is not one line");
}

}  // namespace

void check_read_map(const std::string& text) {
  topology::map_file read;
  try {
    read = topology::map_file_from_text(text, "host_map.json");
  } catch (const topology::unusable_map& refusal) {
    require_line(refusal.what());
    return;
  }
  for (const auto& name : read.map.devices) require_line(name);
  for (const auto& set : read.map.skipped) require_line(set.why_not);
  require_line(read.origin.date);
  require_line(read.origin.commit);
  require_line(read.origin.host_name);
  require(!topology::text_of(read.map).empty(), "a map without words");
  const auto again = topology::to_json(read.map).dump();
  require(topology::host_map_from_text(again, "again.json") == read.map,
          "a map that changes when it is written");
}
