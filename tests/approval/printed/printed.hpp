#pragma once

#include <fmt/format.h>

#include <string>

namespace bench_transfers::printed {

inline std::string titled(const std::string& title, const std::string& text) {
  return fmt::format("==== {}\n{}\n", title, text);
}

}  // namespace bench_transfers::printed

namespace bench_transfers::printed_gate {

/// To made-up checks: each thing that the gate can say.
std::string answers();

}  // namespace bench_transfers::printed_gate

namespace bench_transfers::printed_fleet {

/// About a made-up fleet: each thing that its reports can say.
std::string answers();

}  // namespace bench_transfers::printed_fleet

namespace bench_transfers::printed_doctor {

/// About every made-up machine.
std::string answers();

}  // namespace bench_transfers::printed_doctor
