#include "bench/cli/choose_device.hpp"

#include <fmt/format.h>

#include <charconv>

#include "src/common/sizes.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

std::optional<int> cuda_index(std::string_view text) {
  constexpr std::string_view prefix = "cuda:";
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  int index = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || stopped != text.data() + text.size() || index < 0)
    return std::nullopt;
  return index;
}

}  // namespace

device_choice choose_device(const std::string& wanted) {
  if (wanted == "host") return {transfers::open_host_device(), std::nullopt};
  if (wanted == "auto") {
    const auto found = transfers::find_cuda();
    if (found.devices > 0) return {transfers::open_cuda_device(0), std::nullopt};
    return {transfers::open_host_device(),
            common::message{
                "no_gpu",
                {{"reason", found.why_none}},
                fmt::format("No GPU: {}. Measuring on the device 'host': the figures describe this "
                            "machine's memory, not a GPU link.",
                            found.why_none)}};
  }
  const auto index = cuda_index(wanted);
  if (!index)
    throw common::usage_error(fmt::format("bad device '{}': auto, cuda:N or host", wanted));
  try {
    return {transfers::open_cuda_device(*index), std::nullopt};
  } catch (const transfers::unsupported& absent) {
    throw common::usage_error(fmt::format("device {}: {}", wanted, absent.what()));
  }
}

}  // namespace bench_transfers::bench
