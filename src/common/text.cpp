#include "src/common/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "src/common/quantities.hpp"

namespace bench_transfers::common {

std::string three_digits(double value) {
  const double size = std::abs(value);  // differences may be negative
  if (size < 9.995) return fmt::format("{:.2f}", value);
  if (size < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string decimals(double value, int count) { return fmt::format("{:.{}f}", value, count); }

std::string time_text(double ns) {
  if (ns < 999.5) return three_digits(ns) + " ns";
  if (ns < 999.5e3) return three_digits(ns / 1e3) + " µs";
  if (ns < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
}

std::string time_cell(double ns) {
  if (ns < 1e3) return decimals(ns, 1) + " ns";
  if (ns < 1e6) return decimals(ns / 1e3, 2) + " µs";
  if (ns < 1e9) return decimals(ns / 1e6, 2) + " ms";
  return decimals(ns / 1e9, 2) + " s";
}

std::string size_text(double bytes) {
  constexpr std::array<std::string_view, 4> units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string mib_text(std::size_t bytes) {
  return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string rate_digits(double gb_per_s) {
  return gb_per_s < 10 ? fmt::format("{:.2g}", gb_per_s) : fmt::format("{:.0f}", gb_per_s);
}

std::string percent_text(double part) { return decimals(100 * part, 1) + " %"; }

std::string slower_text(double part) {
  return part <= 1 ? percent_text(part) : "a factor of " + three_digits(1 + part);
}

std::string slower_text(double part, double low, double high) {
  const auto end = part <= 1 ? percent_text : [](double of) { return three_digits(1 + of); };
  return fmt::format("{} [{}, {}]", slower_text(part), end(low), end(high));
}

std::string count_text(double count) {
  return count < 1e7 ? fmt::format("{:.0f}", count) : fmt::format("{:.0e}", count);
}

std::string counted(double count, const std::string& singular, const std::string& plural) {
  return fmt::format("{:.15g} {}", count,
                     count == 1       ? singular
                     : plural.empty() ? singular + "s"
                                      : plural);
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  const auto shown = std::min(names.size(), most);
  const auto end = std::next(names.begin(), static_cast<std::ptrdiff_t>(shown));
  const auto more = names.size() - shown;
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

namespace {

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; }

}  // namespace

std::string in_sentence(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

std::string first_letters(std::string_view text, std::size_t letters) {
  std::size_t end = 0;
  while (end < text.size() && (!begins_letter(text[end]) || letters-- > 0)) ++end;
  return std::string(text.substr(0, end));
}

namespace {

struct character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

/// The first character of a text, which must not be empty (RFC 3629: shortest form only, no
/// surrogates, nothing above U+10FFFF).
character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (too_long || surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

/// Control characters (Unicode category Cc), separators of lines and paragraphs, byte order marks,
/// and characters that change the direction of writing (Unicode Standard Annex 9, "Explicit
/// Directional Formatting").
bool misleads(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

std::string escaped(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  const auto number = static_cast<unsigned>(code);
  return code < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

}  // namespace

std::string printable(std::string_view text) {
  // Most texts are names.
  if (std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; }))
    return std::string(text);
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_of(text);
    if (bytes == 0)
      shown += escaped(static_cast<unsigned char>(text.front()));
    else if (misleads(code))
      shown += escaped(code);
    else
      shown += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> names;
  for (;;) {
    const auto end = list.find(separator);
    names.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return names;
    list.remove_prefix(end + 1);
  }
}

std::string printable_in_short(std::string_view text) {
  constexpr std::size_t most_bytes = 240;
  if (text.size() <= most_bytes) return printable(text);
  auto end = most_bytes;
  // The cut must not split a character.
  while (end > 0 && !begins_letter(text[end])) --end;
  return printable(text.substr(0, end)) + "…";
}

std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  std::string line;
  bool line_begins = true;
  for (std::string word; words >> word;) {
    if (!line_begins && line.size() + 1 + word.size() > columns) {
      lines += line + "\n";
      line.assign(indent, ' ');
      line_begins = true;
    }
    line += (line_begins ? "" : " ") + word;
    line_begins = false;
  }
  return lines + line + "\n";
}

std::string wrapped_if_long(const std::string& text, std::size_t columns, std::size_t indent) {
  return text.size() <= columns ? text + "\n" : wrapped(text, columns, indent);
}

namespace {

/// Takes the first part of a name, up to a '/', off it.
std::string take_part(std::string_view& name) {
  const auto end = std::min(name.find('/'), name.size());
  std::string part(name.substr(0, end));
  name.remove_prefix(std::min(end + 1, name.size()));
  return part;
}

/// Of "64KiB", "64KiB@cuda:1" and "64KiB_blocks".
std::optional<std::size_t> size_in(const std::string& part) {
  return size_from(std::string_view(part).substr(0, part.find_first_of("@_")));
}

std::strong_ordering compare(const std::string& lhs, const std::string& rhs) {
  const auto left = size_in(lhs), right = size_in(rhs);
  if (left.has_value() != right.has_value())
    return left ? std::strong_ordering::less : std::strong_ordering::greater;
  if (left && left != right) return *left <=> *right;
  return strverscmp(lhs.c_str(), rhs.c_str()) <=> 0;
}

}  // namespace

bool natural_order::operator()(std::string_view lhs, std::string_view rhs) const {
  auto left = lhs, right = rhs;
  while (!left.empty() && !right.empty())
    if (const auto order = compare(take_part(left), take_part(right)); order != 0) return order < 0;
  if (left.empty() != right.empty()) return left.empty();
  return lhs < rhs;  // "a" and "a/"
}

namespace {

/// Row by row of the usual table (Wagner, Fischer: "The string-to-string correction problem",
/// 1974).
std::size_t distance(std::string_view lhs, std::string_view rhs) {
  std::vector<std::size_t> row(rhs.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < rhs.size(); ++j) {
      const auto exchanged = diagonal + (lhs[i] == rhs[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view name, const std::set<std::string>& names) {
  std::string best;
  auto least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : names) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    if (longer - shorter >= least) continue;  // the distance is at least the difference in length
    if (const auto edits = distance(name, candidate); edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace bench_transfers::common
