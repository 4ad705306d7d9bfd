#pragma once

/// The major version of these headers (semver.org).
#define TRANSFERS_VERSION_MAJOR 0
/// The minor version of these headers. Before 1.0 the next one may change the interface and the
/// binary interface.
#define TRANSFERS_VERSION_MINOR 1
/// The patch of these headers. The next one changes no interface.
#define TRANSFERS_VERSION_PATCH 0

/// The version of these headers as a number that grows: 10000 major + 100 minor + patch.
#define TRANSFERS_VERSION \
  (TRANSFERS_VERSION_MAJOR * 10000 + TRANSFERS_VERSION_MINOR * 100 + TRANSFERS_VERSION_PATCH)

namespace transfers {

/// Returns the version of the library that the program is linked to, in the form of
/// TRANSFERS_VERSION. Headers and library belong together if both are equal. Safe to call from any
/// thread.
[[nodiscard]] int version_number() noexcept;

/// Returns the version of the library that the program is linked to, for example "0.1.0". The text
/// is never freed. Safe to call from any thread.
[[nodiscard]] const char* version() noexcept;

}  // namespace transfers
