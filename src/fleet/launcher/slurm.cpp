#include "src/fleet/launcher/slurm.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace bench_transfers::fleet {
namespace {

/// Others are an interactive shell, a batch script, and what an ssh session joins (slurm.h,
/// SLURM_INTERACTIVE_STEP and above).
bool is_step_of_srun(const environment& variables) {
  constexpr std::size_t first_special = 4'294'967'290;
  std::size_t step = 0;
  const auto text = variable_reader(variables).text(slurm_step);
  std::from_chars(text.data(), text.data() + text.size(), step);
  return step < first_special;
}

/// The value for an index of a list such as "8(x2),4" (sbatch(1), SLURM_TASKS_PER_NODE); none if
/// the list is another one.
std::optional<std::size_t> in_repeated_list(std::string_view list, std::size_t index) {
  const auto take_number = [&]() -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto [stopped, error] = std::from_chars(list.data(), list.data() + list.size(), value);
    if (error != std::errc{}) return std::nullopt;
    list.remove_prefix(static_cast<std::size_t>(stopped - list.data()));
    return value;
  };
  for (std::size_t before = 0; !list.empty();) {
    const auto value = take_number();
    if (!value) return std::nullopt;
    std::size_t times = 1;
    if (list.starts_with("(x")) {
      list.remove_prefix(2);
      times = take_number().value_or(0);
      if (!list.starts_with(')')) return std::nullopt;
      list.remove_prefix(1);
    }
    if (index - before < times) return value;
    before += times;
    if (list.starts_with(',')) list.remove_prefix(1);
  }
  return std::nullopt;
}

}  // namespace

bool is_slurm_rank(const environment& variables) {
  // Of a step without tasks of its own, the job's number of tasks says nothing.
  return is_step_of_srun(variables) || variables("SLURM_STEP_NUM_TASKS");
}

std::optional<std::size_t> slurm_local_size(variable_reader& read) {
  // The job's list says nothing of a step with a number of its own.
  const auto list = read.value({"SLURM_STEP_NUM_TASKS"})
                        ? read.value({"SLURM_STEP_TASKS_PER_NODE"})
                        : read.value({"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  const auto node = read.number({"SLURM_NODEID"}, 0, most_launched_ranks);
  return list && node ? in_repeated_list(*list, *node) : std::nullopt;
}

std::string slurm_leaf_switch(const environment& variables) {
  variable_reader read(variables);
  const auto address = read.text({"SLURM_TOPOLOGY_ADDR"});
  const auto pattern = read.text({"SLURM_TOPOLOGY_ADDR_PATTERN"});
  std::string found;
  std::size_t in_address = 0;
  std::size_t in_pattern = 0;
  while (in_address < address.size() && in_pattern < pattern.size()) {
    const auto end = std::min(address.find('.', in_address), address.size());
    const auto word_end = std::min(pattern.find('.', in_pattern), pattern.size());
    if (pattern.substr(in_pattern, word_end - in_pattern) == "switch")
      found = address.substr(in_address, end - in_address);
    in_address = end + 1;
    in_pattern = word_end + 1;
  }
  return found;
}

}  // namespace bench_transfers::fleet
