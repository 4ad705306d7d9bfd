#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench_transfers::completion {

/// What an option takes.
enum class value { none, optional, required };

struct option {
  std::vector<std::string> names;  ///< with their dashes
  value takes = value::none;
  std::string placeholder;           ///< of the value: "FILE"
  std::vector<std::string> choices;  ///< values to offer; empty: no such list

  [[nodiscard]] bool takes_file() const { return placeholder.find("FILE") != std::string::npos; }
  [[nodiscard]] bool takes_folder() const { return placeholder == "DIR"; }
};

/// A program or one of its commands.
struct command {
  std::string name;
  std::vector<option> options = {};
  bool takes_files = false;  ///< without an option's name
  std::vector<command> commands = {};
};

/// Values of options that have a fixed set of them, or usual ones, by the option's name, after the
/// command's where it is one of a command: "--cache", "advise --direction".
using choices = std::map<std::string, std::vector<std::string>>;

/// Describes all options that --help shows. Throws std::logic_error for choices of an option that
/// is not there.
command describe(const CLI::App& app, const choices& offered);

}  // namespace bench_transfers::completion
