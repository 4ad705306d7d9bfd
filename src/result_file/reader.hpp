#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "src/result_file/contents.hpp"

// The reader of result files: ours of both formats, and those of other programs that use Google
// Benchmark.

namespace bench_transfers::result_file {

/// A file that cannot be used; what() is one line that names the file and the reason.
class unusable_file : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a file, also one compressed with gzip, of up to common::most_text_bytes (unpacked). Throws
/// unusable_file: it cannot be read, is no JSON, of a newer format, or says something about a
/// benchmark or a repetition that cannot be, or that contradicts itself.
contents read(const std::filesystem::path& file);

/// The same from a file's text; `file` is only named. Throws unusable_file.
contents read_text(std::string text, const std::filesystem::path& file);

/// The same from what is about to be written to `file`, so that a summary tells what a reader of
/// the file would be told. Throws unusable_file.
contents read_json(const nlohmann::ordered_json& document, const std::filesystem::path& file);

/// A file's text as JSON. Throws unusable_file.
nlohmann::ordered_json document_in(std::string text, const std::filesystem::path& file);

/// Throws unusable_file where the contents are another program's.
void require_bench_transfers(const contents& read, const std::filesystem::path& file);

/// Throws unusable_file where the contents lack what an answer needs.
void require(needed what, const contents& read, const std::filesystem::path& file);

}  // namespace bench_transfers::result_file
