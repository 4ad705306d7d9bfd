#include "src/fleet/mpi/mpi_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench_transfers::fleet::mpi_ranks_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string why_unusable(const std::filesystem::path& plugin) {
  try {
    const mpi_ranks ranks(plugin);
  } catch (const mpi_error& error) {
    return error.what();
  }
  return "usable";
}

TEST(mpi_ranks, need_a_plugin_that_can_be_loaded) {
  EXPECT_THAT(why_unusable("no/such.so"), AllOf(HasSubstr("no/such.so"), HasSubstr("cannot open")));
}

TEST(mpi_ranks, refuse_a_library_that_is_no_plugin) {
  EXPECT_THAT(why_unusable("libm.so.6"), HasSubstr("it has no bench_transfers_mpi_version"));
}

TEST(mpi_ranks, have_a_usual_plugin_under_mpirun_alone) {
  EXPECT_TRUE(usual_mpi_plugin("slurm").empty());
  EXPECT_TRUE(usual_mpi_plugin("").empty());
}

}  // namespace
}  // namespace bench_transfers::fleet::mpi_ranks_test
