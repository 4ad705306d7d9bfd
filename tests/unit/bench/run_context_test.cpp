#include "bench/record/run_context.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/record/fleet_facts.hpp"
#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace bench_transfers::bench::run_context_test {
namespace {

/// What a result file says of two devices that pose as GPUs, the second of which has this state.
json context_with(std::optional<bool> observation::*state, std::optional<bool> value) {
  observation start;
  start.*state = value;

  transfers::counting_device device;
  auto posed = device.description();
  posed.cuda.emplace();
  device.counts().poses_as = posed;
  const buffers memory(device, 1);
  const std::vector<observed_device> devices{{device, memory, {}, "cuda:0"},
                                             {device, memory, start, "cuda:1"}};
  return make_context(devices, std::nullopt, settings{}, plan{}).at("transfers");
}

std::vector<json> warnings_of(const json& context, const std::string& code) {
  std::vector<json> warnings;
  for (const auto& warning : context.at("warnings"))
    if (warning.at("code") == code) warnings.push_back(warning);
  return warnings;
}

TEST(run_context, says_which_device_is_an_instance_or_encrypts_and_warns_of_no_other) {
  struct state {
    std::optional<bool> observation::*seen;
    std::string key, code, text;
  };
  for (const auto& [seen, key, code, text] :
       {state{&observation::is_instance, "mig", "mig_instance", "whole GPU's link"},
        state{&observation::is_confidential, "confidential_computing", "confidential_computing",
              "encrypted"}}) {
    SCOPED_TRACE(key);
    const auto context = context_with(seen, true);
    EXPECT_EQ(context.at("devices")[0].at(key), nullptr) << "not known";
    EXPECT_EQ(context.at("devices")[1].at(key), true);
    const auto warnings = warnings_of(context, code);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].at("data").at("device"), "cuda:1");
    EXPECT_THAT(warnings[0].at("text"), AllOf(HasSubstr("cuda:1"), HasSubstr(text)));
    EXPECT_THAT(warnings_of(context_with(seen, std::nullopt), code), IsEmpty());
    EXPECT_THAT(warnings_of(context_with(seen, false), code), IsEmpty());
  }
}

fleet::environment of(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(run_context, says_which_process_of_a_fleet_it_is) {
  const auto facts = fleet_facts(of({{"TRANSFERS_SWEEP", "monday"},
                                     {"OMPI_COMM_WORLD_RANK", "3"},
                                     {"OMPI_COMM_WORLD_SIZE", "8"}}));
  EXPECT_EQ(facts.at("sweep"), "monday");
  EXPECT_EQ(facts.at("launcher"), "open_mpi");
  EXPECT_EQ(facts.at("rank"), 3);
  EXPECT_EQ(facts.at("world_size"), 8);
  EXPECT_EQ(facts.at("node"), nullptr);
}

TEST(run_context, says_nothing_of_a_fleet_without_a_launcher) {
  EXPECT_EQ(fleet_facts(of({})), nullptr);
  EXPECT_EQ(fleet_facts(of({{"RANK", "first"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "0"}})),
            nullptr);
  EXPECT_EQ(fleet_facts(of({{"TRANSFERS_SWEEP", "monday"}})).at("rank"), nullptr);
}

}  // namespace
}  // namespace bench_transfers::bench::run_context_test
