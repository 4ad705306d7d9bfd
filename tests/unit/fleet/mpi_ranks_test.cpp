#include "src/fleet/mpi/mpi_ranks.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::fleet::mpi_ranks_test {
namespace {

std::string why_unusable(const std::filesystem::path& plugin) {
  return common::complaint_of<mpi_error>([&] { const mpi_ranks ranks(plugin); }, "usable");
}

TEST(mpi_ranks, need_a_plugin_that_can_be_loaded) {
  EXPECT_THAT(why_unusable("no/such.so"),
              AllOf(HasSubstr("no/such.so"), HasSubstr("No such file")));
}

TEST(mpi_ranks, refuse_a_library_that_is_no_plugin) {
  EXPECT_THAT(why_unusable("libm.so.6"), HasSubstr("it has no bench_transfers_mpi_version"));
}

TEST(mpi_ranks, load_no_plugin_that_others_could_have_put_there) {
  const common::temporary_folder folder;
  const auto plugin = folder.path() / "plugin.so";
  std::ofstream(plugin) << "no library";
  chmod(plugin.c_str(), 0644);
  EXPECT_THAT(why_unusable(plugin), AllOf(HasSubstr("plugin.so: file too short")));
  chmod(folder.path().c_str(), 0777);
  EXPECT_THAT(why_unusable(plugin), HasSubstr("others may write to " + folder.path().string()));
  chmod(folder.path().c_str(), 0700);
  if (chown(plugin.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give files away";
  EXPECT_THAT(why_unusable(plugin), HasSubstr("belongs to user 65534"));
}

TEST(mpi_ranks, have_a_usual_plugin_under_mpirun_alone) {
  EXPECT_TRUE(usual_mpi_plugin("slurm").empty());
  EXPECT_TRUE(usual_mpi_plugin("").empty());
}

TEST(mpi_ranks, have_a_plugin_beside_the_program_or_where_it_is_installed) {
  namespace fs = std::filesystem;
  const common::temporary_folder scratch;
  const auto bin = scratch.path() / "bin";
  const auto installed = scratch.path() / "lib/bench_transfers/mpi";
  fs::create_directories(bin);
  fs::create_directories(installed);
  EXPECT_TRUE(usual_mpi_plugin("mpich", bin).empty());
  std::ofstream(installed / "libbench_transfers_mpi_mpich.so");
  EXPECT_EQ(usual_mpi_plugin("mpich", bin), installed / "libbench_transfers_mpi_mpich.so");
  EXPECT_TRUE(usual_mpi_plugin("open_mpi", bin).empty());
  const auto unpacked = scratch.path() / "bundle";
  EXPECT_TRUE(usual_mpi_plugin("mpich", unpacked).empty()) << "is of somebody else";
  std::ofstream(bin / "libbench_transfers_mpi_mpich.so");
  EXPECT_EQ(usual_mpi_plugin("mpich", bin), bin / "libbench_transfers_mpi_mpich.so");
}

}  // namespace
}  // namespace bench_transfers::fleet::mpi_ranks_test
