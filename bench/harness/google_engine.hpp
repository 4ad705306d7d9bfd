#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

namespace bench_transfers::bench {

using run = benchmark::BenchmarkReporter::Run;

/// Runs `body` as the only benchmark of Google Benchmark's engine, with manual timing and the
/// process's CPU time, and returns its report. Each repetition registers its benchmark, because
/// Google Benchmark runs benchmarks in the order of registration and their order is random in each
/// round. Exceptions of `body` are rethrown here; they do not pass through Google Benchmark.
run run_in_engine(const std::string& name, std::size_t iterations,
                  const std::function<void(benchmark::State&)>& body);

}  // namespace bench_transfers::bench
