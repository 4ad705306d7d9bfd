#pragma once

#include "bench/subjects/launches.hpp"

namespace bench_transfers::bench::subjects {

/// The host device's counterparts.
transfers::function empty_host_kernel(std::size_t arguments);
copying_kernel copy_pieces_on_host();

}  // namespace bench_transfers::bench::subjects
