#include "src/machine/cuda_release.hpp"

#include "src/machine/files.hpp"

namespace bench_transfers::machine {

std::string to_string(const cuda_release& release) {
  return std::to_string(release.major) + "." + std::to_string(release.minor);
}

std::optional<cuda_release> parse_cuda_release(std::string_view text) {
  const auto point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const auto major = parse_count(text.substr(0, point));
  const auto minor = parse_count(text.substr(point + 1));
  if (!major || !minor) return std::nullopt;
  return cuda_release{*major, *minor};
}

}  // namespace bench_transfers::machine
