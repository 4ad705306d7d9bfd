#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/common/text.hpp"
#include "src/exports/answer.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::result_file {

/// A benchmark with a size: its medians over its repetitions.
struct figure {
  const result_file::benchmark* benchmark;
  std::string label;  ///< for a table with a row for each strategy: its name
  double bytes;       ///< moved by one operation
  double median_ns;
  double gb_per_s;  ///< bytes / median_ns

  [[nodiscard]] bool is_to_device() const { return benchmark->direction == direction::h2d; }
  [[nodiscard]] std::string size() const;  ///< as asked for: "4KiB"
};

/// A benchmark's name without its size and cache: "gpu_array/to_gpu/pinned/pooled/float32".
std::string front_of(const benchmark& described);

/// The measured values of each benchmark.
class figures {
 public:
  /// `read` must outlive this.
  explicit figures(const contents& read);

  /// A counter's median over the repetitions.
  [[nodiscard]] std::optional<double> median(const benchmark& described,
                                             std::string_view counter) const;

  /// Figures of the benchmarks with a size, with warm or with cold caches, in natural order.
  [[nodiscard]] std::vector<figure> sized(cache_state cache) const;
  /// Benchmarks without a size, in natural order.
  [[nodiscard]] std::vector<const benchmark*> unsized() const;

  /// "over_plain 82.0 ns": the headline metrics of the file.
  [[nodiscard]] std::vector<std::string> headlines(const benchmark& described) const;

  /// "over_plain: how much longer than the plain launch", a line for each headline metric that one
  /// of these benchmarks has.
  void add_legend(exports::answer& out, const std::vector<const benchmark*>& shown) const;

  /// Whether a headline metric that is a time is below 0, as differences may be, for one of these
  /// benchmarks only.
  [[nodiscard]] bool differ_in_sign(const benchmark& one, const benchmark& other) const;

  /// Whether any benchmark has the counter.
  [[nodiscard]] bool has(std::string_view counter) const;

  [[nodiscard]] const contents& file() const { return file_; }

 private:
  const contents& file_;
  std::map<std::string, std::vector<const row*>, common::natural_order>
      repetitions_;  // measured ones
};

/// Of the memory. An operation may move other bytes: a part of it.
std::size_t size_of(const figure& shown);

/// The largest figure by the bytes moved; there must be at least one.
const figure& largest_of(const std::vector<figure>& shown);

}  // namespace bench_transfers::result_file
