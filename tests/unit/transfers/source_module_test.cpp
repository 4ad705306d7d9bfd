#include "transfers/launch/source_module.hpp"

#include <string>

#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers::source_module_test {
namespace {

const std::string doublify = "__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }";

/// Needs the compiler, but no GPU.
class compile_source_test : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_compiler()) GTEST_SKIP() << *reason;
  }

  static compile_error refusal(std::string_view source, const source_options& options = {}) {
    return bench_transfers::common::thrown_by<compile_error>(
               [&] { return compile_source(source, "sm_90", options); })
        .value_or(compile_error("it compiles", ""));
  }
};

TEST(why_no_compiler, is_one_line_and_what_compiling_throws) {
  const auto reason = why_no_compiler();
  if (!reason) GTEST_SKIP() << "there is a compiler";
  EXPECT_THAT(*reason, AllOf(Not(IsEmpty()), Not(HasSubstr("\n"))));
  EXPECT_THAT([] { static_cast<void>(compile_source(doublify, "sm_90")); },
              ThrowsMessage<unsupported>(*reason));
}

TEST_F(compile_source_test, makes_machine_code) {
  const auto compiled = compile_source(doublify, "sm_90");
  EXPECT_EQ(std::string(compiled.cubin.data(), 4),
            "\x7F"
            "ELF");
  EXPECT_THAT(compiled.log, IsEmpty());
  EXPECT_THAT(compiled.lowered_names, IsEmpty());
}

TEST_F(compile_source_test, finds_functions_by_their_plain_names) {
  const auto compiled = compile_source(doublify, "sm_90");
  const std::string code(compiled.cubin.begin(), compiled.cubin.end());
  EXPECT_THAT(code, HasSubstr(".text.doublify"));
}

TEST_F(compile_source_test, an_error_is_one_line_with_the_users_line_number) {
  const auto refused = refusal("__global__ void f(int* a) {\n  a[0] = 1;\n  a[1] = nothing;\n}\n");
  EXPECT_STREQ(refused.what(), "source.cu(3): error: identifier \"nothing\" is undefined");
  EXPECT_THAT(refused.log(), AllOf(HasSubstr(refused.what()), HasSubstr("a[1] = nothing;")));
}

TEST_F(compile_source_test, line_numbers_are_the_same_without_extern_c) {
  source_options cpp;
  cpp.extern_c = false;
  EXPECT_THAT(refusal("\n\nnonsense", cpp).what(), StartsWith("source.cu(3): error: "));
}

TEST_F(compile_source_test, the_reported_line_is_that_of_the_error_not_of_an_earlier_warning) {
  const auto refused = refusal(
      "__global__ void f() {\n"
      "  int error; // error: not this one\n"
      "  nonsense;\n"
      "}");
  EXPECT_THAT(refused.what(), StartsWith("source.cu(3): error: "));
  EXPECT_THAT(refused.log(), HasSubstr("source.cu(2): warning"));
}

TEST_F(compile_source_test, an_error_of_the_assembler_is_reported_as_well) {
  EXPECT_THAT(refusal("__global__ void f() { asm(\"bogus;\"); }").what(),
              AllOf(HasSubstr("error"), HasSubstr("bogus"), Not(HasSubstr("\n"))));
}

TEST_F(compile_source_test, warnings_are_kept) {
  const auto compiled = compile_source("__global__ void f() {\n  int unused;\n}", "sm_90");
  EXPECT_THAT(compiled.cubin, Not(IsEmpty()));
  EXPECT_THAT(compiled.log, AllOf(HasSubstr("source.cu(2): warning"), HasSubstr("unused")));
}

TEST_F(compile_source_test, templates_are_found_by_their_cpp_names) {
  source_options cpp;
  cpp.extern_c = false;
  cpp.names = {"scale<float>", "inner::scale<double, 2>"};
  const auto compiled = compile_source(
      "template <class T> __global__ void scale(T* a, T by) { *a *= by; }\n"
      "namespace inner { template <class T, int n> __global__ void scale(T* a) { *a *= n; } }",
      "sm_90", cpp);
  ASSERT_THAT(compiled.lowered_names, SizeIs(2));
  const std::string code(compiled.cubin.begin(), compiled.cubin.end());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(compiled.lowered_names[i].first, cpp.names[i]);
    EXPECT_THAT(code, HasSubstr(".text." + compiled.lowered_names[i].second));
  }
}

TEST_F(compile_source_test, a_name_that_is_not_in_the_source_is_an_error) {
  source_options cpp;
  cpp.extern_c = false;
  cpp.names = {"missing<float>"};
  EXPECT_THAT(refusal("template <class T> __global__ void scale(T*) {}", cpp).what(),
              HasSubstr("\"missing\" is undefined"));
}

TEST_F(compile_source_test, flags_are_the_compilers) {
  source_options options;
  options.flags = {"--std=c++20", "-DTWICE=2"};
  EXPECT_NO_THROW(static_cast<void>(
      compile_source("static_assert(__cplusplus >= 202002L && TWICE == 2);", "sm_90", options)));
  EXPECT_NO_THROW(
      static_cast<void>(compile_source("static_assert(__cplusplus >= 201703L);", "sm_90")));
  options.flags = {"--nonsense"};
  EXPECT_THAT(refusal(doublify, options).what(), HasSubstr("--nonsense"));
}

TEST_F(compile_source_test, an_unknown_architecture_is_named_with_the_known_ones) {
  for (const std::string architecture : {"sm_20", "sm_", "compute_90", "hopper", ""})
    EXPECT_THAT([&] { static_cast<void>(compile_source(doublify, architecture)); },
                ThrowsMessage<unsupported>(AllOf(HasSubstr("'" + architecture + "'"),
                                                 HasSubstr("sm_90"), Not(HasSubstr("\n")))));
}

TEST_F(compile_source_test, takes_texts_of_any_form) {
  const std::string from_a_larger_text = doublify + "garbage";
  for (const auto& text :
       {std::string_view(), std::string_view("\n"), std::string_view("// a comment at the end"),
        std::string_view("// a backslash at the end \\"),
        std::string_view(
            "__global__ void f(char* a) { *a = '\"'; a[1] = \"\\\"}\"[threadIdx.x]; }"),
        std::string_view("__global__ void f() {\r\n}\r\n"),
        std::string_view(from_a_larger_text).substr(0, doublify.size())})
    EXPECT_NO_THROW(static_cast<void>(compile_source(text, "sm_90"))) << text;
}

TEST_F(compile_source_test, does_not_stop_at_a_zero_byte) {
  EXPECT_THAT(refusal(std::string_view("__global__ void f() {}\0nonsense", 31)).what(),
              HasSubstr("zero byte"));
}

TEST(source_module, the_host_device_refuses) {
  const auto host = open_host_device();
  EXPECT_THAT([&] { source_module(*host, doublify); },
              ThrowsMessage<unsupported>("kernels from source text need a CUDA device; "
                                         "the host device runs host functions"));
}

}  // namespace
}  // namespace transfers::source_module_test
