#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

namespace bench_transfers::bench {

using run = benchmark::BenchmarkReporter::Run;

/// Runs `body` as the one benchmark of Google Benchmark's engine, timed by hand and with the
/// process's CPU time, and returns its report. Benchmarks run in a new random order in each round,
/// and Google Benchmark runs in the order of registration: so each is registered for its
/// repetition. What `body` throws is thrown here; it does not pass through Google Benchmark.
run run_in_engine(const std::string& name, std::size_t iterations,
                  const std::function<void(benchmark::State&)>& body);

}  // namespace bench_transfers::bench
