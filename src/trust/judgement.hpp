#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/result_file/contents.hpp"

// How far the numbers of a result file can be trusted, by what it says of its machine and by its
// times.

namespace bench_transfers::trust {

enum class subject {
  run,
  link,
  host,  ///< who else may use it
  memory,
  gpu_clocks,
  cpu_clocks,
  governor,
  noise,
  rate,      ///< of the fastest copy in one direction, beside what the link can carry
  both_ways  ///< the same of both directions at once
};

/// What a file says of a subject.
struct finding {
  trust::subject about;
  common::message said;  ///< its text is made of sentences
  bool warns = false;
  std::string brief = {};    ///< the text in a few words; may be empty
  std::string unknown = {};  ///< the fact that the file lacks; may be empty
};

enum class state { good, warning, unknown };

/// A verdict on several subjects: good only if each fact that it needs is known, and none warns.
struct mark {
  std::string name;  ///< "Link"
  trust::state state = trust::state::unknown;
  std::string verdict;  ///< "full speed"
  std::string details;
  std::vector<std::size_t> evidence;  ///< indices of findings
  std::string clause = {};            ///< what was seen, within a sentence, if that is good
};

/// A sentence, which begins with `lead`.
struct verdict {
  std::string lead, text;
  bool warns = false;
};

/// Which benchmarks of one job are as good as the fastest, as far as repetitions tell.
struct choice {
  std::string role;
  result_file::direction towards = result_file::direction::none;
  std::size_t size_bytes = 0;
  bool of_pageable = false;             ///< of those of pageable memory alone
  std::vector<std::string> benchmarks;  ///< names, the plainest first
};

struct judgement {
  std::vector<finding> findings;
  std::vector<std::size_t> alerts;        ///< indices of what is wrong with the run as a whole
  std::vector<mark> marks;                ///< none if faults were injected
  std::optional<trust::verdict> verdict;  ///< likewise
  std::vector<choice> choices;
  /// Of the program that measured, about what no finding is about.
  std::vector<common::message> warnings;
};

/// The faults that were injected on purpose.
std::vector<std::string> faults_in(const result_file::contents& read);

judgement judge(const result_file::contents& read);

nlohmann::ordered_json to_json(const judgement& given);

}  // namespace bench_transfers::trust
