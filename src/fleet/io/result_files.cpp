#include "src/fleet/io/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <set>

#include "src/common/text.hpp"
#include "src/fleet/io/unusable_result.hpp"

namespace bench_transfers::fleet {
namespace {

namespace fs = std::filesystem;

common::message unusable(const char* code, const fs::path& path, const std::string& why) {
  const auto shown = common::printable(path.string());
  return {code, {{"file", shown}}, fmt::format("cannot use {}: {}", shown, why)};
}

/// The first folder below `root` on the way to the file.
std::string node_of(const fs::path& root, const fs::path& file) {
  const auto relative = file.lexically_relative(root);
  return relative.has_parent_path() ? common::printable(relative.begin()->string()) : std::string();
}

class finder {
 public:
  void add(const fs::path& root) {
    std::error_code error;
    if (!fs::exists(root, error))
      throw nothing_to_collect(
          fmt::format("there is no file or folder {}", common::printable(root.string())));
    if (!fs::is_directory(root, error)) {
      add_file(root, {});
      return;
    }
    std::deque<fs::path> folders{root};
    // Links after what they may lead to, which has its own name.
    std::deque<fs::path> links;
    while (!folders.empty() || !links.empty()) {
      auto& next = folders.empty() ? links : folders;
      const auto folder = next.front();
      next.pop_front();
      list(root, folder, folders, links);
    }
  }

  found_files found() {
    std::ranges::sort(found_.files, {}, &found_file::path);
    return std::move(found_);
  }

 private:
  /// False if it has been seen before, perhaps by another name.
  bool is_new(const fs::path& path) {
    std::error_code error;
    const auto canonical = fs::canonical(path, error);
    return seen_.insert(error ? fs::absolute(path, error) : canonical).second;
  }

  void add_file(const fs::path& file, const std::string& node) {
    if (is_new(file)) found_.files.push_back({file, node, {}});
  }

  void list(const fs::path& root, const fs::path& folder, std::deque<fs::path>& folders,
            std::deque<fs::path>& links) {
    if (!is_new(folder)) return;
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder, error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code of_entry;
      const auto& path = entry->path();
      const bool is_link = entry->is_symlink(of_entry);
      const auto type = entry->status(of_entry).type();
      if (type == fs::file_type::directory)
        (is_link ? links : folders).push_back(path);
      else if (!is_named_like_a_result(path))
        continue;
      else if (type == fs::file_type::regular)
        add_file(path, node_of(root, path));
      else
        found_.problems.push_back(unusable(unusable_file_code, path,
                                           of_entry ? of_entry.message()
                                           : type == fs::file_type::not_found
                                               ? "the link leads nowhere"
                                               : "it is no file"));
    }
    if (error) found_.problems.push_back(unusable("unusable_folder", folder, error.message()));
  }

  found_files found_;
  std::set<fs::path> seen_;
};

}  // namespace

bool is_named_like_a_result(const fs::path& file) {
  auto name = file.filename().string();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  // Sweeps of earlier releases could have other names; the recorded ones are *.sweep.gz.
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".sweep.gz");
}

std::string names_of(const std::vector<std::filesystem::path>& folders) {
  constexpr std::size_t most_shown = 5;
  std::vector<std::string> names;
  for (const auto& folder : folders) names.push_back(common::printable(folder.string()));
  return common::listed(names, most_shown);
}

found_files files_below(const std::vector<std::filesystem::path>& folders) {
  finder finder;
  for (const auto& folder : folders) finder.add(folder);
  auto found = finder.found();
  if (found.files.empty())
    throw nothing_to_collect(
        found.problems.empty()
            ? fmt::format("there are no result files (.json, .json.gz) in {}", names_of(folders))
            : found.problems.front().text);
  return found;
}

}  // namespace bench_transfers::fleet
