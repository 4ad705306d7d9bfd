#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench_transfers::manual {

/// What an option takes.
enum class value { none, optional, required };

/// An option, or an argument without a name of its own.
struct option {
  std::vector<std::string> names;  ///< with their dashes; of an argument its placeholder
  value takes = value::none;
  std::string placeholder;           ///< of the value: "FILE"
  std::vector<std::string> choices;  ///< values to offer; empty: no such list
  std::string description;
  bool repeatable = false;

  [[nodiscard]] bool takes_file() const { return placeholder.find("FILE") != std::string::npos; }
  [[nodiscard]] bool takes_folder() const { return placeholder == "DIR"; }
};

/// A program or one of its commands.
struct command {
  std::string name;
  std::string description;
  std::string notes;  ///< what --help ends with
  std::vector<option> options = {};
  std::vector<option> arguments = {};  ///< those without names, in order
  std::vector<command> commands = {};
};

/// Values of options that have a fixed set of them, or usual ones, by the option's name, after the
/// command's where it is one of a command: "--cache", "advise --direction".
using choices = std::map<std::string, std::vector<std::string>>;

/// Describes all options that --help shows. Throws std::logic_error for choices of an option that
/// is not there.
command describe(const CLI::App& app, const choices& offered);

}  // namespace bench_transfers::manual
