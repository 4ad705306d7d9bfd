#include "transfers/array/print.hpp"

#include <array>
#include <charconv>
#include <ostream>
#include <vector>

namespace transfers::detail {
namespace {

template <class Number>
std::string shortest(Number value) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Lays out the texts of elements by an array's shape.
class layout {
 public:
  layout(const shape& extents, order order)
      : extents_(extents), strides_(strides_of(extents, order)) {}

  std::string text(const std::function<std::string(std::size_t)>& text_at) {
    if (extents_.elements() == 0) return "[]";
    list(0, 0, [&](std::size_t offset) {
      elements_.push_back(text_at(offset));
      width_ = std::max(width_, elements_.back().size());
    });
    if (extents_.rank() == 0) return elements_.front();
    write(0);
    return std::move(text_);
  }

 private:
  static constexpr std::size_t threshold = 1000, edge = 3, line_width = 75;

  /// Whether only the edges along an index are shown.
  [[nodiscard]] bool abbreviated(std::size_t index) const {
    return extents_.elements() > threshold && extents_[index] > 2 * edge;
  }

  /// Calls `take` with the offsets of the elements shown.
  template <class Take>
  void list(std::size_t index, std::size_t offset, const Take& take) const {
    if (index == extents_.rank()) return take(offset);
    for (std::size_t i = 0; i < extents_[index]; ++i) {
      if (abbreviated(index) && i == edge) i = extents_[index] - edge;
      list(index + 1, offset + i * static_cast<std::size_t>(strides_[index]), take);
    }
  }

  void write(std::size_t index) {
    text_ += '[';
    const bool innermost = index + 1 == extents_.rank();
    auto column = index + 1;
    for (std::size_t i = 0; i < extents_[index]; ++i) {
      const bool gap = abbreviated(index) && i == edge;
      if (gap) i = extents_[index] - edge;
      if (innermost) {
        if (gap) write_word("...", index, column);
        write_word(padded(), index, column);
      } else {
        if (gap) text_ += new_line(index) + "...";
        if (i > 0) text_ += new_line(index);
        write(index + 1);
      }
    }
    text_ += ']';
  }

  /// Between the sublists of an index: a blank line more for each index but the last two.
  [[nodiscard]] std::string new_line(std::size_t index) const {
    return std::string(extents_.rank() - index - 1, '\n') + std::string(index + 1, ' ');
  }

  void write_word(const std::string& word, std::size_t index, std::size_t& column) {
    const bool first = column == index + 1;
    if (!first && column + 1 + word.size() > line_width) {
      text_ += '\n' + std::string(index + 1, ' ');
      column = index + 1;
    } else if (!first) {
      text_ += ' ';
      ++column;
    }
    text_ += word;
    column += word.size();
  }

  std::string padded() {
    const auto& element = elements_[next_++];
    return std::string(width_ - element.size(), ' ') + element;
  }

  const shape& extents_;
  strides strides_;
  std::vector<std::string> elements_;
  std::size_t next_ = 0;
  std::size_t width_ = 0;
  std::string text_;
};

}  // namespace

std::string element_text(bool value) { return value ? "true" : "false"; }
std::string element_text(char value) {
  if (value >= ' ' && value <= '~') return {'\'', value, '\''};
  return std::to_string(static_cast<unsigned char>(value));
}
std::string element_text(long long value) { return std::to_string(value); }
std::string element_text(unsigned long long value) { return std::to_string(value); }
std::string element_text(float value) { return shortest(value); }
std::string element_text(double value) { return shortest(value); }

std::string array_text(const shape& extents, order order,
                       const std::function<std::string(std::size_t)>& text_at) {
  return layout(extents, order).text(text_at);
}

void write(std::ostream& out, const std::string& text) { out << text; }

}  // namespace transfers::detail
