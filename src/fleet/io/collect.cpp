#include "src/fleet/io/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "src/common/printable.hpp"
#include "src/result_file/reader.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

namespace fs = std::filesystem;

bool is_result_file(const fs::path& file) {
  const auto name = file.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

/// The first folder below `root` on the way to the file.
std::string node_of(const fs::path& root, const fs::path& file) {
  const auto relative = file.lexically_relative(root);
  return relative.has_parent_path() ? common::printable(relative.begin()->string()) : std::string();
}

void add_files(const fs::path& root, std::vector<found_file>& files) {
  std::error_code error;
  if (!fs::exists(root, error))
    throw nothing_to_collect(
        fmt::format("there is no file or folder {}", common::printable(root.string())));
  if (!fs::is_directory(root, error)) {
    files.push_back({root, {}});
    return;
  }
  const auto options = fs::directory_options::follow_directory_symlink;
  for (auto entry = fs::recursive_directory_iterator(root, options, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code of_entry;
    if (entry->is_regular_file(of_entry) && is_result_file(entry->path()))
      files.push_back({entry->path(), node_of(root, entry->path())});
  }
  if (error)
    throw nothing_to_collect(fmt::format("cannot read the folder {}: {}",
                                         common::printable(root.string()), error.message()));
}

/// What a file has, or why it cannot be used.
struct read_file {
  std::vector<measured_gpu> gpus;
  std::vector<common::message> problems;
};

common::message problem(std::string code, nlohmann::ordered_json data, std::string text) {
  return {std::move(code), std::move(data), std::move(text)};
}

read_file read_one(const found_file& file) {
  const auto unusable = [&](const std::string& why) {
    return read_file{
        {}, {problem("unusable_file", {{"file", common::printable(file.path.string())}}, why)}};
  };
  try {
    const auto read = result_file::read(file.path);
    result_file::require_bench_transfers(read, file.path);
    auto host = result_file::text_at(read.context, {"host_name"});
    read_file result{gpus_of(read, file.node.empty() ? host : file.node), {}};
    if (!read.complete)
      result.problems.push_back(problem("incomplete_run",
                                        {{"file", common::printable(file.path.string())}},
                                        fmt::format("{} is of a run that did not reach its end",
                                                    common::printable(file.path.string()))));
    return result;
  } catch (const result_file::unusable_file& error) {
    return unusable(error.what());
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

/// The value that most of them have; of equally many the largest.
template <class Member>
std::string usual_of(const std::vector<measured_gpu>& gpus, Member member) {
  std::map<std::string, std::size_t> times;
  for (const auto& gpu : gpus) ++times[gpu.*member];
  const auto most = std::ranges::max_element(
      times, {}, [](const auto& entry) { return std::tuple(entry.second, entry.first); });
  return most == times.end() ? std::string() : most->first;
}

nlohmann::ordered_json identity(const gpu& gpu) { return {{"gpu", gpu.uuid}, {"node", gpu.node}}; }

class putting_together {
 public:
  explicit putting_together(std::vector<common::message> problems) {
    sweep_.problems = std::move(problems);
  }

  sweep run(std::vector<measured_gpu> gpus) {
    sweep_.id = usual_of(gpus, &measured_gpu::sweep);
    leave_out(gpus, &measured_gpu::sweep, "another_sweep", "sweep");
    leave_out(gpus, &measured_gpu::version, "another_version", "version");
    std::ranges::stable_sort(gpus, {}, [](const measured_gpu& measured) {
      return std::tie(measured.gpu.node, measured.gpu.rank, measured.gpu.uuid);
    });
    for (auto& measured : gpus) add(std::move(measured));
    choose_benchmarks();
    for (auto& measured : merged_) finish(std::move(measured));
    return std::move(sweep_);
  }

 private:
  void leave_out(std::vector<measured_gpu>& gpus, std::string measured_gpu::*member,
                 const char* code, const char* what) {
    const auto usual = usual_of(gpus, member);
    std::erase_if(gpus, [&](const measured_gpu& measured) {
      if (measured.*member == usual) return false;
      auto data = identity(measured.gpu);
      data[what] = measured.*member;
      sweep_.problems.push_back(problem(
          code, data,
          fmt::format("{} on {} is of {} '{}', the others of '{}': it is left out",
                      measured.gpu.uuid, measured.gpu.node, what, measured.*member, usual)));
      return true;
    });
  }

  /// Several runs of a GPU count together. A GPU cannot be on two nodes.
  void add(measured_gpu measured) {
    const auto known = by_uuid_.find(measured.gpu.uuid);
    if (known == by_uuid_.end()) {
      by_uuid_.emplace(measured.gpu.uuid, merged_.size());
      merged_.push_back(std::move(measured));
      return;
    }
    auto& first = merged_[known->second];
    if (first.gpu.node != measured.gpu.node) {
      auto data = identity(measured.gpu);
      data["other_node"] = first.gpu.node;
      sweep_.problems.push_back(
          problem("duplicate_gpu", data,
                  fmt::format("{} is on {} and on {}: the latter is left out", measured.gpu.uuid,
                              first.gpu.node, measured.gpu.node)));
      return;
    }
    for (auto& [name, more] : measured.benchmarks) {
      auto& times = first.benchmarks.try_emplace(name, more).first->second.times;
      if (times != more.times) times.insert(times.end(), more.times.begin(), more.times.end());
    }
    first.faults.insert(first.faults.end(), measured.faults.begin(), measured.faults.end());
    first.failed.insert(first.failed.end(), measured.failed.begin(), measured.failed.end());
    first.gpu.warnings.merge(measured.gpu.warnings);
    if (!first.world_size) first.world_size = measured.world_size;
  }

  void choose_benchmarks() {
    std::map<std::string, std::vector<double>> times;
    std::map<std::string, const measured_benchmark*> described;
    for (const auto& measured : merged_) {
      for (const auto& [name, benchmark] : measured.benchmarks) {
        times[name].push_back(statistics::median(benchmark.times));
        described.emplace(name, &benchmark);
      }
    }
    for (auto& [name, values] : times) {
      const auto& benchmark = *described.at(name);
      names_.push_back(name);
      sweep_.benchmarks.push_back(
          {name,
           {class_of(benchmark.limited_by, statistics::median(std::move(values))),
            benchmark.towards, benchmark.together}});
    }
  }

  void finish(measured_gpu measured) {
    for (const auto& name : names_) {
      const auto found = measured.benchmarks.find(name);
      measured.gpu.times.push_back(found == measured.benchmarks.end()
                                       ? std::vector<double>()
                                       : std::move(found->second.times));
    }
    for (const auto& name : measured.failed) {
      auto data = identity(measured.gpu);
      data["benchmark"] = name;
      sweep_.problems.push_back(problem(
          "failed_benchmark", data,
          fmt::format("{} failed on {} of {}", name, measured.gpu.uuid, measured.gpu.node)));
    }
    if (!measured.faults.empty()) {
      auto data = identity(measured.gpu);
      data["faults"] = measured.faults;
      sweep_.problems.push_back(problem("faults_injected", data,
                                        fmt::format("faults were injected on purpose on {} of {}",
                                                    measured.gpu.uuid, measured.gpu.node)));
    }
    if (measured.world_size && (!sweep_.world_size || *measured.world_size > *sweep_.world_size))
      sweep_.world_size = measured.world_size;
    sweep_.gpus.push_back(std::move(measured.gpu));
  }

  sweep sweep_;
  std::vector<measured_gpu> merged_;
  std::map<std::string, std::size_t> by_uuid_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<found_file> files_below(const std::vector<std::filesystem::path>& folders) {
  std::vector<found_file> files;
  for (const auto& folder : folders) add_files(folder, files);
  std::ranges::sort(files, {}, &found_file::path);
  if (files.empty()) throw nothing_to_collect("there are no result files (.json, .json.gz) there");
  return files;
}

sweep collect(const std::vector<found_file>& files, const progress_function& progress) {
  std::vector<measured_gpu> gpus;
  std::vector<common::message> problems;
  for (auto& file : read_all(files, progress)) {
    std::ranges::move(file.gpus, std::back_inserter(gpus));
    std::ranges::move(file.problems, std::back_inserter(problems));
  }
  return sweep_of(std::move(gpus), std::move(problems));
}

sweep sweep_of(std::vector<measured_gpu> gpus, std::vector<common::message> problems) {
  return putting_together(std::move(problems)).run(std::move(gpus));
}

}  // namespace bench_transfers::fleet
