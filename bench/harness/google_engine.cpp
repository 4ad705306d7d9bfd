#include "bench/harness/google_engine.hpp"

#include <exception>
#include <stdexcept>
#include <vector>

namespace bench_transfers::bench {
namespace {

/// Stores the report of the engine's run.
class keeper final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& reported) override {
    runs.insert(runs.end(), reported.begin(), reported.end());
  }
  std::vector<run> runs;
};

}  // namespace

run run_in_engine(const std::string& name, std::size_t iterations,
                  const std::function<void(benchmark::State&)>& body) {
  std::exception_ptr failure;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& google) {
                                 try {
                                   body(google);
                                 } catch (...) {
                                   failure = std::current_exception();
                                   google.SkipWithError("failed");
                                 }
                               })
      ->Iterations(static_cast<benchmark::IterationCount>(iterations))
      ->Repetitions(1)
      ->UseManualTime()
      ->MeasureProcessCPUTime();
  keeper kept;
  benchmark::RunSpecifiedBenchmarks(&kept, nullptr, ".");
  if (failure) std::rethrow_exception(failure);
  if (kept.runs.size() != 1) throw std::logic_error("Google Benchmark did not run " + name);
  return kept.runs.front();
}

}  // namespace bench_transfers::bench
