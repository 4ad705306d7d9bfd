#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "transfers/host/emulated_link.hpp"

namespace bench_transfers::bench {

/// The emulated links of a list of devices, and the paths of devices over them.
class emulated_links {
 public:
  /// The path that "@gpu0=56GB/s@switch" means for a device: indices of links, none for "". Throws
  /// usage_error.
  std::vector<std::size_t> add_path(std::string_view text, std::string_view device);

  [[nodiscard]] const std::vector<transfers::link_description>& all() const { return links_; }

 private:
  /// The link that "LINK=RATE" defines or "LINK" refers to.
  std::size_t find(std::string_view text, std::string_view device);

  std::vector<transfers::link_description> links_;
};

}  // namespace bench_transfers::bench
