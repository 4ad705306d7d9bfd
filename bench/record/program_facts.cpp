#include "bench/record/program_facts.hpp"

#include <chrono>

#include "provenance.hpp"
#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/machine/machine.hpp"

namespace bench_transfers::bench {
namespace {

nlohmann::ordered_json identity() {
  return {{"version", provenance::version},
          {"git_commit", common::or_null(provenance::git_commit)}};
}

}  // namespace

nlohmann::ordered_json program_facts() {
  auto facts = identity();
  facts.update({{"compiler", provenance::compiler},
                {"build_type", provenance::build_type},
                {"cuda_toolkit", common::or_null(provenance::cuda_toolkit)},
                {"cuda_architectures", common::or_null(provenance::cuda_architectures)}});
  return facts;
}

nlohmann::ordered_json program_in_document() {
  auto facts = identity();
  facts.update({{"date", utc_now()}, {"host_name", common::or_null(machine::host_name())}});
  return facts;
}

std::string utc_now() {
  return common::timestamp_text(
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

}  // namespace bench_transfers::bench
