#include "src/fleet/io/read_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "src/common/files.hpp"
#include "src/common/gzip.hpp"
#include "src/common/text.hpp"
#include "src/fleet/io/unusable_result.hpp"
#include "src/result_file/beginning.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::fleet {
namespace {

/// A process that was killed has kept what it had measured by then.
common::message incomplete_run(const measured_gpu& measured) {
  const auto& gpu = measured.gpu;
  return {"incomplete_run",
          {{"gpu", gpu.uuid},
           {"node", gpu.node},
           {"rank", common::or_null(gpu.rank)},
           {"file", measured.file}},
          fmt::format("{}GPU {} on node {} did not finish its run: only what it had measured "
                      "by then counts ({})",
                      gpu.rank ? fmt::format("rank {}, ", *gpu.rank) : "", gpu.uuid, gpu.node,
                      measured.file)};
}

/// What a file has, or why it cannot be used.
struct read_file {
  std::vector<measured_gpu> gpus = {};
  std::vector<common::message> problems = {};
  bool is_own = false;  ///< of `fleet_transfers` itself
};

common::message problem_of_file(const found_file& file, const std::string& why) {
  const auto told = file.bytes ? result_file::beginning_of_bytes(*file.bytes)
                               : result_file::beginning_of_file(file.path);
  return unusable_result(file.path, file.node, told, why);
}

result_file::contents contents_of(const found_file& file) {
  if (!file.bytes) return result_file::read(file.path);
  try {
    return result_file::read_text(common::unpacked(*file.bytes), file.path);
  } catch (const common::read_error& error) {
    throw result_file::unusable_file(
        fmt::format("cannot use {}: {}", common::printable(file.path.string()), error.what()));
  }
}

read_file read_one(const found_file& file) {
  const auto shown = common::printable(file.path.string());
  try {
    const auto read = contents_of(file);
    result_file::require_bench_transfers(read, file.path);
    using enum result_file::needed;  // that a run has ended early is an answer
    result_file::require(read.complete ? a_repetition : a_plan, read, file.path);
    auto node = file.node.empty() ? result_file::text_at(read.context, {"host_name"}) : file.node;
    read_file result{.gpus = gpus_of(read, node.empty() ? shown : node)};
    for (auto& gpu : result.gpus) {
      gpu.file = shown;
      if (!read.complete) result.problems.push_back(incomplete_run(gpu));
    }
    return result;
  } catch (const result_file::unusable_file& error) {
    if (!file.bytes && is_own_file(file.path)) return {.is_own = true};
    return {.problems = {problem_of_file(file, error.what())}};
  } catch (const result_file::bad_entry& error) {
    return {
        .problems = {problem_of_file(file, fmt::format("cannot use {}: {}", shown, error.what()))}};
  }
}

std::vector<read_file> read_all(const std::vector<found_file>& files,
                                const progress_function& progress) {
  std::vector<read_file> results(files.size());
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex failing, showing;
  std::exception_ptr failure;
  const auto work = [&] {
    for (auto i = next++; i < files.size(); i = next++) {
      try {
        results[i] = read_one(files[i]);
      } catch (...) {
        const std::scoped_lock lock(failing);
        if (!failure) failure = std::current_exception();
        next = files.size();
      }
      const auto finished = ++done;
      if (!progress) continue;
      const std::scoped_lock lock(showing);
      progress(finished, files.size());
    }
  };
  {
    constexpr unsigned most_threads = 16;
    std::vector<std::jthread> threads;
    const auto count = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
    for (unsigned i = 1; i < count; ++i) threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

using files_by_sweep = std::map<std::string, std::set<std::string>>;

files_by_sweep files_of_sweeps(const std::vector<measured_gpu>& gpus) {
  files_by_sweep files;
  for (const auto& measured : gpus) files[measured.sweep].insert(measured.file);
  return files;
}

/// For a message.
std::string ids_of(const files_by_sweep& files) {
  constexpr std::size_t most_shown = 5;
  std::vector<std::string> ids;
  for (const auto& [id, of_sweep] : files)
    ids.push_back(id.empty() ? "files without an id" : common::printable(id));
  return common::listed(ids, most_shown);
}

}  // namespace

bool is_own_file(const std::filesystem::path& file) {
  constexpr std::size_t beginning = 100;
  const auto text = common::beginning_of(file, beginning);
  return text.find(R"("kind")") != std::string::npos &&
         text.find(R"("fleet_)") != std::string::npos;
}

read_results read_files(found_files found, const progress_function& progress) {
  read_results results{{}, std::move(found.problems)};
  auto& [gpus, problems, own_files] = results;
  for (auto& file : read_all(found.files, progress)) {
    own_files += file.is_own;
    std::ranges::move(file.gpus, std::back_inserter(gpus));
    std::ranges::move(file.problems, std::back_inserter(problems));
  }
  if (gpus.empty())
    throw nothing_to_collect(fmt::format(
        "there is no result that can be used in {}: {}",
        common::counted(found.files.size(), "file"),
        problems.empty() ? "sweeps and answers are no results" : problems.front().text));
  return results;
}

std::size_t keep_sweep(read_results& results, const std::string& id) {
  const auto files = files_of_sweeps(results.gpus);
  if (!files.contains(id))
    throw nothing_to_collect(fmt::format("no result is of sweep '{}': there {} {}",
                                         common::printable(id), files.size() > 1 ? "are" : "is",
                                         ids_of(files)));
  std::set<std::string> others;
  for (const auto& [other, of_sweep] : files)
    if (other != id) others.insert(of_sweep.begin(), of_sweep.end());
  std::erase_if(results.gpus, [&](const measured_gpu& measured) { return measured.sweep != id; });
  std::erase_if(results.problems, [&](const common::message& problem) {
    const auto file = problem.data.value("file", "");
    const auto sweep = problem.data.find("sweep");
    const bool is_of_another =
        sweep != problem.data.end() && sweep->is_string() && sweep->get<std::string>() != id;
    if (is_of_another) others.insert(file);
    return others.contains(file);
  });
  return others.size();
}

void require_most_of_one_sweep(const read_results& results) {
  const auto files = files_of_sweeps(results.gpus);
  std::size_t all = 0, most = 0;
  for (const auto& [id, of_sweep] : files) {
    all += of_sweep.size();
    most = std::max(most, of_sweep.size());
  }
  if (files.size() < 2 || 2 * most > all) return;
  throw nothing_to_collect(fmt::format(
      "the files are of {} sweeps, of which none has more than half; choose one by --sweep=ID: {}",
      files.size(), ids_of(files)));
}

}  // namespace bench_transfers::fleet
