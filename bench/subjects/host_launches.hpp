#pragma once

#include "launches.hpp"

namespace bench::subjects {

/// The host device's counterparts.
transfers::function empty_host_kernel(std::size_t arguments);
copying_kernel copy_pieces_on_host();

}  // namespace bench::subjects
