#include "bench/subjects/cufile.hpp"

#include <dlfcn.h>
#include <sys/types.h>

#include <cerrno>
#include <system_error>

#include "transfers/core/error.hpp"

// Declared as in NVIDIA's cuFile API Reference Guide, because neither the CUDA Toolkit nor the
// driver need have its header.

namespace bench_transfers::bench::subjects {
namespace {

/// CUfileError_t: a CUfileOpError, of which 0 is success, and the CUresult behind it.
struct status {
  int error, cuda_error;
};

/// CUfileDescr_t.
struct file_description {
  int type;
  union {
    int descriptor;
    void* handle;
  };
  const void* operations;
};
constexpr int opaque_descriptor = 1;  // CU_FILE_HANDLE_TYPE_OPAQUE_FD

std::string text_of(const char* function, const status& failed) {
  auto text = std::string(function) + ": CUfileOpError " + std::to_string(failed.error);
  if (failed.cuda_error != 0) text += ", CUresult " + std::to_string(failed.cuda_error);
  return text;
}

std::string last_error() {
  const char* const text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

/// Stays in memory: its threads may outlive the driver's end.
std::shared_ptr<void> load(const std::string& library) {
  auto* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (loaded == nullptr) throw transfers::unsupported("cuFile cannot be loaded: " + last_error());
  return {loaded, [](void* library_handle) { dlclose(library_handle); }};
}

}  // namespace

struct cufile_functions {
  std::shared_ptr<void> library;
  status (*open)();
  status (*close)();
  status (*register_file)(void** file, file_description* description);
  void (*deregister_file)(void* file);
  ssize_t (*read)(void* file, void* memory, std::size_t bytes, off_t file_offset,
                  off_t memory_offset);
};

namespace {

template <class Function>
void find(const std::shared_ptr<void>& library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library.get(), name));
  if (function == nullptr)
    throw transfers::unsupported(std::string("the installed cuFile has no ") + name);
}

std::shared_ptr<const cufile_functions> functions_in(const std::string& library) {
  auto functions = std::make_shared<cufile_functions>();
  functions->library = load(library);
  find(functions->library, functions->open, "cuFileDriverOpen");
  // What the header calls cuFileDriverClose; old libraries have only that name.
  functions->close =
      reinterpret_cast<status (*)()>(dlsym(functions->library.get(), "cuFileDriverClose_v2"));
  if (functions->close == nullptr) find(functions->library, functions->close, "cuFileDriverClose");
  find(functions->library, functions->register_file, "cuFileHandleRegister");
  find(functions->library, functions->deregister_file, "cuFileHandleDeregister");
  find(functions->library, functions->read, "cuFileRead");
  return functions;
}

std::shared_ptr<const void> opened_driver(const std::shared_ptr<const cufile_functions>& cufile) {
  if (const auto opened = cufile->open(); opened.error != 0)
    throw transfers::unsupported("cuFile does not start: " + text_of("cuFileDriverOpen", opened));
  return {cufile.get(), [cufile](const void*) { cufile->close(); }};
}

std::shared_ptr<void> registered_file(const std::shared_ptr<const cufile_functions>& cufile,
                                      int descriptor) {
  file_description description{};
  description.type = opaque_descriptor;
  description.descriptor = descriptor;
  void* file = nullptr;
  if (const auto known = cufile->register_file(&file, &description); known.error != 0)
    throw transfers::unsupported("cuFile does not take the file: " +
                                 text_of("cuFileHandleRegister", known));
  return {file, [cufile](void* registered) { cufile->deregister_file(registered); }};
}

}  // namespace

cufile_input::cufile_input(int descriptor, const std::string& library)
    : functions_(functions_in(library)),
      driver_(opened_driver(functions_)),
      file_(registered_file(functions_, descriptor)) {}

void cufile_input::read(std::byte* on_device, std::size_t bytes) const {
  for (std::size_t complete = 0; complete < bytes;) {
    const auto offset = static_cast<off_t>(complete);
    const auto count = functions_->read(file_.get(), on_device, bytes - complete, offset, offset);
    if (count == -1) throw std::system_error(errno, std::generic_category(), "cuFileRead");
    if (count < 0)
      throw transfers::device_error(text_of("cuFileRead", {static_cast<int>(-count), 0}), false);
    if (count == 0)
      throw transfers::device_error("cuFileRead: the file ends after " + std::to_string(complete) +
                                        " of " + std::to_string(bytes) + " bytes",
                                    false);
    complete += static_cast<std::size_t>(count);
  }
}

}  // namespace bench_transfers::bench::subjects
