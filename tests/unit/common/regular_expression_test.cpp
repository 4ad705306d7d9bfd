#include "src/common/regular_expression.hpp"

#include <fmt/format.h>

#include <string>

#include "tests/basics.hpp"

namespace bench_transfers::common::regular_expression_test {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

bool finds(const std::string& expression, const std::string& text) {
  return std::regex_search(text, common::regular_expression(expression));
}

auto refused_as(const std::string& reason) {
  return Throws<common::expression_error>(
      Property(&common::expression_error::what, HasSubstr(reason)));
}

TEST(RegularExpression, IsExtended) {
  EXPECT_TRUE(finds("^copy/(pinned|pageable)/[[:alnum:]]+/1{1}MiB$", "copy/pinned/d2h/1MiB"));
  EXPECT_FALSE(finds("^copy/(pinned|pageable)/[]|x]", "copy/pinned/d2h/1MiB"));
}

TEST(RegularExpression, InvalidIsRefused) {
  for (const auto* text : {"(", "a)", "[a", "*", "a{", "a{2", "[[:nothing:]]", "\\"})
    EXPECT_THAT([&] { common::regular_expression(text); },
                refused_as("is not a regular expression"))
        << text;
}

TEST(RegularExpression, ThatWouldExhaustTheStackIsRefused) {
  constexpr std::size_t times = 100'000;
  for (const auto* part :
       {"a", "(", "()", "[|]", "\\|", "[^]|]", "[[.|.]]", "a*", "(a|b)", "((", "x("})
    EXPECT_THAT([&] { common::regular_expression(repeated(part, times)); },
                refused_as("is too long: more than 2000 characters in sequence"))
        << part;
  EXPECT_THAT([&] { common::regular_expression("(" + repeated("a", times) + "|b)"); },
              refused_as("is too long"));
  EXPECT_THAT([&] { common::regular_expression("((a*){200}){200}"); }, refused_as("is too long"));
  EXPECT_THAT([&] { common::regular_expression("(a*){9999999999999999999999}"); },
              refused_as("is too long"));
}

TEST(RegularExpression, ThatWouldExhaustMemoryIsRefused) {
  EXPECT_THAT([&] { common::regular_expression(repeated("aaaaaaaaaaaaaaaaaaa|", 10'000)); },
              refused_as("is too large"));
}

/// --confirm passes the names of suspects as alternatives.
TEST(RegularExpression, TakesThousandsOfAlternatives) {
  std::string names = "^(";
  for (int i = 0; i < 2000; ++i) names += fmt::format("copy/pinned/h2d/{}KiB|", i);
  names += "copy/last)$";
  EXPECT_TRUE(finds(names, "copy/pinned/h2d/1999KiB"));
  EXPECT_TRUE(finds(names, "copy/last"));
  EXPECT_FALSE(finds(names, "copy/pinned/h2d/2000KiB"));
}

}  // namespace
}  // namespace bench_transfers::common::regular_expression_test
