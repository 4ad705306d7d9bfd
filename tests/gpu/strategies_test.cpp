// Strategies that only a GPU can run, measured and verified as the program does it.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/session.hpp"
#include "bench/strategy/pattern_file.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/unit/bench/made_up_surroundings.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::strategies_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class strategies_on_gpu : public transfers::on_gpu {
 protected:
  void SetUp() override {
    transfers::on_gpu::SetUp();
    if (IsSkipped()) return;
    chosen.own_sizes = true;
    chosen.rounds = 2;
    chosen.seed = 5;
    chosen.min_time = std::chrono::milliseconds(1);
  }

  /// The rows of a session. Expects that no benchmark fails and that the buffers are unchanged.
  nlohmann::ordered_json measure(std::vector<std::string> names, std::vector<std::size_t> sizes) {
    chosen.strategies = std::move(names);
    chosen.sizes = std::move(sizes);
    buffers memory(*gpu, chosen.seed);
    const auto all = registered_strategies();
    auto planned = make_plan(all, *gpu, chosen);
    reserve_buffers(planned, *gpu, memory);
    for (const auto& benchmark : planned.skipped) {
      std::printf("skipped %s: %s\n", benchmark.name.c_str(), benchmark.reason.text.c_str());
      EXPECT_THAT(benchmark.reason.text, HasSubstr("cudaDevAttr")) << benchmark.name;
    }
    result_file::writer rows("", {{"transfers", nullptr}});
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(std::tmpfile(), std::fclose);
    progress shown(log.get());
    const made_up_surroundings around;
    const auto result = session({{*gpu, memory}}, chosen, rows, shown, around).measure(planned);
    for (const auto& [name, reason] : result.failures) ADD_FAILURE() << name << ": " << reason.text;
    EXPECT_THAT(result.skipped, IsEmpty());
    for (const auto& [kind, block] : memory.all_host())
      EXPECT_EQ(check_host_pattern(block.data(), 0, block.size(), memory.pattern()).wrong_bytes, 0U)
          << to_string(kind);
    if (!memory.all_host().empty()) {
      const auto& block = memory.on_device();
      EXPECT_EQ(check_pattern(*gpu, block.data(), 0, block.size(), memory.pattern()).wrong_bytes,
                0U);
    }
    return rows.content().at("benchmarks");
  }

  settings chosen;
};

constexpr std::size_t mib = std::size_t{1} << 20;

TEST_F(strategies_on_gpu, copy_by_graphs_managed_memory_and_direct_access_at_odd_sizes) {
  const auto rows =
      measure({"copy/graph", "copy/managed_prefetch", "copy/managed_fault", "copy/pageable_access"},
              {1, 15, 4099, mib + 3, 8 * mib});
  for (const auto& row : rows)
    if (row.at("repetition_index") == 1)
      std::printf("%-40s %10.3f us %8.3f GB/s\n", row.at("name").get<std::string>().c_str(),
                  row.at("median_ns").get<double>() / 1e3, row.at("gb_per_s").get<double>());
}

TEST_F(strategies_on_gpu, run_duplex_at_odd_sizes) {
  static_cast<void>(measure({"duplex"}, {mib + 3, 5 * mib + 1}));
}

TEST_F(strategies_on_gpu, run_duplex_faster_than_one_direction) {
  if (gpu->description().cuda->copy_engines < 2) GTEST_SKIP() << "one copy engine";
  const auto rows = measure({"duplex"}, {256 * mib});
  EXPECT_THAT(rows, testing::SizeIs(4 * 2));
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dump());
    const auto value = [&](const char* key) { return row.at(key).get<double>(); };
    std::printf("%-45s %7.2f GB/s in all; h2d %6.2f of %6.2f alone, d2h %6.2f of %6.2f\n",
                row.at("name").get<std::string>().c_str(), value("gb_per_s"), value("h2d_gb_per_s"),
                value("h2d_alone_gb_per_s"), value("d2h_gb_per_s"), value("d2h_alone_gb_per_s"));
    const bool by_engines = row.at("name").get<std::string>().starts_with("duplex/engines/");
    EXPECT_GT(value("gb_per_s"), (by_engines ? 1.2 : 1.0) * value("h2d_alone_gb_per_s"));
    // Neither direction is faster than alone, apart from variation.
    EXPECT_LT(value("h2d_gb_per_s"), 1.03 * value("h2d_alone_gb_per_s"));
    EXPECT_LT(value("d2h_gb_per_s"), 1.03 * value("d2h_alone_gb_per_s"));
  }
}

TEST_F(strategies_on_gpu, that_copy_by_kernels_report_their_multiprocessors) {
  const auto all = gpu->description().cuda->multiprocessors;
  for (const auto& row :
       measure({"zero_copy/pinned_mapped", "duplex", "copy/pinned"}, {64 * mib})) {
    const std::string name = row.at("name");
    const bool by_kernel = name.find("kernel") != std::string::npos || name.starts_with("zero");
    ASSERT_EQ(row.contains("multiprocessors"), by_kernel) << name;
    if (by_kernel) {
      EXPECT_EQ(row.at("multiprocessors"), all) << name;
    }
  }
}

TEST_F(strategies_on_gpu, wait_by_each_method_and_leave_the_flags_of_the_device_as_they_were) {
  const auto flags = [this] {
    const auto current = gpu->make_current();
    unsigned value = 0;
    EXPECT_EQ(cudaGetDeviceFlags(&value), cudaSuccess);
    return value;
  };
  const auto before = flags();
  for (const auto& row : measure({"wait"}, {4 * 1024, mib + 3, 64 * mib})) {
    if (row.at("repetition_index") == 1)
      std::printf("%-32s %10.3f us, %+10.3f over synchronize, %5.2f cores\n",
                  row.at("name").get<std::string>().c_str(),
                  row.at("median_ns").get<double>() / 1e3,
                  row.at("over_synchronize_ns").get<double>() / 1e3, row.at("cores").get<double>());
  }
  EXPECT_EQ(flags(), before);
}

TEST_F(strategies_on_gpu, copy_with_each_source_access_order_at_odd_sizes) {
  for (const auto& row : measure({"copy_batch"}, {1, 4099, 16 * mib + 1})) {
    if (row.at("repetition_index") == 1)
      std::printf(
          "%-50s returns after %10.3f us of %10.3f\n", row.at("name").get<std::string>().c_str(),
          row.at("enqueue_ns").get<double>() / 1e3, row.at("median_ns").get<double>() / 1e3);
  }
}

TEST_F(strategies_on_gpu, copy_files_of_odd_sizes) {
  std::vector<std::string> names{"file/mmap/warm", "file/mmap_staged/warm", "file/pread/warm"};
  pattern_file probe(folder_of_temporary_files(), {1, false});
  probe.extend(mib);
  try {
    probe.make_warm(mib);
    probe.make_cold(mib);
    names.insert(names.end(), {"file/mmap/cold", "file/mmap_staged/cold", "file/pread/cold"});
  } catch (const transfers::unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
  if (const auto reason = probe.why_not_past_cache())
    std::printf("not past the page cache: %s\n", reason->c_str());
  else
    names.insert(names.end(), {"file/direct", "file/either/warm", "file/either/cold"});
  for (const auto& row : measure(names, {mib + 3, 16 * mib + 1})) {
    if (row.at("repetition_index") == 1)
      std::printf("%-40s %8.3f GB/s\n", row.at("name").get<std::string>().c_str(),
                  row.at("gb_per_s").get<double>());
  }
}

TEST_F(strategies_on_gpu, pass_parameters_of_every_size) {
  for (const auto& row :
       measure({"launch/parameters"}, {1, 3, 1001, 4 * 1024, 16 * 1024, 32735, 32736})) {
    if (row.at("repetition_index") == 1)
      std::printf("%-32s %10.3f us, copied %10.3f\n", row.at("name").get<std::string>().c_str(),
                  row.at("median_ns").get<double>() / 1e3,
                  row.at("copy_and_launch_ns").get<double>() / 1e3);
  }
}

TEST_F(strategies_on_gpu, make_small_copies_beside_bulk_copies) {
  for (const auto& row : measure({"interference"}, {64 * mib + 1})) {
    SCOPED_TRACE(row.dump());
    EXPECT_GT(row.at("small_copies"), 0);
    if (row.at("repetition_index") == 1)
      std::printf(
          "%-60s %10.3f us of %8.3f alone, %5.1f %% outlasting, %5.1f %% lost\n",
          row.at("name").get<std::string>().c_str(), row.at("small_p50_ns").get<double>() / 1e3,
          row.at("small_alone_p50_ns").get<double>() / 1e3,
          row.at("outlasting_percent").get<double>(), row.at("bulk_loss_percent").get<double>());
  }
}

}  // namespace
}  // namespace bench_transfers::bench::strategies_test
