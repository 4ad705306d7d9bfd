#include "transfers/launch/arguments.hpp"

#include "bench/strategy/elements.hpp"
#include "bench/subjects/launches.hpp"

namespace bench_transfers::bench {
namespace {

using subjects::count_of;
using subjects::piece_list;
using transfers::context;

/// Bytes of one argument: equal parts of the payload, whole units of 16 bytes for the kernel.
std::size_t part_of(const job& wanted) {
  const auto part = wanted.bytes / count_of(wanted.variant);
  return part < 16 ? part : part / 16 * 16;
}

/// What the kernel does with the arguments and the shared device block, which is how the data are
/// verified.
enum class traffic { into_block, out_of_block, exchanged };

/// What the launches have in common: a part of the payload for each argument.
struct launch_of_parts {
  context in;
  subjects::copying_kernel kernel;
  std::byte* block;
  std::vector<std::span<std::byte>> parts;

  launch_of_parts(const job& wanted, const payload& host)
      : in(wanted.device, wanted.stream),
        kernel(subjects::copy_pieces(wanted.device)),
        block(wanted.memory.on_device().data()) {
    const auto count = count_of(wanted.variant);
    for (std::size_t i = 0; i < count; ++i)
      parts.push_back({host.data + part_of(wanted) * i, part_of(wanted)});
  }

  void run(std::span<std::byte* const> arguments, traffic way) const {
    piece_list all;
    all.exchange = way == traffic::exchanged;
    auto* at = block;
    for (auto* const one : arguments) {
      all.pieces[all.count++] = way == traffic::into_block
                                    ? subjects::piece{at, one, parts[0].size()}
                                    : subjects::piece{one, at, parts[0].size()};
      at += parts[0].size();
    }
    const transfers::argument packed[] = {all};
    kernel.run.launch(in.stream(), kernel.threads, packed);
  }

  /// call(in, launch, handler(part 0), handler(part 1), …)
  template <class Handler>
  void call(Handler&& handler, traffic way) const {
    const auto with_parts = [&]<std::size_t... I>(std::index_sequence<I...>) {
      transfers::call(
          in,
          [&](auto*... arguments) {
            run(std::array<std::byte*, sizeof...(I)>{const_cast<std::byte*>(arguments)...}, way);
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

transfer prepare(const job& wanted, transfers::host_memory_kind kind, std::string_view handling) {
  const auto ends =
      ends_of(wanted, kind,
              handling == "in" || handling == "reused_buffers" ? transfers::direction::h2d
                                                               : transfers::direction::d2h);
  const bool from_host = !ends.source.on_device;
  const auto launch =
      std::make_shared<launch_of_parts>(wanted, from_host ? ends.source : ends.destination);
  transfer made;
  made.bytes = part_of(wanted) * count_of(wanted.variant);
  made.source = ends.source;
  made.destination = ends.destination;
  made.source->bytes = made.destination->bytes = *made.bytes;
  if (handling == "in") {
    made.steps = {{"call", [launch] {
                     launch->call([](auto part) { return transfers::in(part); },
                                  traffic::into_block);
                   }}};
  } else if (handling == "out") {
    made.steps = {{"call", [launch] {
                     launch->call([](auto part) { return transfers::out(part); },
                                  traffic::out_of_block);
                   }}};
  } else if (handling == "in_out") {
    made.steps = {{"call", [launch] {
                     launch->call([](auto part) { return transfers::in_out(part); },
                                  traffic::exchanged);
                   }}};
    // Host and device have exchanged what they had: the pattern, and the poison.
    made.changes_source = true;
    made.verify = [&device = wanted.device, &memory = wanted.memory, host = *made.destination,
                   there = *made.source]() -> std::optional<std::string> {
      const auto wrong = [&](bool odd) {
        return transfers::check_host_pattern(host.data, 0, host.bytes, memory.pattern(!odd))
                   .wrong_bytes +
               device.check_pattern(there.data, 0, there.bytes, memory.pattern(odd)).wrong_bytes;
      };
      const auto least = std::min(wrong(true), wrong(false));
      if (least == 0) return std::nullopt;
      return std::to_string(least) + " bytes differ on host and device";
    };
  } else {
    const auto buffers = std::make_shared<std::vector<transfers::device_buffer<std::byte>>>();
    for (const auto& part : launch->parts) buffers->emplace_back(launch->in, part.size());
    made.steps = {{"call", [launch, buffers] {
                     std::vector<std::byte*> addresses;
                     for (std::size_t i = 0; i < buffers->size(); ++i) {
                       (*buffers)[i].copy_from_async(launch->parts[i]);
                       addresses.push_back((*buffers)[i].data());
                     }
                     launch->run(addresses, traffic::into_block);
                     launch->in.synchronize();
                   }}};
  }
  return made;
}

void add(const std::string& handling, const std::string& summary) {
  registration{host_memory_family{
      .name = "arguments/" + handling,
      .summary = summary,
      .variants = {"1_argument", "2_arguments", "4_arguments", "8_arguments", "16_arguments"},
      .kinds = {transfers::pageable, transfers::pinned()},
      .prepare = [handling](
                     const job& wanted,
                     transfers::host_memory_kind kind) { return prepare(wanted, kind, handling); },
      .adjust =
          [handling](strategy& made) {
            made.smallest = subjects::most_arguments * sizeof(float);
            made.largest = std::size_t{256} << 20;
            made.cold = false;
            made.one_way = handling != "in_out";
          }}};
}

const struct all {
  all() {
    add("in", "in(): allocate, upload, launch, free");
    add("out", "out(): allocate, launch, download, free");
    add("in_out", "in_out(): allocate, upload, launch, download, free");
    add("reused_buffers", "upload into the same buffers, launch");
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
