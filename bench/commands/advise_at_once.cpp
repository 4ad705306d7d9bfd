#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/cli/device_names.hpp"
#include "bench/commands/advise.hpp"
#include "src/advice/at_once.hpp"
#include "src/advice/at_once_words.hpp"
#include "src/advice/text.hpp"
#include "src/command/options.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/topology/map/reader.hpp"

// advise --host-map --devices: how to copy to several devices.

namespace bench_transfers::bench {
namespace {

std::vector<std::string> names_in(const std::string& list) {
  try {
    return names_in_list(list);
  } catch (const common::usage_error&) {
    throw common::usage_error(
        fmt::format("bad --devices '{}': all, or devices of the map, such as cuda:0,2-3",
                    common::printable_in_short(list)));
  }
}

/// "all", or a list of the map's devices.
topology::device_set devices_named(const std::string& list, const topology::host_map& map) {
  if (list == "all") return topology::device_set::up_to(map.devices.size());
  topology::device_set devices;
  for (const auto& name : names_in(list)) {
    const auto device = std::ranges::find(map.devices, name);
    if (device == map.devices.end())
      throw common::usage_error(fmt::format("bad --devices: the map has no '{}', but {}", name,
                                            fmt::join(map.devices, ", ")));
    const auto index = static_cast<std::size_t>(device - map.devices.begin());
    if (devices.contains(index))
      throw common::usage_error(fmt::format("bad --devices: {} is named twice", name));
    devices = devices | topology::device_set::of(index);
  }
  return devices;
}

std::vector<topology::traffic> traffic_named(const std::string& direction) {
  std::vector<topology::traffic> kinds;
  for (const auto kind : topology::every_traffic)
    if (direction.empty() || direction == to_string(kind)) kinds.push_back(kind);
  return kinds;
}

advice::map_source read_map(const advice_request& request) {
  try {
    advice::map_source source{request.host_map, topology::read_map_file(request.host_map)};
    require_gpu(request, source.file, !source.contents.origin.without_gpu);
    return source;
  } catch (const topology::unusable_map& error) {
    throw common::usage_error(error.what());
  }
}

/// The size of the map's own copies, or what most maps are made of.
double bytes_at_once(const advice_request& request, const topology::map_origin& origin) {
  constexpr std::size_t usual_bytes = 16 << 20;
  return static_cast<double>(request.bytes.empty() ? origin.size_bytes.value_or(usual_bytes)
                                                   : common::parse_size(request.bytes));
}

}  // namespace

bool advise_copies_at_once(written_answer& out, const advice_request& request) {
  const auto source = read_map(request);
  const auto& [map, origin] = source.contents;
  out.claimed = claims::claim_outputs({request.json}, std::span(&source.file, 1));
  const auto devices = devices_named(request.devices, map);
  std::vector<advice::advice_at_once> answers;
  for (const auto kind : traffic_named(request.direction)) {
    const advice::copies_at_once question{devices, kind, bytes_at_once(request, origin)};
    auto answer = advice::advise_at_once(map, question, origin.size_bytes);
    if (!answer)
      throw nothing_to_rank(fmt::format("nothing to advise by {}: it has no rates of {}",
                                        common::printable(source.file.string()), request.devices));
    answers.push_back(*std::move(answer));
  }
  out.text.label = advice::label_of(!origin.without_gpu);
  advice::add_at_once(out.text, source, answers);
  if (!request.json.empty()) out.write(request.json, advice::at_once_document(source, answers));
  return true;
}

void check_copies_at_once(const advice_request& request, const CLI::App& command) {
  if (request.devices.empty())
    throw common::usage_error("--host-map needs --devices: all, or devices of the map");
  if (request.host_map.empty())
    throw common::usage_error("--devices needs --host-map: what bench_transfers map --out wrote");
  commands::refuse_without_effect(command,
                                  {"--for", "--reuse", "--cpu-writes", "--cpu-reads", "--from",
                                   "--of-device", "--map", "--check", "--written-by"},
                                  "--host-map");
  if (!request.direction.empty() && traffic_named(request.direction).empty())
    throw common::usage_error(
        fmt::format("bad --direction '{}': h2d, d2h or both", request.direction));
  if (!request.bytes.empty()) static_cast<void>(common::parse_size(request.bytes));
}

}  // namespace bench_transfers::bench
