#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategies/bulk_copy.hpp"
#include "bench/strategies/small_beside_bulk.hpp"
#include "bench/strategies/small_copies.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/transfers/core/units.hpp"

namespace bench_transfers::bench::interference_strategies {
namespace {

using transfers::detail::kib;
using transfers::detail::mib;

constexpr struct small_size {
  const char* name;
  std::size_t bytes;
} small_sizes[]{{"4KiB", 4 * kib}, {"50KiB", 50 * kib}};

bulk_method in_chunks(unsigned mib_each, bool kernels) {
  return {.name = fmt::format("{}MiB_chunks{}", mib_each, kernels ? "_and_kernels" : ""),
          .summary = fmt::format("chunks of {} MiB,{} two in flight", mib_each,
                                 kernels ? " an empty kernel behind each," : ""),
          .calls = fmt::format("for (size_t at = 0, i = 0; at < bulk_bytes; at += {0} << 20, ++i)\n"
                               "  copy_chunk_after(done[i % 2], ${{bulk_device|bulk_host}} + at, "
                               "${{bulk_host|bulk_device}} + at, {0} << 20, stream){1};\n",
                               mib_each, kernels ? ", empty_kernel<<<1, 1, 0, stream>>>()" : ""),
          .chunk_bytes = mib_each * mib,
          .kernels_between = kernels};
}

const std::vector<bulk_method>& bulk_methods() {
  static const std::string polite =
      "transfers::polite_copier polite(gpu);\n"
      "polite.enqueue(gpu_stream, ${bulk_device|bulk_host}, ${bulk_host|bulk_device}, bulk_bytes, "
      "transfers::direction::${h2d|d2h}";
  static const std::vector<bulk_method> methods{
      {.name = "engine",
       .summary = "one cudaMemcpyAsync",
       .calls = "cudaMemcpyAsync(${bulk_device|bulk_host}, ${bulk_host|bulk_device}, bulk_bytes, "
                "cudaMemcpyDefault, stream);\n"},
      in_chunks(4, false),
      in_chunks(1, false),
      in_chunks(32, true),
      {.name = "kernel",
       .summary = "a kernel of 16 thread blocks",
       .calls = "kernel<<<16, threads, 0, stream>>>(${bulk_device|bulk_host}, "
                "${bulk_host|bulk_device}, bulk_bytes);\n",
       .mover = bulk_mover::kernel,
       .blocks = 16},
      {.name = "polite",
       .summary = "the library's kernel, which lets others in",
       .calls = polite + ");\n",
       .mover = bulk_mover::polite},
      {.name = "polite_to_both",
       .summary = "the library's kernel that also spares other kernels",
       .calls = polite + ", transfers::yield_to::both);\n",
       .mover = bulk_mover::polite,
       .others = transfers::yield_to::both}};
  return methods;
}

const std::vector<small_kind>& small_methods() {
  static const std::string urgent =
      "cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, highest);\n";
  static const std::string wait = "cudaStreamSynchronize(urgent);";
  static const std::vector<small_kind> methods{
      {.name = "memcpy",
       .summary = "cudaMemcpyAsync",
       .calls =
           urgent +
           "cudaMemcpyAsync($[device|host], $[host|device], bytes, cudaMemcpyDefault, urgent);\n" +
           wait},
      {.name = "kernel",
       .summary = "a kernel that accesses mapped memory",
       .calls =
           urgent +
           "kernel<<<blocks, threads, 0, urgent>>>($[device|mapped], $[mapped|device], bytes);\n" +
           wait,
       .mover = small_mover::kernel},
      {.name = "prompt",
       .summary = "the library's copy that does not wait, of pageable memory",
       .calls =
           "transfers::prompt_copier prompt(gpu);\n"
           "prompt.copy($[device|host], $[host|device], bytes, transfers::direction::$[h2d|d2h]);",
       .mover = small_mover::prompt}};
  return methods;
}

const result_file::role role{"interference", "small copies while a bulk copy is under way",
                             result_file::table::times};

/// All sizes and directions of small copies by one method, beside no bulk copy ("50KiB_h2d") or
/// beside one ("d2h/50KiB_h2d").
std::vector<variant> variants_of(const small_kind& small, const std::optional<bulk_method>& bulk) {
  std::vector<variant> variants;
  for (const auto& beside : bulk ? both_directions() : std::vector<variant>(1))
    for (const auto& small_direction : both_directions())
      for (const auto& [name, bytes] : small_sizes) {
        small_beside_bulk kind{small, bulk};
        kind.small.bytes = bytes;
        kind.small.direction = direction_of(*small_direction.direction);
        auto& added = variants.emplace_back(small_direction);
        added.name = std::string(name) + "_" + small_direction.name;
        added.setting = std::string(name) + "_by_" + small.name;
        if (bulk) {
          kind.bulk_direction = direction_of(*beside.direction);
          added.name = beside.name + "/" + added.name;
          *added.setting += "_beside_" + beside.name;
          added.beside = beside.direction;
        }
        added.prepare = [kind](const job& task) { return prepare_beside_bulk(task, kind); };
      }
  return variants;
}

std::optional<std::string> why_not_beside(const transfers::device& device) {
  if (device.description().cuda) return std::nullopt;
  return why_not_at_once("a thread makes the bulk copy and another one the small copies");
}

strategy strategy_for(const small_kind& small, const std::optional<bulk_method>& bulk) {
  const auto beside =
      bulk ? ", during a bulk copy by " + bulk->summary : std::string(", with no bulk copy");
  // Both ends of the small copies.
  constexpr auto largest = std::ranges::max(small_sizes, {}, &small_size::bytes);
  constexpr auto memory_of_small = 2 * small_copies::places * largest.bytes;
  strategy result{
      .family = "interference",
      .parts = {method(bulk ? bulk->name : "idle"), setting(small.name)},
      .summary = "small copies by " + small.summary + " on a stream of high priority" + beside,
      .calls = (bulk ? bulk->calls : "") + small.calls,
      .variants = variants_of(small, bulk),
      .role = role,
      .plainness = 1,
      .memory = to_string(small.memory()),
      .procedure = 2,
      .shares_link = false,
      .needs = {.fixed_host_memory = memory_of_small,
                .why_unsupported =
                    [kind = small.memory()](const transfers::device& device) {
                      const auto reason = device.why_unsupported(kind);
                      return reason ? reason : why_not_beside(device);
                    }},
      .sampling = {.sized = bulk.has_value(), .cold = false, .on_request = true}};
  if (bulk) {
    result.needs.host = bulk_method::mapped();
    // Shorter copies end before a small one has begun. One size tells: that of the largest copies.
    result.sampling.smallest = 16 * mib;
    result.sampling.largest = 1024 * mib;
    result.sampling.size_stride = 64;
  }
  return result;
}

const struct interference_strategies {
  interference_strategies() {
    for (const auto& small : small_methods()) {
      registration{strategy_for(small, std::nullopt)};
      for (const auto& bulk : bulk_methods()) registration{strategy_for(small, bulk)};
    }
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::interference_strategies
