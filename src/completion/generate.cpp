#include "src/completion/generate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::completion {

void add_generate(CLI::App& app, std::function<command()> describe) {
  // Named as ripgrep names it.
  app.add_option_function<std::string>(
         "--generate",
         [describe = std::move(describe)](const std::string& kind) {
           if (kind == "complete-bash") throw generated{bash_completion(describe())};
           throw common::usage_error(
               fmt::format("bad --generate '{}': complete-bash", common::printable_in_short(kind)));
         },
         "print what bash completes by: complete-bash")
      ->trigger_on_parse()
      ->type_name("KIND");
}

}  // namespace bench_transfers::completion
