#include "bench/cpu/access.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "bench/strategy/cache.hpp"

namespace bench_transfers::bench::cpu {
namespace {

constexpr std::uint64_t filling = 0x5a5a5a5a5a5a5a5aULL;
constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t stride = 4 * line;    // the prefetchers of neighbouring lines do not help
constexpr std::size_t random_loads = 2048;  // each waits for the one before: some 0.2 ms
constexpr std::size_t random_stores = 4096;

std::byte* piece_of(const stretch& over, std::size_t turn) {
  return over.block + over.offset(turn);
}

std::size_t whole_piece(const stretch& over) { return over.piece * over.passes; }

void flush_piece(const stretch& over, std::size_t turn) {
  flush_cache({piece_of(over, turn), over.piece});
}

void restore_piece(const stretch& over, std::size_t turn) {
  auto* const words = reinterpret_cast<std::uint64_t*>(over.block);
  const auto first = over.offset(turn) / word;
  over.pattern.words(first, {words + first, over.piece / word});
}

/// The exclusive or of the pattern's words where this turn's piece lies.
std::uint64_t expected_sum(const stretch& over, std::size_t turn) {
  std::uint64_t sum = 0;
  std::array<std::uint64_t, 512> some;
  const auto first = over.offset(turn) / word;
  const auto count = over.piece / word;
  for (std::size_t i = 0; i < count; i += some.size()) {
    const auto now = std::span(some).first(std::min(some.size(), count - i));
    over.pattern.words(first + i, now);
    for (const auto one : now) sum ^= one;
  }
  return sum;
}

/// Of one word in each stride.
std::uint64_t expected_sum_of_strides(const stretch& over, std::size_t turn) {
  std::uint64_t sum = 0;
  const auto first = over.offset(turn);
  for (auto at = first; at < first + over.piece; at += stride) sum ^= over.pattern.word(at / word);
  return sum;
}

/// Calls is_right(index of a word, its value) for the words at both ends of the piece: to read all
/// of it takes seconds where memory is write-combined.
template <class IsRight>
bool ends_are_right(const stretch& over, std::size_t turn, IsRight&& is_right) {
  const auto* const words = reinterpret_cast<const volatile std::uint64_t*>(over.block);
  const auto first = over.offset(turn) / word;
  const auto count = over.piece / word;
  const auto some = std::min<std::size_t>(count, 512);
  for (std::size_t i = 0; i < some; ++i)
    for (const auto at : {first + i, first + count - 1 - i})
      if (!is_right(at, words[at])) return false;
  return true;
}

/// Goes over whole pieces: pass(over, piece) once over one, for a number that proves it.
template <class Pass>
access over_pieces(access::kind does, std::string method, std::string summary, Pass pass,
                   bool (*is_right)(const stretch&, std::size_t turn, std::uint64_t result)) {
  return {.does = does,
          .method = std::move(method),
          .summary = std::move(summary),
          .run =
              [pass](const stretch& over, std::size_t turn) {
                std::uint64_t result = 0;
                for (std::size_t i = 0; i < over.passes; ++i)
                  result = pass(over, piece_of(over, turn));
                return result;
              },
          .is_right = is_right,
          .flush = flush_piece,
          .bytes = whole_piece};
}

bool sum_is_right(const stretch& over, std::size_t turn, std::uint64_t sum) {
  return sum == expected_sum(over, turn);
}

access reading(std::string method, std::string summary, reader read) {
  return over_pieces(
      access::kind::read, std::move(method), std::move(summary),
      [read](const stretch& over, const std::byte* piece) { return read(piece, over.piece); },
      sum_is_right);
}

access writing(std::string method, std::string summary, writer write) {
  auto made = over_pieces(
      access::kind::write, std::move(method), std::move(summary),
      [write](const stretch& over, std::byte* piece) {
        write(piece, over.piece, filling);
        return filling;
      },
      [](const stretch& over, std::size_t turn, std::uint64_t) {
        return ends_are_right(over, turn, [](auto, auto value) { return value == filling; });
      });
  made.restore = restore_piece;
  return made;
}

access reading_memcpy() {
  auto made = over_pieces(
      access::kind::read, "memcpy", "memcpy to ordinary memory",
      [](const stretch& over, const std::byte* piece) {
        std::memcpy(over.ordinary.data(), piece, over.piece);
        return filling;
      },
      [](const stretch& over, std::size_t turn, std::uint64_t) {
        return sum_is_right(over, turn,
                            instructions().read_vector(over.ordinary.data(), over.piece));
      });
  made.uses_ordinary = true;
  made.plainest = true;
  made.times_in_caches = 8;
  return made;
}

access writing_memcpy() {
  auto made = over_pieces(
      access::kind::write, "memcpy", "memcpy from ordinary memory",
      [](const stretch& over, std::byte* piece) {
        std::memcpy(piece, over.ordinary.data(), over.piece);
        return filling;
      },
      [](const stretch& over, std::size_t turn, std::uint64_t) {
        const auto* const source = reinterpret_cast<const std::uint64_t*>(over.ordinary.data());
        const auto first = over.offset(turn) / word;
        return ends_are_right(over, turn,
                              [=](auto at, auto value) { return value == source[at - first]; });
      });
  made.restore = restore_piece;
  made.uses_ordinary = true;
  made.plainest = true;
  made.times_in_caches = 8;
  return made;
}

access changing(changer change) {
  auto made = over_pieces(
      access::kind::read_write, "modify", "8-byte words read, changed and written in place",
      [change](const stretch& over, std::byte* piece) {
        change(piece, over.piece);
        return filling;
      },
      [](const stretch& over, std::size_t turn, std::uint64_t) {
        const auto changes = ((turn - over.first_turn) / over.pieces() + 1) * over.passes;
        return ends_are_right(over, turn, [&](auto at, auto value) {
          const auto original = over.pattern.word(at);
          return value == (changes % 2 == 0 ? original : ~original);
        });
      });
  made.restore = restore_piece;
  return made;
}

access reading_strided() {
  auto made = over_pieces(
      access::kind::read, "strided", "8 bytes of every fourth line",
      [](const stretch& over, const std::byte* piece) {
        return read_strided(piece, over.piece, stride);
      },
      [](const stretch& over, std::size_t turn, std::uint64_t sum) {
        return sum == expected_sum_of_strides(over, turn);
      });
  made.bytes = [](const stretch& over) {
    return (over.piece + stride - 1) / stride * word * over.passes;
  };
  made.single = true;
  made.times_in_caches = 16;
  return made;
}

random_accesses random_of(const stretch& over, std::size_t turn, std::size_t usual) {
  const auto count = usual * over.times;
  return {over.bytes / line, turn * count, (turn + 1) * count};
}

template <class Work>
void for_each_random(const stretch& over, std::size_t turn, std::size_t usual, Work&& work) {
  const auto where = random_of(over, turn, usual);
  for (auto i = where.begin; i < where.end; ++i) work(over.first + where.line_of(i) * line);
}

access reading_random() {
  return {.does = access::kind::read,
          .method = "random",
          .summary = "8 bytes of random lines, each load waits for the one before",
          .run =
              [](const stretch& over, std::size_t turn) {
                return read_random(over.block + over.first, random_of(over, turn, random_loads));
              },
          .is_right =
              [](const stretch& over, std::size_t turn, std::uint64_t sum) {
                for_each_random(over, turn, random_loads,
                                [&](std::size_t at) { sum ^= over.pattern.word(at / word); });
                return sum == 0;
              },
          .flush =
              [](const stretch& over, std::size_t turn) {
                for_each_random(over, turn, random_loads, [&](std::size_t at) {
                  flush_cache({over.block + at, line});
                });
              },
          .bytes = [](const stretch& over) { return random_loads * over.times * word; },
          .single = true,
          .times_in_caches = 32};
}

access writing_random() {
  return {.does = access::kind::write,
          .method = "random",
          .summary = "8 bytes of random lines, independent stores",
          .run =
              [](const stretch& over, std::size_t turn) {
                write_random(over.block + over.first, random_of(over, turn, random_stores),
                             filling);
                return filling;
              },
          .is_right =
              [](const stretch& over, std::size_t turn, std::uint64_t) {
                bool right = true;
                const auto where = random_of(over, turn, random_stores);
                for (auto i = where.end - 64; i < where.end; ++i) {
                  const auto* const at = over.block + over.first + where.line_of(i) * line;
                  right &= *reinterpret_cast<const volatile std::uint64_t*>(at) == filling;
                }
                return right;
              },
          .flush =
              [](const stretch& over, std::size_t turn) {
                for_each_random(over, turn, random_stores, [&](std::size_t at) {
                  flush_cache({over.block + at, line});
                });
              },
          .restore =
              [](const stretch& over, std::size_t turn) {
                for_each_random(over, turn, random_stores, [&](std::size_t at) {
                  *reinterpret_cast<std::uint64_t*>(over.block + at) = over.pattern.word(at / word);
                });
              },
          .bytes = [](const stretch& over) { return random_stores * over.times * word; },
          .single = true,
          .times_in_caches = 32};
}

access unless_null(bool is_null, const instruction_set& with, access one) {
  if (is_null) one.why_unavailable = with.no_streaming;
  return one;
}

}  // namespace

std::string access::name() const {
  switch (does) {
    case kind::read: return "read_" + method;
    case kind::write: return "write_" + method;
    case kind::read_write: break;
  }
  return "read_" + method + "_write";
}

std::vector<access> accesses_with(const instruction_set& with) {
  auto read_scalar = reading("scalar", "8-byte loads", with.read_scalar);
  read_scalar.times_in_caches = 2;
  read_scalar.loads_by_instruction = true;
  auto read_vector = reading("vector", "loads of " + with.vector, with.read_vector);
  read_vector.times_in_caches = 8;
  read_vector.loads_by_instruction = true;
  auto read_streaming =
      reading("streaming", "transfers::streaming_load, 4 KiB at a time", with.read_streaming);
  read_streaming.times_in_caches = 2;
  read_streaming.loads_by_instruction = true;
  auto write_fill =
      writing("fill", "memset", [](std::byte* first, std::size_t bytes, std::uint64_t value) {
        std::memset(first, static_cast<int>(value & 0xff), bytes);
      });
  write_fill.times_in_caches = 8;
  return {
      unless_null(with.read_scalar == nullptr, with, std::move(read_scalar)),
      unless_null(with.read_vector == nullptr, with, std::move(read_vector)),
      reading_memcpy(),
      unless_null(with.read_streaming == nullptr, with, std::move(read_streaming)),
      reading_random(),
      reading_strided(),
      std::move(write_fill),
      writing_memcpy(),
      unless_null(
          with.write_streaming == nullptr, with,
          writing("streaming", "non-temporal stores of " + with.vector, with.write_streaming)),
      writing_random(),
      changing(with.change),
  };
}

}  // namespace bench_transfers::bench::cpu
