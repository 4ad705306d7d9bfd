#include "src/transfers/cuda/nvrtc.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

/// The folders to search for NVRTC, in this order; the empty one is the loader's own search path.
std::vector<std::string> folders() {
  std::vector<std::string> paths{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    // What the current directory has is nobody's toolkit.
    if (const char* toolkit = std::getenv(variable);
        toolkit && std::filesystem::path(toolkit).is_absolute())
      paths.push_back(fmt::format("{}/lib64/", toolkit));
  paths.emplace_back("/usr/local/cuda/lib64/");
  return paths;
}

// NVRTC stays loaded: opening it again takes nearly as long as a small compilation.
void* open(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw unsupported(fmt::format("this NVRTC has no {}", name));
}

/// NVRTC opens another library by its bare name, which the loader finds outside its search path
/// only if it has been opened before. NVRTC reports a failure itself.
void open_builtins(void* library, const std::string& folder) {
  decltype(&nvrtcVersion) version{};
  find(library, "nvrtcVersion", version);
  int major = 0;
  int minor = 0;
  version(&major, &minor);
  if (auto* const builtins =
          open(fmt::format("{}libnvrtc-builtins.so.{}.{}", folder, major, minor)))
    dlclose(builtins);  // stays, see above
}

void* open_library() {
  const auto file = fmt::format("libnvrtc.so.{}", CUDART_VERSION / 1000);
  for (const auto& folder : folders())
    if (auto* const library = open(folder + file)) {
      open_builtins(library, folder);
      return library;
    }
  throw unsupported(
      fmt::format("NVRTC, the compiler, was not found: {} is neither on the library path nor in "
                  "$CUDA_HOME/lib64, $CUDA_PATH/lib64 or /usr/local/cuda/lib64",
                  file));
}

}  // namespace

void nvrtc::closer::operator()(void* library) const noexcept { dlclose(library); }

nvrtc::nvrtc() : library_(open_library()) {
  auto* const library = library_.get();
  find(library, "nvrtcVersion", version);
  find(library, "nvrtcGetErrorString", error_string);
  find(library, "nvrtcGetNumSupportedArchs", architecture_count);
  find(library, "nvrtcGetSupportedArchs", architectures);
  find(library, "nvrtcCreateProgram", create_program);
  find(library, "nvrtcDestroyProgram", destroy_program);
  find(library, "nvrtcAddNameExpression", add_name_expression);
  find(library, "nvrtcCompileProgram", compile_program);
  find(library, "nvrtcGetProgramLogSize", program_log_size);
  find(library, "nvrtcGetProgramLog", program_log);
  find(library, "nvrtcGetCUBINSize", cubin_size);
  find(library, "nvrtcGetCUBIN", cubin);
  find(library, "nvrtcGetLoweredName", lowered_name);
}

}  // namespace transfers::detail
