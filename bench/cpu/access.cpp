#include "bench/cpu/access.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "bench/cpu/random_lines.hpp"
#include "bench/strategy/cache.hpp"

namespace bench_transfers::bench::cpu {
namespace {

constexpr std::size_t stride = 4 * line;  // the prefetchers of neighbouring lines do not help

std::byte* piece_of(const stretch& stretch, std::size_t turn) {
  return stretch.block + stretch.offset(turn);
}

std::size_t whole_piece(const stretch& stretch) { return stretch.piece * stretch.passes; }

void flush_piece(const stretch& stretch, std::size_t turn) {
  flush_cache({piece_of(stretch, turn), stretch.piece});
}

void restore_piece(const stretch& stretch, std::size_t turn) {
  auto* const words = reinterpret_cast<std::uint64_t*>(stretch.block);
  const auto first = stretch.offset(turn) / word;
  stretch.pattern.words(first, {words + first, stretch.piece / word});
}

/// The exclusive or of the pattern's words where this turn's piece lies.
std::uint64_t expected_sum(const stretch& stretch, std::size_t turn) {
  std::uint64_t sum = 0;
  std::array<std::uint64_t, 512> buffer;
  const auto first = stretch.offset(turn) / word;
  const auto count = stretch.piece / word;
  for (std::size_t i = 0; i < count; i += buffer.size()) {
    const auto words = std::span(buffer).first(std::min(buffer.size(), count - i));
    stretch.pattern.words(first + i, words);
    for (const auto value : words) sum ^= value;
  }
  return sum;
}

/// The exclusive or of one word in each stride.
std::uint64_t expected_sum_of_strides(const stretch& stretch, std::size_t turn) {
  std::uint64_t sum = 0;
  const auto first = stretch.offset(turn);
  for (auto at = first; at < first + stretch.piece; at += stride)
    sum ^= stretch.pattern.word(at / word);
  return sum;
}

/// Calls is_correct(index of a word, its value) for the words at both ends of the piece: reading
/// all of it takes seconds in write-combined memory.
template <class IsCorrect>
bool ends_are_correct(const stretch& stretch, std::size_t turn, IsCorrect&& is_correct) {
  const auto* const words = reinterpret_cast<const volatile std::uint64_t*>(stretch.block);
  const auto first = stretch.offset(turn) / word;
  const auto count = stretch.piece / word;
  const auto checked = std::min<std::size_t>(count, 512);
  for (std::size_t i = 0; i < checked; ++i)
    for (const auto at : {first + i, first + count - 1 - i})
      if (!is_correct(at, words[at])) return false;
  return true;
}

/// Accesses whole pieces: pass(stretch, piece) makes one pass and returns a number that proves it.
template <class Pass>
access over_pieces(access_kind kind, std::string method, std::string summary, Pass pass,
                   bool (*is_correct)(const stretch&, std::size_t turn, std::uint64_t result)) {
  return {.kind = kind,
          .method = std::move(method),
          .summary = std::move(summary),
          .run =
              [pass](const stretch& stretch, std::size_t turn) {
                std::uint64_t result = 0;
                for (std::size_t i = 0; i < stretch.passes; ++i)
                  result = pass(stretch, piece_of(stretch, turn));
                return result;
              },
          .is_correct = is_correct,
          .flush = flush_piece,
          .bytes = whole_piece};
}

bool sum_is_correct(const stretch& stretch, std::size_t turn, std::uint64_t sum) {
  return sum == expected_sum(stretch, turn);
}

access unless_null(bool is_null, const instruction_set& instructions, access access) {
  if (is_null) access.why_unavailable = instructions.no_streaming;
  return access;
}

/// By one of the instructions.
access reading(std::string method, std::string summary, reader read,
               const instruction_set& instructions, std::size_t times_in_caches) {
  auto result = over_pieces(
      access_kind::read, std::move(method), std::move(summary),
      [read](const stretch& stretch, const std::byte* piece) { return read(piece, stretch.piece); },
      sum_is_correct);
  result.times_in_caches = times_in_caches;
  result.loads_by_instruction = true;
  return unless_null(read == nullptr, instructions, std::move(result));
}

access writing(std::string method, std::string summary, writer write) {
  auto result = over_pieces(
      access_kind::write, std::move(method), std::move(summary),
      [write](const stretch& stretch, std::byte* piece) {
        write(piece, stretch.piece, filling);
        return filling;
      },
      [](const stretch& stretch, std::size_t turn, std::uint64_t) {
        return ends_are_correct(stretch, turn, [](auto, auto value) { return value == filling; });
      });
  result.restore = restore_piece;
  return result;
}

access reading_memcpy() {
  auto result = over_pieces(
      access_kind::read, "memcpy", "memcpy to ordinary memory",
      [](const stretch& stretch, const std::byte* piece) {
        std::memcpy(stretch.ordinary.data(), piece, stretch.piece);
        return filling;
      },
      [](const stretch& stretch, std::size_t turn, std::uint64_t) {
        return sum_is_correct(stretch, turn,
                              instructions().read_vector(stretch.ordinary.data(), stretch.piece));
      });
  result.uses_ordinary = true;
  result.plainest = true;
  result.times_in_caches = 8;
  return result;
}

access writing_memcpy() {
  auto result = over_pieces(
      access_kind::write, "memcpy", "memcpy from ordinary memory",
      [](const stretch& stretch, std::byte* piece) {
        std::memcpy(piece, stretch.ordinary.data(), stretch.piece);
        return filling;
      },
      [](const stretch& stretch, std::size_t turn, std::uint64_t) {
        const auto* const source = reinterpret_cast<const std::uint64_t*>(stretch.ordinary.data());
        const auto first = stretch.offset(turn) / word;
        return ends_are_correct(stretch, turn,
                                [=](auto at, auto value) { return value == source[at - first]; });
      });
  result.restore = restore_piece;
  result.uses_ordinary = true;
  result.plainest = true;
  result.times_in_caches = 8;
  return result;
}

access changing(changer change) {
  auto result = over_pieces(
      access_kind::read_write, "modify", "8-byte words read, changed and written in place",
      [change](const stretch& stretch, std::byte* piece) {
        change(piece, stretch.piece);
        return filling;
      },
      [](const stretch& stretch, std::size_t turn, std::uint64_t) {
        const auto changes = ((turn - stretch.first_turn) / stretch.pieces() + 1) * stretch.passes;
        return ends_are_correct(stretch, turn, [&](auto at, auto value) {
          const auto original = stretch.pattern.word(at);
          return value == (changes % 2 == 0 ? original : ~original);
        });
      });
  result.restore = restore_piece;
  return result;
}

access reading_strided() {
  auto result = over_pieces(
      access_kind::read, "strided", "8 bytes of every fourth line",
      [](const stretch& stretch, const std::byte* piece) {
        return read_strided(piece, stretch.piece, stride);
      },
      [](const stretch& stretch, std::size_t turn, std::uint64_t sum) {
        return sum == expected_sum_of_strides(stretch, turn);
      });
  result.bytes = [](const stretch& stretch) {
    return (stretch.piece + stride - 1) / stride * word * stretch.passes;
  };
  result.single = true;
  result.times_in_caches = 16;
  return result;
}

}  // namespace

std::string access::name() const {
  switch (kind) {
    case access_kind::read: return "read_" + method;
    case access_kind::write: return "write_" + method;
    case access_kind::read_write: break;
  }
  return "read_" + method + "_write";
}

std::vector<access> accesses_with(const instruction_set& instructions) {
  auto write_fill =
      writing("fill", "memset", [](std::byte* first, std::size_t bytes, std::uint64_t value) {
        std::memset(first, static_cast<int>(value & 0xff), bytes);
      });
  write_fill.times_in_caches = 8;
  return {
      reading("scalar", "8-byte loads", instructions.read_scalar, instructions, 2),
      reading("vector", "loads of " + instructions.vector, instructions.read_vector, instructions,
              8),
      reading_memcpy(),
      reading("streaming", "transfers::streaming_load, 4 KiB at a time",
              instructions.read_streaming, instructions, 2),
      reading_random(),
      reading_strided(),
      std::move(write_fill),
      writing_memcpy(),
      unless_null(instructions.write_streaming == nullptr, instructions,
                  writing("streaming", "non-temporal stores of " + instructions.vector,
                          instructions.write_streaming)),
      writing_random(),
      changing(instructions.change),
  };
}

}  // namespace bench_transfers::bench::cpu
