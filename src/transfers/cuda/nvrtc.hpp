#pragma once

#include <nvrtc.h>  // for types: nothing of NVRTC is linked

#include <memory>

namespace transfers::detail {

/// NVRTC's functions, by their names without the prefix.
class nvrtc {
  struct closer {
    void operator()(void* library) const noexcept;
  };
  std::unique_ptr<void, closer> library_;

 public:
  /// Throws unsupported unless NVRTC of the CUDA version this program is built with is found.
  nvrtc();

  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetErrorString) error_string;
  decltype(&nvrtcGetNumSupportedArchs) architecture_count;
  decltype(&nvrtcGetSupportedArchs) architectures;
  decltype(&nvrtcCreateProgram) create_program;
  decltype(&nvrtcDestroyProgram) destroy_program;
  decltype(&nvrtcAddNameExpression) add_name_expression;
  decltype(&nvrtcCompileProgram) compile_program;
  decltype(&nvrtcGetProgramLogSize) program_log_size;
  decltype(&nvrtcGetProgramLog) program_log;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;
  decltype(&nvrtcGetLoweredName) lowered_name;
};

}  // namespace transfers::detail
