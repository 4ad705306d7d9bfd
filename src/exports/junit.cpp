#include "src/exports/junit.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <utility>

namespace bench_transfers::exports {
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

const char* element_name(test_outcome result) {
  switch (result) {
    case test_outcome::failure: return "failure";
    case test_outcome::error: return "error";
    case test_outcome::passed:
    case test_outcome::skipped: break;
  }
  return "skipped";
}

}  // namespace

struct junit_suite::document {
  int& counter_of(test_outcome result) {
    if (result == test_outcome::failure) return failures;
    return result == test_outcome::error ? errors : skipped;
  }

  pugi::xml_document xml;
  pugi::xml_node suite, properties;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

junit_suite::junit_suite(const char* package, const std::string& name, std::chrono::sys_seconds now)
    : document_(std::make_unique<document>()) {
  auto& xml = document_->xml;
  auto declaration = xml.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  auto& suite = document_->suite = xml.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = xml_text(name).c_str();
  suite.append_attribute("package") = package;
  suite.append_attribute("id") = 0;
  suite.append_attribute("timestamp") =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)))
          .c_str();
  suite.append_attribute("hostname") = "localhost";
  document_->properties = suite.append_child("properties");
}

junit_suite::~junit_suite() = default;

void junit_suite::add_property(const char* name, const std::string& value) {
  auto property = document_->properties.append_child("property");
  property.append_attribute("name") = name;
  property.append_attribute("value") = xml_text(value).c_str();
}

void junit_suite::add(const test_case& test) {
  auto node = document_->suite.append_child("testcase");
  node.append_attribute("classname") = test.class_name.c_str();
  node.append_attribute("name") = xml_text(test.name).c_str();
  node.append_attribute("time") = 0;  // a test case measures nothing itself
  ++document_->tests;
  if (test.outcome == test_outcome::passed) return;
  auto result = node.append_child(element_name(test.outcome));
  result.append_attribute("type") = test.type.c_str();
  result.append_attribute("message") = xml_text(test.message).c_str();
  if (!test.lines.empty())
    result.append_child(pugi::node_pcdata).set_value(xml_text(test.lines).c_str());
  ++document_->counter_of(test.outcome);
}

std::string junit_suite::text(const std::string& printed) {
  auto& suite = document_->suite;
  suite.append_child("system-out")
      .append_child(pugi::node_pcdata)
      .set_value(xml_text(printed).c_str());
  suite.append_child("system-err");
  suite.append_attribute("tests") = document_->tests;
  suite.append_attribute("failures") = document_->failures;
  suite.append_attribute("errors") = document_->errors;
  suite.append_attribute("skipped") = document_->skipped;
  suite.append_attribute("time") = 0;
  std::ostringstream out;
  document_->xml.save(out, " ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace bench_transfers::exports
