#include <fmt/chrono.h>
#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>
#include <string_view>

#include "src/common/printable.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

/// Escapes the two printable characters that no XML document can contain (XML 1.0, "Char").
std::string xml_text(const std::string& text) {
  auto result = text;
  for (const auto& [character, words] :
       {std::pair<std::string_view, const char*>{"\xef\xbf\xbe", "\\ufffe"},
        {"\xef\xbf\xbf", "\\uffff"}})
    for (auto at = result.find(character); at != std::string::npos; at = result.find(character, at))
      result.replace(at, character.size(), words);
  return result;
}

enum class test_outcome { passed, failure, error, skipped };

const char* element_name(test_outcome result) {
  switch (result) {
    case test_outcome::failure: return "failure";
    case test_outcome::error: return "error";
    case test_outcome::passed:
    case test_outcome::skipped: break;
  }
  return "skipped";
}

struct test_case {
  const char* class_name;
  std::string name;
  test_outcome outcome = test_outcome::passed;
  std::string type = "";     ///< unless it passed
  std::string message = "";  ///< likewise
};

class suite {
 public:
  suite(const report& answer, std::chrono::sys_seconds now) {
    auto declaration = document_.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    node_ = document_.append_child("testsuites").append_child("testsuite");
    node_.append_attribute("name") =
        answer.on_host ? "gate_transfers on the host device (no GPU)" : "gate_transfers";
    node_.append_attribute("package") = "gate_transfers";
    node_.append_attribute("id") = 0;
    node_.append_attribute("timestamp") =
        fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)))
            .c_str();
    node_.append_attribute("hostname") = "localhost";
    properties_ = node_.append_child("properties");
  }

  void add_property(const char* name, const std::string& value) {
    auto property = properties_.append_child("property");
    property.append_attribute("name") = name;
    property.append_attribute("value") = xml_text(value).c_str();
  }

  void add(const test_case& test) {
    auto node = node_.append_child("testcase");
    node.append_attribute("classname") = test.class_name;
    node.append_attribute("name") = xml_text(test.name).c_str();
    node.append_attribute("time") = 0;  // a test case measures nothing itself
    ++tests_;
    if (test.outcome == test_outcome::passed) return;
    auto result = node.append_child(element_name(test.outcome));
    result.append_attribute("type") = test.type.c_str();
    result.append_attribute("message") = xml_text(test.message).c_str();
    ++counter_of(test.outcome);
  }

  std::string text(const std::string& printed) {
    node_.append_child("system-out")
        .append_child(pugi::node_pcdata)
        .set_value(xml_text(printed).c_str());
    node_.append_child("system-err");
    node_.append_attribute("tests") = tests_;
    node_.append_attribute("failures") = failures_;
    node_.append_attribute("errors") = errors_;
    node_.append_attribute("skipped") = skipped_;
    node_.append_attribute("time") = 0;
    std::ostringstream out;
    document_.save(out, " ", pugi::format_default, pugi::encoding_utf8);
    return out.str();
  }

 private:
  int& counter_of(test_outcome result) {
    if (result == test_outcome::failure) return failures_;
    return result == test_outcome::error ? errors_ : skipped_;
  }

  pugi::xml_document document_;
  pugi::xml_node node_, properties_;
  int tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
};

test_case test_case_of(const finding& benchmark, const report& answer) {
  test_case test{"gate_transfers.benchmarks", benchmark.name};
  test.type = to_string(benchmark.result);
  switch (benchmark.result) {
    case verdict::slower:
      test.outcome = test_outcome::failure;
      test.message = figures_sentence(benchmark, answer.judged_by);
      break;
    case verdict::ambiguous:
      test.outcome = test_outcome::error;
      test.message = "ambiguous: " + figures_sentence(benchmark, answer.judged_by);
      break;
    case verdict::missing:
      test.outcome = benchmark.excused ? test_outcome::skipped : test_outcome::error;
      test.message = verdict_text(answer, verdict::missing) + ": " +
                     (benchmark.note ? sentence_of(*benchmark.note) : "") +
                     (benchmark.excused ? " (allowed)" : "");
      break;
    case verdict::not_known:
      test.outcome = test_outcome::skipped;
      test.message = "not known: " + figures_sentence(benchmark, answer.judged_by);
      break;
    case verdict::unchanged:
    case verdict::faster:
    case verdict::added: break;
  }
  return test;
}

}  // namespace

std::string junit_of(const report& answer, std::chrono::sys_seconds now) {
  suite tests(answer, now);
  tests.add_property("verdict", verdict_sentence(answer));
  tests.add_property("compared", origin_sentence(answer));
  tests.add_property("benchmarks", counts_sentence(answer));
  tests.add_property("thresholds", thresholds_text(answer.question.limits));
  for (const auto& change : answer.changed)
    tests.add_property("changed", fmt::format("{}: {}", change.fact.key, changed_text(change)));
  for (const auto& part : answer.classes) tests.add_property("class", class_sentence(answer, part));
  const bool is_inconclusive = answer.code == exit_code::inconclusive;
  for (const auto& cause : is_inconclusive ? answer.reasons : std::vector<reason>()) {
    const auto why = sentence_of(cause, answer.question.limits);
    tests.add({"gate_transfers.inconclusive", why, test_outcome::error, "inconclusive", why});
  }
  for (const auto& benchmark : answer.findings) tests.add(test_case_of(benchmark, answer));
  return tests.text(text_of(answer, true));
}

}  // namespace bench_transfers::gate
