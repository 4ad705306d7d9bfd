#include "src/advice/role_answers.hpp"

#include <algorithm>
#include <utility>

#include "src/result_file/contents.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::advice {
namespace {

/// The measurements without what memory costs.
measurements without_memory(measurements measured) {
  for (auto& series : measured.all_series)
    if (is_transfer(series.measures)) series.memory.reset();
  return measured;
}

ranked_job answer_about(const alternatives& job, const question& asked) {
  cost_model model(job.measured);
  auto ranked = model.rank(asked);
  if (ranked.strategies.size() < 2 && model.has_memory()) {
    cost_model other_model(without_memory(job.measured));
    if (auto others = other_model.rank(asked); others.strategies.size() > ranked.strategies.size())
      return {&job, std::move(other_model), asked, std::move(others), true};
  }
  return {&job, std::move(model), asked, std::move(ranked)};
}

unranked_job unranked(const ranked_job& answer) {
  const auto& left_out = answer.ranked.left_out;
  if (!left_out.empty()) return {answer.job, left_out.front().code, left_out.front().reason};
  if (answer.job->measured.ignored_transfers.unusable > 0)
    return {answer.job, "no_times", "none of its rows has a positive time"};
  return {answer.job, "all_failed", "all of its benchmarks failed"};
}

}  // namespace

ignored_rows role_answers::ignored() const {
  ignored_rows sum;
  for (const auto& answer : ranked) sum += answer.job->measured.ignored_transfers;
  for (const auto& job : left_out) sum += job.job->measured.ignored_transfers;
  // All jobs share the other rows.
  const auto with_memory = std::ranges::find_if(
      ranked, [](const ranked_job& answer) { return answer.model.has_memory(); });
  if (with_memory != ranked.end()) sum += with_memory->job->measured.ignored_others;
  return sum;
}

role_answers answers_about(
    const std::vector<alternatives>& jobs,
    const std::function<std::optional<question>(result_file::direction)>& ask) {
  role_answers answers;
  for (const auto& job : jobs) {
    const auto asked = ask(job.direction);
    if (!asked) continue;
    auto answer = answer_about(job, *asked);
    if (answer.ranked.strategies.empty())
      answers.left_out.push_back(unranked(answer));
    else
      answers.ranked.push_back(std::move(answer));
  }
  return answers;
}

file_for_answers read_for_answers(const std::filesystem::path& file, const std::string& device,
                                  const std::string& role, double reads,
                                  result_file::cache_state lines) {
  const auto content = result_file::read(file);
  result_file::require_bench_transfers(content, file);
  const auto index = index_of_device(content, file, device);
  return {measurements_in(content, file, index, lines),
          alternatives_in(content, file, index, role, reads), rankable_roles(content, index),
          lacks(result_file::needed::a_time, content)};
}

}  // namespace bench_transfers::advice
