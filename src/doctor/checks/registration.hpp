#pragma once

#include <initializer_list>

#include "src/doctor/facts.hpp"
#include "src/doctor/finding.hpp"

namespace bench_transfers::doctor::checks {

/// In the order of the report: first what costs most where it is found.
enum class topic {
  presence,
  rates,
  links,
  encryption,
  gpu,
  numa,
  translation,
  cpus,
  host,
  platform
};

/// Answers one question. It adds its own codes to the diagnosis, and no others; docs/DOCTOR.md
/// explains each code.
using check = void (*)(const facts& facts, diagnosis& diagnosis);

/// Adds checks to the doctor; a constant of their file.
struct registration {
  registration(topic about, std::initializer_list<check> checks);
};

}  // namespace bench_transfers::doctor::checks
