#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/launch/source_module.hpp"

namespace bench_transfers::bench::first_call_strategies {
namespace {

/// Measures the first calls: stream, pool and pinned memory are new each time.
transfer new_context(const job& task, transfers::host_memory_kind kind) {
  struct shared_state {
    transfers::device& device;
    std::span<const std::byte> source;
    std::optional<transfers::context> context;
    std::optional<transfers::gpu_array<std::byte>> array;
    void upload() {
      array.reset();
      array = to_gpu(*context, source);
    }
  };
  const auto source = host_payload(task, kind);
  const auto state = std::make_shared<shared_state>(
      shared_state{task.device, {source.data, source.bytes}, {}, {}});
  transfer result;
  result.source = source;
  // Destroys the previous operation's objects: the array must stay until it has been verified.
  result.steps = {{"destroy",
                   [state] {
                     state->array.reset();
                     state->context.reset();
                   }},
                  {"create", [state] { state->context.emplace(state->device); }},
                  {"first", [state] { state->upload(); }},
                  {"second", [state] { state->upload(); }}};
  result.locate = [state] { return own_payload(state->array); };
  return result;
}

transfer new_module(const job& task) {
  struct shared_state {
    transfers::device& device;
    transfers::stream& stream;
    std::optional<transfers::source_module> module;
    std::optional<transfers::prepared_function<float*>> nothing;
    void launch() const {
      (*nothing)(stream, {}, nullptr);
      stream.synchronize();
    }
  };
  const auto state = std::make_shared<shared_state>(
      shared_state{task.device, task.stream, std::nullopt, std::nullopt});
  transfer result;
  result.steps = {{"compile_and_load",
                   [state] {
                     state->module.emplace(state->device, "__global__ void nothing(float* a) {}");
                     state->nothing.emplace(state->module->get_function<float*>("nothing"));
                   }},
                  {"first", [state] { state->launch(); }},
                  {"second", [state] { state->launch(); }},
                  {"unload", [state] {
                     state->nothing.reset();
                     state->module.reset();
                   }}};
  return result;
}

const registration contexts(host_memory_family{
    .common = {.family = "first_call",
               .parts = {method("new_context")},
               .summary = "a new stream and pool, its first and its second to_gpu",
               .variants = named({"to_gpu"}),
               .role = roles::first_call,
               .direction = result_file::direction::h2d,
               .shares_link = false,  // the transfer takes a small part of its time
               .sampling = {.smallest = 4, .largest = std::size_t{256} << 20, .cold = false}},
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = new_context});

const registration modules(strategy{
    .family = "first_call",
    .parts = {method("source_module")},
    .summary = "a kernel compiled from source text, its first and its second launch",
    .variants = named({"launch"}),
    .role = roles::first_call,
    .prepare = new_module,
    .needs = {.cuda = cuda_with::kernel_parameters,
              .why_unsupported = [](const transfers::device& device) -> std::optional<std::string> {
                if (!device.description().cuda)
                  return "kernels from source text need a CUDA device";
                return transfers::why_no_compiler();
              }},
    .sampling = {.sized = false}});

}  // namespace
}  // namespace bench_transfers::bench::first_call_strategies
