#include "bench/cli/device_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/common/number.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

std::optional<int> whole_number(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : common::number_from<int>(text);
}

/// `kind` is that of the part before; empty for the first.
named_range parse_range(std::string_view part, std::string_view kind) {
  const auto at = std::min(part.find('@'), part.size());
  const auto device = part.substr(0, at);
  const std::string links(part.substr(at));
  if (device == "host" && links.empty()) return {"host"};
  const auto colon = device.find(':');
  if (colon != std::string_view::npos) kind = device.substr(0, colon);
  if ((kind != "cuda" && kind != "host") || (kind == "cuda" && !links.empty()))
    throw bad_device(part);
  const auto numbers = colon == std::string_view::npos ? device : device.substr(colon + 1);
  const auto dash = std::min(numbers.find('-', 1), numbers.size());
  const auto first = whole_number(numbers.substr(0, dash));
  const auto last = dash == numbers.size() ? first : whole_number(numbers.substr(dash + 1));
  if (!first || !last) throw bad_device(part);
  if (*last < *first)
    throw common::usage_error(
        fmt::format("bad device '{}': {} comes before {}", part, *last, *first));
  return {std::string(kind), first, last, links};
}

}  // namespace

std::string name_of(const named_range& range, std::optional<int> index) {
  return index ? fmt::format("{}:{}", range.kind, *index) : range.kind;
}

void for_each_device(
    const std::string& list,
    const std::function<void(const named_range&, std::optional<int>, const std::string&)>& add) {
  std::string kind;
  for (const auto& part : common::split(list)) {
    const auto range = parse_range(part, kind);
    kind = range.kind;
    if (!range.first) add(range, std::nullopt, part);
    for (int index = range.first.value_or(0); index <= range.last.value_or(-1); ++index)
      add(range, index, part);
  }
}

void require_few(std::size_t devices) {
  constexpr std::size_t most_devices = 64;
  if (devices > most_devices)
    throw common::usage_error(fmt::format("too many devices: at most {}", most_devices));
}

std::vector<std::string> names_in_list(const std::string& list) {
  std::vector<std::string> names;
  for_each_device(list, [&](const auto& range, auto index, const auto& part) {
    if (!range.links.empty()) throw bad_device(part);
    names.push_back(name_of(range, index));
    require_few(names.size());
  });
  return names;
}

common::usage_error bad_device(std::string_view name) {
  const bool is_number = !name.empty() && name.front() != '-' &&
                         name.find_first_not_of("0123456789-") == std::string::npos;
  const auto meant = is_number                         ? fmt::format("cuda:{}", name)
                     : name == "cuda" || name == "gpu" ? std::string("cuda:0")
                                                       : std::string();
  return common::usage_error(
      fmt::format("bad device '{}': {}auto, all, cuda:N, cuda:N-M, host, host:N or "
                  "host:N@LINK=RATE, or a list of them",
                  name, meant.empty() ? "" : fmt::format("did you mean {}? ", meant)));
}

}  // namespace bench_transfers::bench
