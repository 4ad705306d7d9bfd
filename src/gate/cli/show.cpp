#include "src/gate/report/show.hpp"

#include "src/common/program.hpp"
#include "src/gate/cli/files.hpp"
#include "src/gate/cli/options.hpp"

namespace bench_transfers::gate {
namespace {

class show_command final : public commands::command {
 public:
  explicit show_command(CLI::App& options) {
    add_runs(options, runs_).required();
    add_metric(options, judged_by_);
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto runs = read_runs(runs_, judged_by_.judged_by);
    common::print(side_by_side(runs, metric_of(judged_by_, runs),
                               common::columns_of(stdout, common::terminal_columns)));
    return exit_code::pass;
  }

  [[nodiscard]] commands::offers offered() const override { return metrics_offered(); }

 private:
  paths runs_;
  metric_request judged_by_;
};

const commands::registration<show_command> showing{"show", "Show result files side by side."};

}  // namespace
}  // namespace bench_transfers::gate
