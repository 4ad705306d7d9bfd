#include "src/report/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/common/text.hpp"

namespace bench_transfers::report {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* work_counter = "cpu_s_per_gb";
/// Up to this size the time of a copy is asked for, not its rate.
constexpr std::size_t small = 64 * 1024;

std::string size_text(std::size_t bytes) { return common::size_text(static_cast<double>(bytes)); }

std::map<std::size_t, question_size> sizes_of(const series& all,
                                              const char* counter = time_counter) {
  std::map<std::size_t, question_size> sizes;
  for (const auto& [size, benchmark] : all)
    if (!benchmark->values(counter).empty())
      sizes.emplace(
          size, question_size{benchmark->described->name, common_name_of(*benchmark->described)});
  return sizes;
}

/// Compared is the time of one size, followed the time of the largest small size.
void add_small_copies(const run& of, direction towards, std::vector<question>& asked) {
  auto copies = sizes_of(of.copies(towards, "pinned"));
  std::vector<std::size_t> sizes{small};
  if (!copies.empty() && copies.begin()->first < small) sizes.push_back(copies.begin()->first);
  for (const auto size : sizes)
    asked.push_back({.code = fmt::format("small pinned {} {}", to_string(towards), size),
                     .text = fmt::format("time of a small copy {}, pinned memory, {}", way(towards),
                                         size_text(size)),
                     .is_rate = false,
                     .at = size,
                     .sizes = copies});
  std::erase_if(copies, [](const auto& of_size) { return of_size.first > small; });
  asked.push_back({.code = fmt::format("small pinned {}", to_string(towards)),
                   .text = fmt::format("small pinned copy {}", way(towards)),
                   .is_rate = false,
                   .is_followed = true,
                   .is_compared = false,
                   .sizes = std::move(copies)});
}

}  // namespace

std::string common_name_of(const result_file::benchmark& described) {
  return result_file::benchmark_name(described.strategy, described.variant, described.size_bytes,
                                     described.cache);
}

std::vector<question> questions_of(const run& of) {
  std::vector<question> asked;
  for (const auto* memory : {"pinned", "pageable"})
    for (const auto towards : both_directions)
      asked.push_back({.code = fmt::format("copy {} {}", memory, to_string(towards)),
                       .text = fmt::format("{} memory {}", memory, way(towards)),
                       .is_followed = true,
                       .sizes = sizes_of(of.copies(towards, memory))});
  const auto& duplex = of.plainest(
      "duplex", [](const result_file::benchmark& copy) { return copy.memory == "pinned"; });
  asked.push_back({.code = "duplex pinned",
                   .text = "pinned memory both ways at once",
                   .is_followed = true,
                   .sizes = sizes_of(duplex)});
  for (const auto towards : both_directions)
    asked.push_back({.code = fmt::format("staged pageable {}", to_string(towards)),
                     .text = fmt::format("pageable memory {}, staged", way(towards)),
                     .sizes = sizes_of(of.copies(towards, "pageable", "staged"))});
  for (const auto towards : both_directions) add_small_copies(of, towards, asked);
  for (const auto* memory : {"pinned", "pageable"})
    asked.push_back({.code = fmt::format("cpu work {}", memory),
                     .text = fmt::format("work of the CPU, {} memory to the device", memory),
                     .counter = work_counter,
                     .sizes = sizes_of(of.copies(direction::h2d, memory), work_counter)});
  std::erase_if(asked, [](const question& each) { return each.sizes.empty(); });
  return asked;
}

json followed_questions(std::span<const question> questions) {
  auto all = json::array();
  for (const auto& asked : questions) {
    if (!asked.is_followed) continue;
    auto names = json::array();
    for (const auto& [size, one] : asked.sizes) names.push_back(one.benchmark);
    all.push_back({{"question", asked.text}, {"is_rate", asked.is_rate}, {"benchmarks", names}});
  }
  return all;
}

}  // namespace bench_transfers::report
