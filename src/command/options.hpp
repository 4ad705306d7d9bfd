#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bench_transfers::commands {

// Options that write a command's answer. They have the same names and words in all programs.
void add_json(CLI::App& command, std::filesystem::path& output);
void add_markdown(CLI::App& command, std::filesystem::path& output);
void add_junit(CLI::App& command, std::filesystem::path& output);
void add_openmetrics(CLI::App& command, std::filesystem::path& output);

/// All files that are given, by a name or in place.
CLI::Option& add_files(CLI::App& command, const char* name,
                       std::vector<std::filesystem::path>& files, const char* description);

/// An option that counts each time it is given, with one value each time: it would take the file
/// that follows, too.
CLI::Option& take_each(CLI::Option& option, const char* type);

/// Whether an option may be there because of its variable alone.
bool may_be_of_environment(const CLI::Option& option);

/// Throws usage_error for the first of these options that is given, which have no effect with
/// `mode`. What variables set does not count.
void refuse_without_effect(const CLI::App& command, const std::vector<std::string_view>& options,
                           std::string_view mode);

/// The long options of a program or command, "--out", and its commands: what an argument that it
/// does not know may have been meant for.
std::set<std::string> option_names(const CLI::App& app);

}  // namespace bench_transfers::commands
