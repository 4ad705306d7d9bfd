#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/strategies/beside.hpp"
#include "bench/strategies/bulk_copy.hpp"
#include "bench/strategies/gpu_work.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench::company_strategies {
namespace {

/// What is timed in a benchmark.
struct companion {
  work_kind kind;
  work_priority priority;
};

/// Other benchmarks rely on the pattern.
void write_pattern_to(const payload& end, const job& task) {
  task.device.synchronize();
  const auto bytes = end.bytes + end.guard;
  if (end.on_device)
    write_pattern(task.device, end.data - end.offset, end.offset, bytes, task.memory.pattern());
  else
    write_host_pattern(end.data - end.offset, end.offset, bytes, task.memory.pattern());
}

ends ends_of(const job& task, const bulk_method& method) {
  if (method.within_device) return {device_payload(task, 0), device_payload(task, 1)};
  return bench::ends_of(task, method.memory, task.direction);
}

transfer prepare_beside(const job& task, const companion& timed, const bulk_method& method) {
  auto work = timed_gpu_work(task, timed.kind, timed.priority);
  const auto copy =
      std::make_shared<bulk_copy>(task, ends_of(task, method), task.direction, method);
  try {
    auto operation = timed_beside(
        task, std::move(work),
        repeated_call{[copy] { copy->run(); }, [copy] { return copy->find_damage(); }, task.bytes},
        [copy, &device = task.device] { return copy->occupied(device); });
    operation.source = copy->source();
    operation.destination = copy->destination();
    return operation;
  } catch (...) {
    write_pattern_to(copy->destination(), task);
    throw;
  }
}

std::vector<bulk_method> movers() {
  using transfers::scattered_route;
  std::vector<bulk_method> methods{
      {.name = "engine", .summary = "cudaMemcpyAsync and a wait"},
      {.name = "memcpy_pageable",
       .summary = "cudaMemcpy of pageable memory",
       .mover = bulk_mover::memcpy,
       .memory = transfers::pageable},
      {.name = "memcpy_pinned",
       .summary = "cudaMemcpy of pinned memory",
       .mover = bulk_mover::memcpy,
       .memory = transfers::pinned()},
      {.name = "staged",
       .summary = "the library's staged copies of pageable memory",
       .mover = bulk_mover::staged,
       .memory = transfers::pageable},
      {.name = "polite", .summary = "the library's polite copies", .mover = bulk_mover::polite},
      {.name = "polite_to_both",
       .summary = "the library's polite copies that spare other kernels, too",
       .mover = bulk_mover::polite,
       .others = transfers::yield_to::both},
      {.name = "prompt", .summary = "the library's prompt copies", .mover = bulk_mover::prompt},
      {.name = "loop",
       .summary = "a cudaMemcpyAsync for each of scattered blocks of 8 KiB",
       .mover = bulk_mover::scattered,
       .route = scattered_route::loop},
      {.name = "batch",
       .summary = "one cudaMemcpyBatchAsync of scattered blocks of 8 KiB",
       .mover = bulk_mover::scattered,
       .route = scattered_route::batch},
      {.name = "gather_kernel",
       .summary = "a kernel that accesses scattered blocks of 8 KiB in place",
       .mover = bulk_mover::scattered,
       .route = scattered_route::kernel},
      {.name = "sparing_gather_kernel",
       .summary = "the library's kernel for scattered blocks of 8 KiB that spares other kernels",
       .mover = bulk_mover::scattered,
       .route = scattered_route::sparing},
      {.name = "zero_copy",
       .summary = "a kernel on all multiprocessors that accesses host memory in place",
       .mover = bulk_mover::kernel,
       .blocks = std::numeric_limits<unsigned>::max()}};
  for (const unsigned blocks : {1U, 2U, 4U, 8U}) {
    const auto count = std::to_string(blocks);
    const std::string noun = blocks == 1 ? "block" : "blocks";
    methods.push_back(
        {.name = "zero_copy_" + count + "_" + noun,
         .summary = "a kernel of " + count + " " + noun + " that accesses host memory in place",
         .mover = bulk_mover::kernel,
         .blocks = blocks});
  }
  // Accesses no host memory: tells what a running kernel costs others by itself.
  methods.push_back({.name = "device_1_block",
                     .summary = "a kernel of 1 block that copies within device memory",
                     .mover = bulk_mover::kernel,
                     .blocks = 1,
                     .within_device = true});
  return methods;
}

const result_file::role role{"company", "work of a GPU while another thread copies",
                             result_file::table::times};

/// Adds the variants; those of higher priority are in the profile. `copies`: none for work alone.
void add_variants(strategy& added_to, const std::optional<bulk_method>& copies) {
  const bool has_directions = copies && !copies->within_device;
  const auto directions = has_directions ? both_directions() : std::vector<variant>(1);
  for (const auto priority : {work_priority::higher, work_priority::equal})
    for (const auto kind : {work_kind::memory_chain, work_kind::arithmetic_chain, work_kind::hbm,
                            work_kind::graph, work_kind::arithmetic_graph})
      for (auto added : directions) {
        const bool is_higher = priority == work_priority::higher;
        added.setting = to_string(kind) + (is_higher ? "" : "_equal_priority");
        added.name = *added.setting + (has_directions ? "/" + added.name : "");
        added.prepare = [timed = companion{kind, priority}, copies](const job& task) {
          if (copies) return prepare_beside(task, timed, *copies);
          return timed_beside(task, timed_gpu_work(task, timed.kind, timed.priority), std::nullopt);
        };
        if (is_higher) added_to.sampling.profiles["company"].push_back(added.name);
        added_to.variants.push_back(std::move(added));
      }
}

/// `copies`: none for work alone.
strategy strategy_for(const std::optional<bulk_method>& copies) {
  strategy result{.family = "company",
                  .parts = {method(copies ? copies->name : "idle")},
                  .summary = "short kernels, a long one or a graph " +
                             (copies ? "while another thread copies by " + copies->summary
                                     : std::string("while nobody copies")),
                  .role = role,
                  .plainness = 1,
                  .procedure = 2,  // of 1 the last call beside work went on without it
                  .shares_link = false,
                  .sampling = {.sized = copies.has_value(), .cold = false, .on_request = true}};
  add_variants(result, copies);
  if (!copies) return result;
  result.needs = {
      .host = copies->within_device ? std::nullopt : std::optional(copies->memory),
      .host_payloads = copies->host_payloads(),
      .device_payloads = copies->within_device ? 2U : 1U,
      .staged_copier = copies->mover == bulk_mover::staged,
      .why_unsupported = [](const transfers::device& /*device*/) { return why_no_calls_beside(); }};
  auto& sampling = result.sampling;
  sampling.smallest = std::size_t{64} << 10;
  sampling.largest = std::size_t{64} << 20;
  sampling.size_stride = 64;  // one size tells: that of the largest copies
  return result;
}

const struct company_strategies {
  company_strategies() {
    registration{strategy_for(std::nullopt)};
    for (const auto& mover : movers()) registration{strategy_for(mover)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::company_strategies
