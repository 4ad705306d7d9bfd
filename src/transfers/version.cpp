#include "transfers/version.hpp"

#define TRANSFERS_TEXT_OF(value) #value
#define TRANSFERS_DOTTED(major, minor, patch) \
  TRANSFERS_TEXT_OF(major) "." TRANSFERS_TEXT_OF(minor) "." TRANSFERS_TEXT_OF(patch)

namespace transfers {

int version_number() noexcept { return TRANSFERS_VERSION; }

const char* version() noexcept {
  return TRANSFERS_DOTTED(TRANSFERS_VERSION_MAJOR, TRANSFERS_VERSION_MINOR,
                          TRANSFERS_VERSION_PATCH);
}

}  // namespace transfers
