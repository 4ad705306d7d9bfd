#pragma once

#include <filesystem>
#include <string>

#include "src/doctor/finding.hpp"

namespace CLI {
class App;
}

namespace bench_transfers::bench {

/// The command line of `bench_transfers doctor`.
struct doctor_request {
  std::string device = "all";
  bool measure = false;
  std::filesystem::path json;  ///< empty: none
};

/// Adds the subcommand. Parsing fills in the request, which must outlive `app`.
CLI::App* add_doctor(CLI::App& app, doctor_request& request);

/// Examines this machine, prints why its transfers may be slow, and writes the same as JSON if that
/// is requested. Throws usage_error for devices and files that cannot be used, and
/// common::write_error.
doctor::verdict examine(const doctor_request& request);

}  // namespace bench_transfers::bench
