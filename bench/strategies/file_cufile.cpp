#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "bench/strategies/file_copies.hpp"
#include "bench/subjects/cufile.hpp"

namespace bench_transfers::bench::file_cufile_strategies {
namespace {

/// cuFile moves the data from the disk to the device itself only with direct access.
const transfers::input_file& opened_for(const pattern_file& file, page_cache state) {
  const bool directly = state == page_cache::cold && !file.why_not_past_cache();
  return directly ? file.past_cache() : file.through_cache();
}

/// Without it cuFile reads into host memory and copies from there, unless kernel and driver let the
/// disk reach the GPU's memory by themselves (PCI P2PDMA).
bool has_nvidia_fs() {
  std::error_code unreadable;
  return std::filesystem::exists("/proc/driver/nvidia-fs", unreadable);
}

file_operation read_by_cufile(const job& task, const file_to_device& copy, page_cache state) {
  const auto current = task.device.make_current();
  const auto input =
      std::make_shared<const subjects::cufile_input>(opened_for(*copy.file, state).native_handle());
  return {[input, copy, &device = task.device] {
            const auto current_again = device.make_current();
            input->read(copy.on_device->data(), copy.bytes);
          },
          {{count_metric("nvidia_fs", "1 if the kernel module nvidia-fs is loaded"),
            has_nvidia_fs() ? 1.0 : 0.0}}};
}

std::optional<std::string> why_no_cufile(const transfers::device& device) {
  if (!device.description().cuda)
    return "cuFile reads into the memory of CUDA devices; the host device has none";
  // Release 1.20 reads it again and again.
  std::error_code unreadable;
  if (!std::filesystem::exists("/proc/modules", unreadable))
    return "cuFileDriverOpen does not return on a kernel without /proc/modules";
  return std::nullopt;
}

const struct cufile_strategies {
  cufile_strategies() {
    for (const auto state : {page_cache::warm, page_cache::cold}) {
      auto added = copy_from_file(
          {method("cufile"), setting(name_of(state))},
          "cuFileRead, " + name_of(state) + " page cache",
          "cuFileDriverOpen();\n"
          "CUfileDescr_t opened{.type = CU_FILE_HANDLE_TYPE_OPAQUE_FD, .handle = {.fd = file}};\n"
          "cuFileHandleRegister(&handle, &opened);\n"
          "cuFileRead(handle, device, bytes, 0, 0);",
          state, 2, [state](const job& task, const file_to_device& copy) {
            return read_by_cufile(task, copy, state);
          });
      added.needs.why_unsupported = why_no_cufile;
      registration{added};
    }
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::file_cufile_strategies
