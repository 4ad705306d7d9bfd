#include "tests/simulation/made_up_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace bench_transfers::simulation {
namespace {

using fleet::aspect;
using fleet::benchmark_class;
using fleet::direction;

/// What a sweep of a minute measures: both directions, alone and all GPUs of a node at once.
std::vector<fleet::benchmark> benchmarks_of_sweep() {
  constexpr int sizes = 3;
  std::vector<fleet::benchmark> list;
  const auto add = [&](const char* name, aspect aspect) {
    for (int size = 0; size < sizes; ++size)
      list.push_back({fmt::format("{}/{}/{}/{}", name, to_string(aspect.towards),
                                  aspect.together ? "together" : "alone", size),
                      aspect});
  };
  for (const auto towards : {direction::h2d, direction::d2h}) {
    for (const bool together : {false, true})
      add("pinned", {benchmark_class::link, towards, together});
    add("pageable", {benchmark_class::host, towards, false});
    add("small", {benchmark_class::latency, towards, false});
  }
  return list;
}

class maker {
 public:
  maker(const fleet_kind& kind, const std::vector<fault>& faults, std::mt19937_64& parts,
        std::mt19937_64& measurements)
      : kind_(kind), parts_(parts), measurements_(measurements) {
    for (const auto& fault : faults) faults_.emplace(fault.name, fault);
    sweep_.benchmarks = benchmarks_of_sweep();
    for (const auto& noise : recorded_noise()) noise_.emplace(noise.kind, noise);
    for (const auto& benchmark : sweep_.benchmarks) {
      const auto& noise = noise_.at(benchmark.aspect.kind);
      deviations_.push_back({log_uniform(noise.benchmark), log_uniform(noise.repetition)});
    }
    of_sweep_ = shifts_of_measurement(kind.of_sweeps);
  }

  fleet::sweep make() {
    for (std::size_t node = 0; node < kind_.nodes; ++node) add_node(node);
    return std::move(sweep_);
  }

 private:
  struct deviations {
    double benchmark, repetition;
  };
  using shifts = std::map<benchmark_class, double>;

  static double uniform(double low, double high, std::mt19937_64& random) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  double log_uniform(const range& range) {
    return std::exp(uniform(std::log(range.least), std::log(range.most), parts_));
  }
  double noise(double deviation, double degrees, std::mt19937_64& random) {
    return kind_.heavy_tails ? deviation * std::student_t_distribution<double>(degrees)(random)
                             : std::normal_distribution<double>(0, deviation)(random);
  }

  shifts common_shifts() {
    shifts result;
    for (const auto& [kind, noise] : noise_)
      result[kind] = this->noise(noise.common / std::sqrt(2.0), 6, parts_);
    return result;
  }

  /// What a class differs by in this sweep; nothing is drawn where it does not.
  shifts shifts_of_measurement(double part_of_common) {
    shifts result;
    for (const auto& [kind, noise] : noise_)
      result[kind] =
          part_of_common > 0 ? this->noise(part_of_common * noise.common, 6, measurements_) : 0;
    return result;
  }

  void add_node(std::size_t node) {
    const auto of_node = common_shifts();
    for (std::size_t number = 0; number < kind_.gpus_in_node; ++number) {
      auto of_gpu = common_shifts();
      for (auto& [kind, shift] : of_gpu) shift += of_node.at(kind);
      if (uniform(0, 1, parts_) < kind_.dead) continue;
      auto& gpu = sweep_.gpus.emplace_back();
      gpu.uuid = name_of_gpu(node, number);
      gpu.model = fmt::format("made-up GPU {}", node % kind_.models);
      gpu.node = name_of_node(node);
      gpu.rack = name_of_rack(node / kind_.nodes_in_rack);
      gpu.slot = name_of_slot(number);
      const auto now = shifts_of_measurement(kind_.between_sweeps);
      for (auto& [kind, shift] : of_gpu) shift += of_sweep_.at(kind) + now.at(kind);
      measure(gpu, of_gpu);
    }
  }

  void measure(fleet::gpu& gpu, const shifts& common) {
    for (std::size_t i = 0; i < sweep_.benchmarks.size(); ++i) {
      const auto& aspect = sweep_.benchmarks[i].aspect;
      const auto level = std::log(noise_.at(aspect.kind).nanoseconds) + common.at(aspect.kind) +
                         noise(deviations_[i].benchmark, 3, parts_) + slower(gpu, aspect);
      auto& runs = gpu.times.emplace_back(kind_.runs);
      for (auto& times : runs) {
        for (std::size_t r = 0; r < kind_.repetitions; ++r) {
          double cost = level + noise(deviations_[i].repetition, 3, measurements_);
          if (uniform(0, 1, measurements_) < kind_.outliers)
            cost += std::log(uniform(1.02, 1.5, measurements_));
          times.push_back(std::exp(cost));
        }
      }
    }
  }

  [[nodiscard]] double slower(const fleet::gpu& gpu, const aspect& aspect) const {
    double sum = 0;
    for (const auto& name : {gpu.uuid, gpu.node, gpu.rack, gpu.slot, std::string()}) {
      const auto [first, last] = faults_.equal_range(name);
      for (auto found = first; found != last; ++found) {
        const auto& fault = found->second;
        const bool concerned =
            std::ranges::find(fault.towards, aspect.towards) != fault.towards.end() &&
            (aspect.together || !fault.together_only);
        if (concerned && (!fault.link_only || aspect.kind == benchmark_class::link))
          sum += std::log1p(fault.slower);
      }
    }
    return sum;
  }

  const fleet_kind& kind_;
  std::mt19937_64 &parts_, &measurements_;
  std::multimap<std::string, fault> faults_;
  std::map<benchmark_class, class_noise> noise_;
  std::vector<deviations> deviations_;
  shifts of_sweep_;
  fleet::sweep sweep_;
};

}  // namespace

std::vector<class_noise> recorded_noise() {
  return {{benchmark_class::link, 2.4e6, .0022, {.0004, .0029}, {.0008, .0020}},
          {benchmark_class::host, 1.0e6, .0709, {.0113, .0733}, {.0233, .0918}},
          {benchmark_class::latency, 7e3, .0734, {.0200, .1204}, {.0072, .0562}}};
}

std::string name_of_gpu(std::size_t node, std::size_t number) {
  return fmt::format("GPU-node{}-{}", node, number);
}
std::string name_of_node(std::size_t node) { return fmt::format("node{}", node); }
std::string name_of_rack(std::size_t rack) { return fmt::format("rack{}", rack); }
std::string name_of_slot(std::size_t number) { return fmt::format("0000:{:02x}:00.0", number + 1); }

fleet::sweep make_up(const fleet_kind& kind, const std::vector<fault>& faults,
                     std::mt19937_64& random) {
  return make_up(kind, faults, random, random);
}

fleet::sweep make_up(const fleet_kind& kind, const std::vector<fault>& faults,
                     std::mt19937_64& parts, std::mt19937_64& measurements) {
  return maker(kind, faults, parts, measurements).make();
}

void slow_down(fleet::benchmark_times& runs, double factor) {
  for (auto& run : runs)
    for (auto& time : run) time *= factor;
}

void slow_down(fleet::gpu& gpu, double factor) {
  for (auto& runs : gpu.times) slow_down(runs, factor);
}

}  // namespace bench_transfers::simulation
