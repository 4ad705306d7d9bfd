#include "transfers/launch/arguments.hpp"

#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/launches.hpp"
#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench::arguments_strategies {
namespace {

using subjects::count_of;
using subjects::piece_list;

/// Bytes of one argument: equal parts of the payload, whole units of 16 bytes for the kernel.
std::size_t part_of(const job& task) {
  const auto part = task.bytes / count_of(task.variant);
  return part < 16 ? part : part / 16 * 16;
}

/// How the kernel moves data between the arguments and the shared device block, where they are
/// verified.
enum class traffic { into_block, out_of_block, exchanged };

/// The common part of all launches: a part of the payload for each argument.
struct launch_of_parts {
  transfers::context context;
  subjects::copying_kernel kernel;
  std::byte* block;
  std::vector<std::span<std::byte>> parts;

  launch_of_parts(const job& task, const payload& host)
      : context(task.device, task.stream),
        kernel(subjects::copy_pieces(task.device)),
        block(task.memory.on_device().data()) {
    const auto count = count_of(task.variant);
    for (std::size_t i = 0; i < count; ++i)
      parts.push_back({host.data + part_of(task) * i, part_of(task)});
  }

  void run(std::span<std::byte* const> arguments, traffic traffic) const {
    piece_list list;
    list.exchange = traffic == traffic::exchanged;
    auto* at = block;
    for (auto* const argument : arguments) {
      list.pieces[list.count++] = traffic == traffic::into_block
                                      ? subjects::piece{at, argument, parts[0].size()}
                                      : subjects::piece{argument, at, parts[0].size()};
      at += parts[0].size();
    }
    const transfers::argument packed[] = {list};
    kernel.run.launch(context.stream(), kernel.threads, packed);
  }

  /// Calls call(context, launch, handler(part 0), handler(part 1), …).
  template <class Handler>
  void call(Handler&& handler, traffic traffic) const {
    const auto with_parts = [&]<std::size_t... I>(std::index_sequence<I...>) {
      transfers::call(
          context,
          [&](auto*... arguments) {
            run(std::array<std::byte*, sizeof...(I)>{const_cast<std::byte*>(arguments)...},
                traffic);
          },
          handler(parts[I])...);
    };
    switch (parts.size()) {
      case 1: return with_parts(std::make_index_sequence<1>());
      case 2: return with_parts(std::make_index_sequence<2>());
      case 4: return with_parts(std::make_index_sequence<4>());
      case 8: return with_parts(std::make_index_sequence<8>());
      case 16: return with_parts(std::make_index_sequence<16>());
      default: throw std::logic_error("no launch with so many arguments");
    }
  }
};

/// A call as a single step: `handler` makes the arguments from the parts.
template <class Handler>
std::vector<step> one_call(std::shared_ptr<launch_of_parts> launch, Handler handler,
                           traffic traffic) {
  return {
      {"call", [launch = std::move(launch), handler, traffic] { launch->call(handler, traffic); }}};
}

std::vector<step> upload_into_reused_buffers(const std::shared_ptr<launch_of_parts>& launch) {
  const auto buffers = std::make_shared<std::vector<transfers::device_buffer<std::byte>>>();
  for (const auto& part : launch->parts) buffers->emplace_back(launch->context, part.size());
  return {{"call", [launch, buffers] {
             std::vector<std::byte*> addresses;
             for (std::size_t i = 0; i < buffers->size(); ++i) {
               (*buffers)[i].copy_from_async(launch->parts[i]);
               addresses.push_back((*buffers)[i].data());
             }
             launch->run(addresses, traffic::into_block);
             launch->context.synchronize();
           }}};
}

/// How a call treats its arguments.
struct argument_handling {
  std::string name;
  std::string summary;
  result_file::direction direction;
  unsigned plainness;
  std::function<std::vector<step>(const std::shared_ptr<launch_of_parts>&)> steps;
};

const std::vector<argument_handling>& all_handlings() {
  using result_file::direction;
  static const std::vector<argument_handling> handlings{
      {"in", "in(): allocate, upload, launch, free", direction::h2d, 1,
       [](const auto& launch) {
         return one_call(
             launch, [](auto part) { return transfers::in(part); }, traffic::into_block);
       }},
      {"out", "out(): allocate, launch, download, free", direction::d2h, 1,
       [](const auto& launch) {
         return one_call(
             launch, [](auto part) { return transfers::out(part); }, traffic::out_of_block);
       }},
      {"in_out", "in_out(): allocate, upload, launch, download, free", direction::both, 1,
       [](const auto& launch) {
         return one_call(
             launch, [](auto part) { return transfers::in_out(part); }, traffic::exchanged);
       }},
      {"reused_buffers", "upload into the same buffers, launch", direction::h2d, 0,
       upload_into_reused_buffers}};
  return handlings;
}

/// Each operation exchanges the data of host and device: the pattern and the poison.
verification exchange_of(const job& task, const payload& host, const payload& device_end) {
  verification check;
  check.changes_source = true;
  check.compare = [&device = task.device, &memory = task.memory, host,
                   device_end]() -> std::optional<std::string> {
    const auto count_wrong_bytes = [&](bool odd) {
      return check_host_pattern(host.data, 0, host.bytes, memory.pattern(!odd)).wrong_bytes +
             check_pattern(device, device_end.data, 0, device_end.bytes, memory.pattern(odd))
                 .wrong_bytes;
    };
    const auto least = std::min(count_wrong_bytes(true), count_wrong_bytes(false));
    if (least == 0) return std::nullopt;
    return std::to_string(least) + " bytes differ on host and device";
  };
  return check;
}

transfer prepare(const job& task, transfers::host_memory_kind kind,
                 const argument_handling& handling) {
  const bool uploads = handling.direction == result_file::direction::h2d;
  const auto ends =
      ends_of(task, kind, uploads ? transfers::direction::h2d : transfers::direction::d2h);
  const auto launch =
      std::make_shared<launch_of_parts>(task, uploads ? ends.source : ends.destination);
  auto copy = transfer_between(ends);
  copy.amount.bytes = part_of(task) * count_of(task.variant);
  copy.source->bytes = copy.destination->bytes = *copy.amount.bytes;
  copy.steps = handling.steps(launch);
  if (handling.direction == result_file::direction::both)
    copy.check = exchange_of(task, *copy.destination, *copy.source);
  return copy;
}

const struct argument_strategies {
  argument_strategies() {
    for (const auto& handling : all_handlings())
      registration{host_memory_family{
          .common = {.family = "arguments",
                     .parts = {method(handling.name)},
                     .summary = handling.summary,
                     .variants = named({"1_argument", "2_arguments", "4_arguments", "8_arguments",
                                        "16_arguments"}),
                     .role = roles::arguments,
                     .direction = handling.direction,
                     .plainness = handling.plainness,
                     .needs = {.cuda = cuda_with::kernel_parameters},
                     .sampling = {.smallest = subjects::most_arguments * sizeof(float),
                                  .largest = std::size_t{256} << 20,
                                  .cold = false}},
          .kinds = {transfers::pageable, transfers::pinned()},
          .prepare = [handling](const job& task, transfers::host_memory_kind kind) {
            return prepare(task, kind, handling);
          }}};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::arguments_strategies
