#include "src/manual/generate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "src/common/command_line.hpp"
#include "src/common/printable.hpp"

namespace bench_transfers::manual {

void add_generate(CLI::App& app, const std::string& version, std::function<command()> describe) {
  // The kinds are named as ripgrep names them.
  app.add_option_function<std::string>(
         "--generate",
         [version, describe = std::move(describe)](const std::string& kind) {
           if (kind == "man") throw generated{man_page(describe(), version)};
           if (kind == "complete-bash") throw generated{bash_completion(describe())};
           if (kind == "complete-zsh") throw generated{zsh_completion(describe())};
           if (kind == "complete-fish") throw generated{fish_completion(describe())};
           throw common::usage_error(
               fmt::format("bad --generate '{}': man, complete-bash, complete-zsh, complete-fish",
                           common::printable_in_short(kind)));
         },
         "print: man, complete-bash, complete-zsh or complete-fish")
      ->trigger_on_parse()
      ->type_name("KIND");
}

}  // namespace bench_transfers::manual
