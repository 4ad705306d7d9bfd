#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/launch/source_module.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::context;

/// What comes before the steady state: stream, pool and pinned memory are new each time.
transfer new_context(const job& task, transfers::host_memory_kind kind) {
  struct state {
    transfers::device& device;
    std::span<const std::byte> source;
    std::optional<context> in;
    std::optional<transfers::gpu_array<std::byte>> array;
    void upload() {
      array.reset();
      array = to_gpu(*in, source);
    }
  };
  const auto source = host_payload(task, kind);
  const auto now = std::make_shared<state>(state{task.device, {source.data, source.bytes}, {}, {}});
  transfer made;
  made.source = source;
  // What is destroyed is of the operation before: the last array stays, to be verified.
  made.steps = {{"destroy",
                 [now] {
                   now->array.reset();
                   now->in.reset();
                 }},
                {"create", [now] { now->in.emplace(now->device); }},
                {"first", [now] { now->upload(); }},
                {"second", [now] { now->upload(); }}};
  made.locate = [now] {
    if (!now->array) return payload{};
    return own_payload(std::span(now->array->data(), now->array->size()), true);
  };
  return made;
}

transfer new_module(const job& task) {
  struct state {
    transfers::device& device;
    transfers::stream& stream;
    std::optional<transfers::source_module> module;
    std::optional<transfers::prepared_function<float*>> nothing;
    void launch() const {
      (*nothing)(stream, {}, nullptr);
      stream.synchronize();
    }
  };
  const auto now =
      std::make_shared<state>(state{task.device, task.stream, std::nullopt, std::nullopt});
  transfer made;
  made.steps = {{"compile_and_load",
                 [now] {
                   now->module.emplace(now->device, "__global__ void nothing(float* a) {}");
                   now->nothing.emplace(now->module->get_function<float*>("nothing"));
                 }},
                {"first", [now] { now->launch(); }},
                {"second", [now] { now->launch(); }},
                {"unload", [now] {
                   now->nothing.reset();
                   now->module.reset();
                 }}};
  return made;
}

const registration contexts(host_memory_family{
    .family = "first_call",
    .parts = {method("new_context")},
    .summary = "a new stream and pool, its first and its second to_gpu",
    .variants = named({"to_gpu"}),
    .role = roles::first_call,
    .direction = result_file::direction::h2d,
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = new_context,
    .adjust = [](strategy& call) {
      call.shares_link = false;  // most of its time is not the transfer's
      call.sampling = {.smallest = 4, .largest = std::size_t{256} << 20, .cold = false};
    }});

const registration modules(strategy{
    .family = "first_call",
    .parts = {method("source_module")},
    .summary = "a kernel compiled from source text, its first and its second launch",
    .variants = named({"launch"}),
    .role = roles::first_call,
    .prepare = new_module,
    .needs = {.why_unsupported = [](const transfers::device& device) -> std::optional<std::string> {
      if (!device.description().cuda) return "kernels from source text need a CUDA device";
      return transfers::why_no_compiler();
    }},
    .sampling = {.sized = false}});

}  // namespace
}  // namespace bench_transfers::bench
