#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace bench_transfers::bench {

/// Puts a file aside as "FILE.earlier" (then ".earlier.2"), which no reader of results looks for,
/// and returns that name. None: it is not there, or cannot be moved, of which one line tells.
std::optional<std::filesystem::path> put_file_aside(const std::filesystem::path& file);

/// The world ranks of a node by local rank, as far as they are known.
using ranks_of_node = std::vector<std::optional<std::size_t>>;

/// The result files of earlier runs, and of no other node that has the name of this one. Those with
/// the same name of the sweep are put aside, as "X.json.earlier", so that a GPU which is not
/// measured this time does not pass for one that is; the file that is to be written is, whatever
/// sweep it is of, so that nothing that was measured is lost. One line on standard error says so:
/// tell(), at the latest when this ends.
class earlier_files {
 public:
  /// Those in a folder; empty: none. `facts`: context.transfers.fleet of this run.
  earlier_files(std::filesystem::path folder, const nlohmann::ordered_json& facts);
  ~earlier_files();
  earlier_files(const earlier_files&) = delete;
  earlier_files& operator=(const earlier_files&) = delete;

  /// Those of the same rank, but none that another process is writing.
  void put_aside_own();
  /// The file that this rank is about to write, likewise.
  void put_aside_replaced(const std::filesystem::path& file);
  /// Whether it is of this sweep, and nothing says that its rank is one of this node: it may be of
  /// this job, and of another node. `own`: as far as this rank knows.
  [[nodiscard]] bool may_be_of_other_node(const std::filesystem::path& file,
                                          const ranks_of_node& own) const;
  /// How many that were.
  [[nodiscard]] std::size_t put_aside() const noexcept { return ranks_.size(); }
  /// Those that are cut off before they tell whose they are, likewise: a rank whose run they may be
  /// of would not count as missing.
  void put_aside_nameless();
  /// Those of all ranks of the node, and those that are cut off, likewise. `before`: ranks, with
  /// this one, that have put aside their own, each once for each file. Tells for all of them.
  void put_aside_all(std::vector<std::size_t> before, const ranks_of_node& ranks);
  /// The first rank of the node says it for this one.
  void leave_telling_to_the_first() noexcept { ranks_.clear(); }
  void tell() noexcept;

 private:
  void put_aside_files(const ranks_of_node& ranks);
  [[nodiscard]] bool has_rank() const;

  std::filesystem::path folder_;
  nlohmann::json facts_;
  std::filesystem::file_time_type began_ = std::filesystem::file_time_type::clock::now();
  // Files that are put aside and nobody has told of.
  std::vector<std::size_t> ranks_;
  std::size_t nameless_ = 0;
};

}  // namespace bench_transfers::bench
