#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace bench_transfers::exports {

enum class test_outcome { passed, failure, error, skipped };

struct test_case {
  std::string class_name;
  std::string name;
  test_outcome outcome = test_outcome::passed;
  std::string type = "";     ///< unless it passed
  std::string message = "";  ///< likewise; one line
  std::string lines = "";    ///< likewise: whatever else there is to say
};

/// An answer as JUnit's XML. Valid by the schemas of Jenkins' xUnit plugin (junit-10.xsd) and of
/// Ant's JUnit task, which needs the time `now`. Texts must be printable (common/printable.hpp).
class junit_suite {
 public:
  junit_suite(const char* package, const std::string& name, std::chrono::sys_seconds now);
  ~junit_suite();

  void add_property(const char* name, const std::string& value);
  void add(const test_case& test);
  /// The document, with what the program has printed. To be called once.
  std::string text(const std::string& printed);

 private:
  struct document;
  std::unique_ptr<document> document_;
};

}  // namespace bench_transfers::exports
