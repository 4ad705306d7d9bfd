#pragma once

#include "transfers/fast/mailbox.hpp"

namespace transfers::detail {

/// echo_service for CUDA devices. Throws unsupported in a build without CUDA.
mailbox::service cuda_echo_service();

}  // namespace transfers::detail
