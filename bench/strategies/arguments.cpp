#include "transfers/arguments.hpp"

#include "elements.hpp"
#include "subjects/launches.hpp"

namespace bench {
namespace {

using subjects::piece_list;
using transfers::context;

/// "4_arguments" -> 4
std::size_t count_of(std::string_view variant) { return std::stoul(std::string(variant)); }

/// What the launches have in common: the payload in equal parts, one for each argument, and a
/// kernel that copies between the arguments and the shared device block, so that data can be
/// verified.
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
      parts.push_back({host.data + wanted.bytes / count * i, wanted.bytes / count});
  }

  void run(std::span<std::byte* const> arguments, bool into_block) const {
    piece_list all;
    auto* at = block;
    for (auto* const one : arguments) {
      all.pieces[all.count++] = into_block ? subjects::piece{at, one, parts[0].size()}
                                           : subjects::piece{one, at, parts[0].size()};
      at += parts[0].size();
    }
    const transfers::argument packed[] = {all};
    kernel.run.launch(in.stream(), kernel.threads, packed);
  }

  /// call(in, launch, handler(part 0), handler(part 1), …)
  template <class Handler>
  void call(Handler&& handler, bool into_block) const {
    const auto with_parts = [&]<std::size_t... I>(std::index_sequence<I...>) {
      transfers::call(
          in,
          [&](auto*... arguments) {
            run(std::array<std::byte*, sizeof...(I)>{const_cast<std::byte*>(arguments)...},
                into_block);
          },
          handler(parts[I])...);
    };
    switch (parts.size()) {
      case 1: return with_parts(std::make_index_sequence<1>());
      case 4: return with_parts(std::make_index_sequence<4>());
      default: return with_parts(std::make_index_sequence<subjects::most_arguments>());
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
  made.source = ends.source;
  made.destination = ends.destination;
  if (handling == "in") {
    made.steps = {
        {"call", [launch] { launch->call([](auto part) { return transfers::in(part); }, true); }}};
  } else if (handling == "out") {
    made.steps = {{"call", [launch] {
                     launch->call([](auto part) { return transfers::out(part); }, false);
                   }}};
  } else if (handling == "in_out") {
    made.steps = {{"call", [launch] {
                     launch->call([](auto part) { return transfers::in_out(part); }, false);
                   }}};
  } else {
    const auto buffers = std::make_shared<std::vector<transfers::device_buffer<std::byte>>>();
    for (const auto& part : launch->parts) buffers->emplace_back(launch->in, part.size());
    made.steps = {{"call", [launch, buffers] {
                     std::vector<std::byte*> addresses;
                     for (std::size_t i = 0; i < buffers->size(); ++i) {
                       (*buffers)[i].copy_from_async(launch->parts[i]);
                       addresses.push_back((*buffers)[i].data());
                     }
                     launch->run(addresses, true);
                     launch->in.synchronize();
                   }}};
  }
  return made;
}

void add(const std::string& handling, const std::string& summary) {
  registration{host_memory_family{
      .name = "arguments/" + handling,
      .summary = summary,
      .variants = {"1_argument", "4_arguments", "16_arguments"},
      .kinds = {transfers::pageable, transfers::pinned()},
      .prepare = [handling](
                     const job& wanted,
                     transfers::host_memory_kind kind) { return prepare(wanted, kind, handling); },
      .adjust =
          [handling](strategy& made) {
            made.smallest = subjects::most_arguments * sizeof(float);
            made.largest = std::size_t{256} << 20;
            made.essential = made.cold = false;
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
}  // namespace bench
