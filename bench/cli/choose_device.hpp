#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/common/message.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

struct device_choice {
  std::unique_ptr<transfers::device> chosen;
  std::optional<common::message> why_not_gpu;  ///< when "auto" found no GPU
};

/// "auto" (first GPU, otherwise the host), "cuda:N" or "host". Throws usage_error for anything else
/// and for a GPU that is not there.
device_choice choose_device(const std::string& wanted);

}  // namespace bench_transfers::bench
