#include "src/exports/csv.hpp"

#include <gtest/gtest.h>

namespace bench_transfers::exports::csv_test {
namespace {

TEST(csv, leaves_numbers_as_they_are) {
  EXPECT_EQ(csv_of({"not written", {{"text"}, {"number", cells::numbers}}, {{{"a b", "-1.5"}}}}),
            "text,number\na b,-1.5\n");
}

TEST(csv, quotes_what_would_be_a_separator_or_a_formula) {
  EXPECT_EQ(csv_of({"", {{"text"}, {"more"}}, {{{"a,\"b\"", "=1"}}, {{"-", "a\nb"}}}}),
            "text,more\n\"a,\"\"b\"\"\",'=1\n'-,\"a\nb\"\n");
}

}  // namespace
}  // namespace bench_transfers::exports::csv_test
