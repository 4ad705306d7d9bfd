#include "transfers/launch/source_module.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/cuda_function.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/nvrtc.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using detail::cuda_check;
using detail::nvrtc;

void nvrtc_check(const nvrtc& compiler, nvrtcResult code, const char* call) {
  if (code != NVRTC_SUCCESS)
    throw unsupported(fmt::format("{}: {}", call, compiler.error_string(code)));
}

struct program_closer {
  decltype(&nvrtcDestroyProgram) destroy;
  void operator()(nvrtcProgram program) const noexcept { destroy(&program); }
};
using program_handle = std::unique_ptr<_nvrtcProgram, program_closer>;

program_handle make_program(const nvrtc& compiler, const std::string& text) {
  nvrtcProgram program{};
  nvrtc_check(compiler,
              compiler.create_program(&program, text.c_str(), "source.cu", 0, nullptr, nullptr),
              "nvrtcCreateProgram");
  return {program, {compiler.destroy_program}};
}

/// #line makes the compiler count lines from the user's first one. The empty line is for texts that
/// end with a backslash.
std::string in_extern_c(std::string_view source) {
  return fmt::format("extern \"C\" {{\n#line 1\n{}\n\n}}\n", source);
}

std::string log_of(const nvrtc& compiler, nvrtcProgram program) {
  std::size_t bytes = 0;
  nvrtc_check(compiler, compiler.program_log_size(program, &bytes), "nvrtcGetProgramLogSize");
  std::string log(bytes, '\0');
  nvrtc_check(compiler, compiler.program_log(program, log.data()), "nvrtcGetProgramLog");
  log.resize(log.find_last_not_of(std::string_view("\0\n", 2)) + 1);  // npos + 1 is 0
  return log;
}

/// "source.cu(3): error: …", "ptxas …; error   : …", but neither a warning about something called
/// error nor the line of source text below it, which is indented.
bool reports_error(std::string_view line) {
  constexpr std::string_view word = " error";
  const auto position = line.find(word);
  if (line.starts_with(' ') || position == std::string_view::npos) return false;
  const auto next = line.find_first_not_of(' ', position + word.size());
  return next != std::string_view::npos && line[next] == ':';
}

std::string first_error(std::string_view log, std::string_view otherwise) {
  while (!log.empty()) {
    const auto line = log.substr(0, log.find('\n'));
    if (reports_error(line)) return std::string(line);
    log.remove_prefix(std::min(log.size(), line.size() + 1));
  }
  return std::string(otherwise);
}

/// Names the unknown architecture; NVRTC would only say that the option is invalid.
void check_architecture(const nvrtc& compiler, std::string_view architecture) {
  int count = 0;
  nvrtc_check(compiler, compiler.architecture_count(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  nvrtc_check(compiler, compiler.architectures(known.data()), "nvrtcGetSupportedArchs");
  int number = 0;
  if (architecture.starts_with("sm_")) {
    const auto digits = architecture.substr(3);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  if (std::find(known.begin(), known.end(), number) != known.end()) return;
  int major = 0;
  int minor = 0;
  nvrtc_check(compiler, compiler.version(&major, &minor), "nvrtcVersion");
  throw unsupported(fmt::format("NVRTC {}.{} cannot compile for '{}', only for sm_{}", major, minor,
                                architecture, fmt::join(known, ", sm_")));
}

void compile(const nvrtc& compiler, nvrtcProgram program, std::string_view architecture,
             const source_options& options, std::string& log) {
  std::vector<std::string> flags{fmt::format("-arch={}", architecture)};
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  std::vector<const char*> addresses;
  addresses.reserve(flags.size());
  for (const auto& flag : flags) addresses.push_back(flag.c_str());
  const auto code =
      compiler.compile_program(program, static_cast<int>(addresses.size()), addresses.data());
  log = log_of(compiler, program);
  if (code == NVRTC_SUCCESS) return;
  const auto reason = first_error(log, compiler.error_string(code));
  if (code == NVRTC_ERROR_COMPILATION || code == NVRTC_ERROR_INVALID_OPTION)
    throw compile_error(reason, log);
  throw unsupported(fmt::format("NVRTC cannot compile: {}", reason));
}

compiled_source compile_with(const nvrtc& compiler, std::string_view source,
                             std::string_view architecture, const source_options& options) {
  check_architecture(compiler, architecture);
  if (source.find('\0') != std::string_view::npos)  // NVRTC would stop there
    throw compile_error("the source text has a zero byte in it", {});
  const auto program =
      make_program(compiler, options.extern_c ? in_extern_c(source) : std::string(source));
  for (const auto& name : options.names)
    nvrtc_check(compiler, compiler.add_name_expression(program.get(), name.c_str()),
                "nvrtcAddNameExpression");

  compiled_source compiled;
  compile(compiler, program.get(), architecture, options, compiled.log);
  std::size_t bytes = 0;
  nvrtc_check(compiler, compiler.cubin_size(program.get(), &bytes), "nvrtcGetCUBINSize");
  compiled.cubin.resize(bytes);
  nvrtc_check(compiler, compiler.cubin(program.get(), compiled.cubin.data()), "nvrtcGetCUBIN");
  for (const auto& name : options.names) {
    const char* lowered = nullptr;
    nvrtc_check(compiler, compiler.lowered_name(program.get(), name.c_str(), &lowered),
                "nvrtcGetLoweredName");
    compiled.lowered_names.emplace_back(name, lowered);
  }
  return compiled;
}

std::string architecture_of(const device& device) {
  const auto& cuda = device.description().cuda;
  if (!cuda)
    throw unsupported(
        "kernels from source text need a CUDA device; the host device runs host functions");
  auto digits = cuda->compute_capability;
  std::erase(digits, '.');
  return "sm_" + digits;
}

struct library_closer {
  using pointer = cudaLibrary_t;
  CUcontext context{};
  void operator()(cudaLibrary_t library) const noexcept {
    const detail::current_context current(context, std::nothrow);
    // Kernels may still be running, and CUDA does not document that unloading waits for them.
    cudaDeviceSynchronize();
    cudaLibraryUnload(library);
  }
};
using library_handle = std::unique_ptr<cudaLibrary_t, library_closer>;

library_handle load(CUcontext context, const std::vector<char>& cubin) {
  const detail::current_context current(context);
  cudaLibrary_t library{};
  cuda_check(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
             "cudaLibraryLoadData");
  return {library, {context}};
}

}  // namespace

std::optional<std::string> why_no_compiler() {
  try {
    const nvrtc compiler;
    return std::nullopt;
  } catch (const unsupported& reason) {
    return reason.what();
  }
}

compiled_source compile_source(std::string_view source, std::string_view architecture,
                               const source_options& options) {
  return compile_with(nvrtc(), source, architecture, options);
}

class source_module::loaded {
 public:
  loaded(CUcontext context, compiled_source source)
      : library_(load(context, source.cubin)), lowered_names_(std::move(source.lowered_names)) {}

  /// The context of the kernels.
  [[nodiscard]] CUcontext context() const noexcept { return library_.get_deleter().context; }

  /// Throws unsupported.
  [[nodiscard]] const void* kernel(const std::string& name) const {
    cudaKernel_t kernel{};
    const auto code = cudaLibraryGetKernel(&kernel, library_.get(), lowered(name).c_str());
    if (code == cudaErrorSymbolNotFound) {
      cudaGetLastError();
      throw unsupported(fmt::format(
          "the source text has no kernel named '{}' (outside an extern \"C\" block, names must be "
          "listed in source_options::names)",
          name));
    }
    cuda_check(code, "cudaLibraryGetKernel");
    return static_cast<const void*>(kernel);
  }

 private:
  [[nodiscard]] const std::string& lowered(const std::string& name) const {
    const auto entry = std::find_if(lowered_names_.begin(), lowered_names_.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    return entry == lowered_names_.end() ? name : entry->second;
  }

  library_handle library_;
  std::vector<std::pair<std::string, std::string>> lowered_names_;
};

source_module::source_module(device& device, std::string_view source,
                             const source_options& options) {
  auto compiled = compile_source(source, architecture_of(device), options);
  log_ = std::move(compiled.log);
  loaded_ = std::make_shared<const loaded>(
      detail::primary_context(device.description().cuda->index), std::move(compiled));
}

function source_module::get_function(const std::string& name) const {
  const detail::current_context current(loaded_->context());
  return function(std::make_shared<detail::cuda_kernel>(name, loaded_->kernel(name), loaded_));
}

}  // namespace transfers
