#include "src/advice/pools.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "src/advice/page_sizes_text.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::advice {
namespace {

/// The size of the pages by kind of memory.
std::map<std::string, std::string> page_sizes() {
  std::map<std::string, std::string> sizes;
  const auto known = nlohmann::ordered_json::parse(page_sizes_text());
  for (const auto& [size, kinds] : known.items())
    for (const auto& kind : kinds) sizes.emplace(kind.get<std::string>(), size);
  return sizes;
}

/// Not that of memory whose type is unclear.
bool is_known(const std::string& type) {
  constexpr std::array known{"write-back", "write-combined", "uncached"};
  return std::ranges::find(known, type) != known.end();
}

}  // namespace

std::map<std::string, std::string> pools_in(const nlohmann::ordered_json& facts) {
  using result_file::text_at;
  const auto sizes = page_sizes();
  std::map<std::string, std::string> pools;
  for (const auto& block : result_file::member(facts, {"buffers"})) {
    const auto type = text_at(block, {"memory_type"});
    const auto size = sizes.find(text_at(block, {"memory"}));
    if (size != sizes.end() && is_known(type))
      pools.insert_or_assign(size->first, type + ", " + size->second);
  }
  return pools;
}

}  // namespace bench_transfers::advice
