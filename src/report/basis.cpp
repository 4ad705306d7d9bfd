#include <fmt/format.h>

#include "src/advice/small_transfers.hpp"
#include "src/common/text.hpp"
#include "src/report/choices.hpp"
#include "src/report/said.hpp"

namespace bench_transfers::report {
namespace {

using advice::measured_terms;

/// The terms of a predicted time, in words.
struct terms_in_words {
  std::vector<std::string> summed, missing;
};

terms_in_words words_of(const measured_terms& terms) {
  terms_in_words words;
  const auto add = [&](bool is_measured, const char* term) {
    (is_measured ? words.summed : words.missing).emplace_back(term);
  };
  add(terms.allocation, "allocating and freeing memory once for all its uses");
  add(terms.cpu_writes, "filling the memory by the CPU before an upload");
  add(terms.cpu_reads, "reading it by the CPU after a download");
  words.summed.emplace_back("the transfer");
  return words;
}

std::string small_size() { return common::size_text(advice::largest_small_transfer); }

common::message predicted(const measured_terms& terms, const std::vector<std::string>& summed) {
  const auto sum =
      summed.size() > 1 ? "the sum of " + common::in_sentence(summed) : "the transfer alone";
  const auto pooled = terms.cpu_writes || terms.cpu_reads
                          ? "What the CPU pays is pooled over kinds of memory that are alike in "
                            "effect. "
                          : "";
  return {"predicted",
          {{"alike", statistics::alike},
           {"most_apart", statistics::most_apart},
           {"largest_small_transfer", advice::largest_small_transfer}},
          fmt::format(
              "Times are predicted from this run by bench_transfers advise: {}. {}The plainest "
              "strategy within {} of the fastest is named, or within {} if the two cannot be told "
              "apart. Up to {} it is the plain copy, unless the repetitions of such copies show "
              "that another strategy is clearly faster.",
              sum, pooled, percent_beyond(statistics::alike),
              percent_beyond(statistics::most_apart), small_size())};
}

/// The same, below a map of the strategies.
common::message predicted_of_map() {
  return {
      "map", nlohmann::ordered_json::object(),
      fmt::format("predicted by bench_transfers advise: allocating the memory, filling or "
                  "reading it by the CPU, the transfer; CPU access is pooled over kinds of "
                  "memory alike in effect; the plainest within {}, or within {} if it cannot be "
                  "told from the fastest; up to {} the plain copy, unless its repetitions are "
                  "clearly slower; *: extrapolated, of sizes at which a part was not measured",
                  percent_beyond(statistics::alike), percent_beyond(statistics::most_apart),
                  small_size())};
}

}  // namespace

std::vector<common::message> basis_of_recommendations(const run& of) {
  const auto terms = choices(of).terms();
  if (!terms) return {};
  const auto [summed, missing] = words_of(*terms);
  std::vector<common::message> said{
      predicted(*terms, summed),
      predicted_of_map(),
      {"extrapolated", nlohmann::ordered_json::object(),
       "Extrapolated: at that size a part of the sum was not measured, mostly allocating or the "
       "CPU's access, which are measured at fewer sizes than transfers."}};
  if (!missing.empty())
    said.push_back(
        {"not_included", nlohmann::ordered_json::object(),
         fmt::format("Not measured here, and not included: {}.", common::in_sentence(missing))});
  return said;
}

}  // namespace bench_transfers::report
