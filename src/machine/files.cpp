#include "src/machine/files.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <system_error>

#include "src/common/number.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::machine {

namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t begin = text.find_first_not_of(white_space);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(white_space, begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(white_space, end);
  }
  return pieces;
}

std::optional<std::vector<std::string>> read_lines(const std::filesystem::path& path) {
  // Streams only set a flag when a read fails, as many attributes of sysfs do (EINVAL, EIO).
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  if (lines.empty()) {
    return std::nullopt;
  }
  return lines;
}

std::optional<std::string> read_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::string_view text = trimmed(line);
  if (text.empty()) {
    return std::nullopt;
  }
  return std::string(text);
}

std::optional<std::string> read_field(const std::filesystem::path& path, std::string_view key,
                                      char separator) {
  // Read by line, because /proc/cpuinfo has megabytes on large machines.
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::string_view view = line;
    const std::size_t split = view.find(separator);
    if (split == std::string_view::npos || trimmed(view.substr(0, split)) != key) {
      continue;
    }
    const std::string_view value = trimmed(view.substr(split + 1));
    if (value.empty()) {
      return std::nullopt;
    }
    return std::string(value);
  }
  return std::nullopt;
}

std::optional<std::size_t> parse_count(std::string_view text) {
  return common::number_from<std::size_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  const std::optional<double> number = common::number_from<double>(text);
  // It accepts "inf" and "nan" too, which JSON cannot hold.
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::vector<std::size_t>> numbers_of_list(std::string_view list) {
  constexpr std::size_t most = 1 << 16;
  std::set<std::size_t> numbers;
  for (const auto& range : common::split(list)) {
    const auto ends = common::split(range, '-');
    const auto first = parse_count(ends.front());
    const auto last = parse_count(ends.back());
    if (ends.size() > 2 || !first || !last || *last < *first || *last - *first >= most ||
        numbers.size() > most) {
      return std::nullopt;
    }
    for (std::size_t number = *first; number <= *last; ++number) {
      numbers.insert(number);
    }
  }
  return std::vector(numbers.begin(), numbers.end());
}

std::optional<std::size_t> read_count(const std::filesystem::path& path) {
  const std::optional<std::string> line = read_line(path);
  return line ? parse_count(*line) : std::nullopt;
}

std::optional<std::vector<std::size_t>> read_list(const std::filesystem::path& path) {
  const std::optional<std::string> line = read_line(path);
  return line ? numbers_of_list(*line) : std::nullopt;
}

std::optional<std::string> read_choice(const std::filesystem::path& path) {
  const std::optional<std::string> line = read_line(path);
  const std::size_t open = line ? line->find('[') : std::string::npos;
  const std::size_t close = open == std::string::npos ? open : line->find(']', open);
  if (close == std::string::npos || close == open + 1) {
    return std::nullopt;
  }
  return line->substr(open + 1, close - open - 1);
}

std::optional<std::size_t> read_kib(const std::filesystem::path& path, std::string_view key) {
  const std::optional<std::string> field = read_field(path, key, ':');
  if (!field) {
    return std::nullopt;
  }
  const std::vector<std::string_view> parts = words(*field);
  const std::optional<std::size_t> amount = parse_count(parts.front());
  if (parts.size() != 2 || parts.back() != "kB" || !amount ||
      *amount > std::numeric_limits<std::size_t>::max() / 1024) {
    return std::nullopt;
  }
  return *amount * 1024;
}

std::optional<std::vector<std::string>> names_in(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  if (error) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (entry != std::filesystem::directory_iterator{}) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
    if (error) {
      return std::nullopt;
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool present(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

nlohmann::ordered_json or_null(const std::optional<std::string>& value) {
  if (!value) {
    return nullptr;
  }
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  return nlohmann::ordered_json::parse(
      nlohmann::ordered_json(*value).dump(-1, ' ', false, replace));
}

}  // namespace bench_transfers::machine
