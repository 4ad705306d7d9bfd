// Strategies that only a GPU can run, measured and verified as the program does it.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/reserve.hpp"
#include "bench/harness/session.hpp"
#include "bench/strategy/pattern_file.hpp"
#include "bench/subjects/async_memory.hpp"
#include "bench/subjects/batch_copy.hpp"
#include "bench/subjects/waits.hpp"
#include "tests/basics.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/unit/bench/made_up_surroundings.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::strategies_test {
namespace {

/// Prints these values of the second repetitions.
void print_values(const json& rows, const std::vector<std::string>& keys) {
  for (const auto& row : rows) {
    if (row.at("repetition_index") != 1) continue;
    std::printf("%-55s", row.at("name").get<std::string>().c_str());
    for (const auto& key : keys) std::printf("  %s %.6g", key.c_str(), row.at(key).get<double>());
    std::printf("\n");
  }
}

class strategies_on_gpu : public transfers::on_gpu {
 protected:
  void set_up() override {
    chosen.own_sizes = true;
    chosen.rounds = 2;
    chosen.seed = 5;
    chosen.min_time = std::chrono::milliseconds(1);
  }

  /// The rows of a session. Expects that no benchmark fails and that the buffers are unchanged.
  json measure(std::vector<std::string> names, std::vector<std::size_t> sizes) {
    chosen.strategies = std::move(names);
    chosen.sizes = std::move(sizes);
    buffers memory(*gpu, chosen.seed);
    const auto all = registered_strategies();
    auto planned = make_plan(all, *gpu, chosen);
    reserve_buffers(planned, {{*gpu, memory}});
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

TEST_F(strategies_on_gpu, copy_by_graphs_managed_memory_and_direct_access_at_odd_sizes) {
  print_values(
      measure({"copy/graph", "copy/managed_prefetch", "copy/managed_fault", "copy/pageable_access"},
              {1, 15, 4099, mib + 3, 8 * mib}),
      {"median_ns", "gb_per_s"});
}

TEST_F(strategies_on_gpu, run_duplex_at_odd_sizes) {
  static_cast<void>(measure({"duplex"}, {mib + 3, 5 * mib + 1}));
}

TEST_F(strategies_on_gpu, run_duplex_and_tell_each_direction_together_and_alone) {
  if (gpu->description().cuda->copy_engines < 2) GTEST_SKIP() << "one copy engine";
  const auto rows = measure({"duplex"}, {256 * mib});
  EXPECT_THAT(rows, SizeIs(4 * 2));
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dump());
    const auto value = [&](const char* key) { return row.at(key).get<double>(); };
    std::printf("%-45s %7.2f GB/s in all; h2d %6.2f of %6.2f alone, d2h %6.2f of %6.2f\n",
                row.at("name").get<std::string>().c_str(), value("gb_per_s"), value("h2d_gb_per_s"),
                value("h2d_alone_gb_per_s"), value("d2h_gb_per_s"), value("d2h_alone_gb_per_s"));
    EXPECT_EQ(value("bytes"), 512 * mib);
    EXPECT_NEAR(value("gb_per_s") * value("both_ns") / (512 * mib), 1, 1e-6);
    for (const std::string side : {"h2d", "d2h", "h2d_alone", "d2h_alone"}) {
      const auto rate = value((side + "_gb_per_s").c_str());
      EXPECT_NEAR(rate * value((side + "_ns").c_str()) / (256 * mib), 1, 1e-6) << side;
    }
  }
}

TEST_F(strategies_on_gpu, run_duplex_on_two_engines_at_the_same_time) {
  if (gpu->description().cuda->copy_engines < 2) GTEST_SKIP() << "one copy engine";
  // One after the other they are as fast as one alone. Others on the link may disturb an attempt.
  constexpr double together = 1.2;
  double factor = 0;
  for (int attempt = 0; attempt < 4 && factor <= together; ++attempt)
    for (const auto& row : measure({"duplex/engines/pinned"}, {256 * mib})) {
      const auto rate = [&](const char* key) { return row.at(key).get<double>(); };
      const auto alone = std::max(rate("h2d_alone_gb_per_s"), rate("d2h_alone_gb_per_s"));
      factor = std::max(factor, rate("gb_per_s") / alone);
    }
  std::printf("both directions at once: %.2f times as fast as one alone\n", factor);
  EXPECT_GT(factor, together);
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

job download(transfers::device& device, buffers& memory, transfers::stream& stream,
             std::size_t bytes) {
  return {.device = device,
          .memory = memory,
          .stream = stream,
          .variant = "d2h",
          .bytes = bytes,
          .direction = transfers::direction::d2h};
}

TEST_F(strategies_on_gpu, that_wait_set_the_flag_that_they_name) {
  const auto current = gpu->make_current();
  buffers memory(*gpu, chosen.seed);
  memory.reserve_host(transfers::pinned(), mib);
  memory.reserve_device(mib);
  const auto stream = gpu->create_stream();
  const auto flag = [] {
    unsigned flags = 0;
    EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
    return flags & cudaDeviceScheduleMask;
  };
  const auto before = flag();
  const std::map<std::string, unsigned> flags{
      {"wait/spin", cudaDeviceScheduleSpin},
      {"wait/yield", cudaDeviceScheduleYield},
      {"wait/blocking_sync", cudaDeviceScheduleBlockingSync}};
  for (const auto& strategy : registered_strategies()) {
    const auto expected = flags.find(strategy.name());
    if (expected == flags.end()) continue;
    SCOPED_TRACE(strategy.name());
    const auto operation = strategy.prepare(download(*gpu, memory, *stream, mib));
    {
      const auto conditions = operation.timing.conditions();
      operation.timing.between();
      EXPECT_EQ(flag(), expected->second);
      operation.against.at(0).before();
      EXPECT_EQ(flag(), before);
      operation.timing.between();
    }
    EXPECT_EQ(flag(), before);
  }
}

/// The CPU time of this thread while `wait` waits for work that takes a while. A thread that sleeps
/// has none, however busy the machine is.
std::chrono::nanoseconds cpu_time_of(transfers::stream& stream, const std::function<void()>& wait) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  stream.synchronize();
  stream.call([] { std::this_thread::sleep_for(300ms); });
  const auto begin = now();
  wait();
  return now() - begin;
}

TEST_F(strategies_on_gpu, that_wait_asleep_take_no_cpu_time) {
  const auto current = gpu->make_current();
  const auto stream = gpu->create_stream();
  const auto wait = [&] { stream->synchronize(); };
  EXPECT_LT(cpu_time_of(*stream, subjects::blocking_event_wait(*gpu, *stream)), 100ms);
  const auto blocking =
      subjects::schedule_by(subjects::flags_of(*gpu), subjects::schedule_flag::blocking_sync);
  blocking.choose();
  const auto asleep = cpu_time_of(*stream, wait);
  blocking.restore();
  EXPECT_LT(asleep, 100ms);
  std::printf(
      "300 ms: asleep by the flag %.1f ms of CPU time, by the flags of the device %.1f ms\n",
      static_cast<double>(asleep.count()) / 1e6,
      static_cast<double>(cpu_time_of(*stream, wait).count()) / 1e6);
}

TEST_F(strategies_on_gpu, that_wait_return_when_the_data_have_arrived) {
  const auto current = gpu->make_current();
  constexpr std::size_t bytes = 16 * mib;
  buffers memory(*gpu, chosen.seed);
  memory.reserve_host(transfers::pinned(), bytes);
  memory.reserve_device(bytes);
  const auto stream = gpu->create_stream();
  for (const auto& strategy : registered_strategies()) {
    if (strategy.family != "wait") continue;
    SCOPED_TRACE(strategy.name());
    const auto operation = strategy.prepare(download(*gpu, memory, *stream, bytes));
    ASSERT_FALSE(operation.destination->on_device);
    auto* const arrived = operation.destination->data;
    for (int again = 0; again < 5; ++again) {
      std::memset(arrived, 0, bytes);
      const auto conditions = operation.timing.conditions ? operation.timing.conditions() : nullptr;
      if (operation.timing.between) operation.timing.between();
      for (const auto& step : operation.steps) step.run();
      // The last bytes arrive last.
      const auto last = check_host_pattern(arrived, bytes - mib, mib, memory.pattern());
      EXPECT_EQ(last.wrong_bytes, 0U);
      EXPECT_EQ(check_host_pattern(arrived, 0, bytes, memory.pattern()).wrong_bytes, 0U);
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
  print_values(measure({"wait"}, {4 * 1024, mib + 3, 64 * mib}),
               {"median_ns", "over_synchronize_ns", "cores"});

  EXPECT_EQ(flags(), before);
}

TEST_F(strategies_on_gpu, copy_with_each_source_access_order_at_odd_sizes) {
  print_values(measure({"copy_batch"}, {1, 4099, 16 * mib + 1}), {"enqueue_ns", "median_ns"});
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
  print_values(measure(names, {mib + 3, 16 * mib + 1}), {"gb_per_s"});
}

TEST_F(strategies_on_gpu, that_read_a_source_during_the_call_or_in_the_order_of_the_stream) {
  const auto current = gpu->make_current();
  constexpr std::size_t bytes = 32 * mib;
  const auto pinned = gpu->allocate_host(bytes, transfers::pinned());
  const auto pageable = gpu->allocate_host(bytes, transfers::pageable);
  const auto on_device = gpu->allocate(bytes);
  const auto stream = gpu->create_stream();
  const bench::pattern first{1}, second{2};
  const auto arrived = [&](const bench::pattern& expected) {
    stream->synchronize();
    return check_pattern(*gpu, on_device.data(), 0, bytes, expected).wrong_bytes == 0;
  };
  for (const auto* const memory : {&pinned, &pageable}) {
    SCOPED_TRACE(to_string(memory->kind()));
    const auto copy = [&](subjects::source_access_order order) {
      return subjects::batched_copy(
          *gpu, *stream, {on_device.data(), memory->data(), bytes, transfers::direction::h2d},
          order);
    };
    write_host_pattern(memory->data(), 0, bytes, first);
    copy(subjects::source_access_order::during_api_call)();
    write_host_pattern(memory->data(), 0, bytes, second);
    EXPECT_TRUE(arrived(first)) << "the source was read after the call";
    // Earlier work of the stream writes the source; the driver may read pageable memory in the
    // call.
    if (memory != &pinned) continue;
    const auto filled = gpu->allocate(bytes);
    write_pattern(*gpu, filled.data(), 0, bytes, first);
    gpu->synchronize();
    stream->copy(memory->data(), filled.data(), bytes, transfers::direction::d2h);
    copy(subjects::source_access_order::stream)();
    EXPECT_TRUE(arrived(first)) << "the source was read before earlier work of the stream";
  }
}

TEST_F(strategies_on_gpu, allocate_from_pools_of_host_memory_that_the_device_can_access) {
  std::vector<std::string> names;
  for (const auto* const pool :
       {"host_pool", "host_pool_warm", "host_pool_numa", "host_pool_numa_warm"})
    for (const auto* const family : {"allocate/", "free/"})
      names.push_back(family + std::string(pool));
  print_values(measure(names, {4 * 1024, mib + 3, 64 * mib}), {"median_ns"});

  const auto current = gpu->make_current();
  const auto stream = gpu->create_stream();
  const auto on_device = gpu->allocate(mib);
  const bench::pattern sent{3};
  for (const auto memory : {subjects::pooled_memory::host, subjects::pooled_memory::host_numa}) {
    const auto block =
        subjects::async_allocator(*gpu, *stream, memory, subjects::freed_memory::kept)(mib);
    write_host_pattern(block.get(), 0, mib, sent);
    stream->copy(on_device.data(), block.get(), mib, transfers::direction::h2d);
    stream->synchronize();
    EXPECT_EQ(check_pattern(*gpu, on_device.data(), 0, mib, sent).wrong_bytes, 0U);
    write_pattern(*gpu, on_device.data(), 0, mib, {});
    stream->copy_by_kernel(on_device.data(), block.get(), mib);
    stream->synchronize();
    EXPECT_EQ(check_pattern(*gpu, on_device.data(), 0, mib, sent).wrong_bytes, 0U);
  }
}

TEST_F(strategies_on_gpu, access_memory_after_a_transfer) {
  print_values(measure({"cpu/pinned/after_transfer"}, {4096, 64 * 1024, mib, 16 * mib}),
               {"median_ns", "again_ns"});
}

TEST_F(strategies_on_gpu, pass_parameters_of_every_size) {
  print_values(measure({"launch/parameters"}, {1, 3, 1001, 4 * 1024, 16 * 1024, 32735, 32736}),
               {"median_ns", "copy_and_launch_ns"});
}

/// Work and the other thread's calls, which are verified. Times are printed, not judged.
void print_both_sides(const json& rows) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dump());
    const auto us = [&](const char* key) { return row.at(key).get<double>() / 1e3; };
    const std::string name = row.at("name");
    ASSERT_GT(row.at("operations"), 2);
    const bool is_beside = name.find("/idle/") == std::string::npos;
    ASSERT_EQ(row.contains("work_alone_ns"), is_beside);
    if (is_beside) {
      EXPECT_GT(row.at("calls_beside"), 0);
    }
    std::printf("%-60s p50 %10.3f us, alone %10.3f us, %6.1f GB/s\n", name.c_str(), us("median_ns"),
                is_beside ? us("work_alone_ns") : us("median_ns"),
                row.value("copies_gb_per_s", 0.0));
  }
}

TEST_F(strategies_on_gpu, time_work_beside_copies_by_each_mover) {
  chosen.rounds = 1;
  std::vector<std::string> names{"company/idle", "company/engine"};
  for (const auto& known : registered_strategies())
    if (known.family == "company" && !why_unsupported(known, *gpu))
      for (const auto* const work : {"/memory_chain", "/hbm_equal_priority"})
        names.push_back(known.name() + work);
  print_both_sides(measure(names, {mib, 4 * mib + 3}));
}

TEST_F(strategies_on_gpu, time_work_beside_calls_that_others_make) {
  chosen.rounds = 1;
  std::vector<std::string> names;
  for (const auto& known : registered_strategies())
    if (known.family == "blocked" && !why_unsupported(known, *gpu)) names.push_back(known.name());
  EXPECT_THAT(names, Contains("blocked/malloc_async/1MiB"));
  // Where the driver has no NVML, that is said when the benchmark is prepared.
  std::erase(names, "blocked/nvml_read");
  print_both_sides(measure(names, {mib}));
}

TEST_F(strategies_on_gpu, page_lock_memory_beside_calls_that_are_due) {
  chosen.rounds = 1;
  std::vector<std::string> names{"stalls"};
  if (gpu->why_unsupported(transfers::registered_huge))
    names = {"stalls/pinned", "stalls/16_pieces/pinned"};
  for (const auto& row : measure(names, {256 * mib})) {
    SCOPED_TRACE(row.dump());
    std::printf("%-60s %10.3f ms, a launch waits %10.3f ms\n",
                row.at("name").get<std::string>().c_str(), row.at("median_ns").get<double>() / 1e6,
                row.value("longest_launch_ns", 0.0) / 1e6);
  }
}

TEST_F(strategies_on_gpu, make_small_copies_beside_bulk_copies) {
  chosen.rounds = 1;  // there are 72 benchmarks
  for (const auto& row : measure({"interference"}, {64 * mib + 1})) {
    SCOPED_TRACE(row.dump());
    const auto value = [&](const char* key) { return row.at(key).get<double>() / 1e3; };
    const std::string name = row.at("name");
    const bool is_beside = name.find("/idle/") == std::string::npos;
    ASSERT_EQ(row.contains("bulk_copies"), is_beside);
    std::printf("%-60s p50 %10.3f us, p99 %10.3f us, %5.1f %% lost\n", name.c_str(),
                value("median_ns"), value("small_p99_ns"),
                is_beside ? row.at("bulk_loss_percent").get<double>() : 0.0);
  }
}

}  // namespace
}  // namespace bench_transfers::bench::strategies_test
