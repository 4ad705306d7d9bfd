#include <cudaTypedefs.h>

#include <memory>

#include "bench/cuda/check.hpp"
#include "bench/cuda/driver_function.hpp"
#include "bench/subjects/waits.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {
namespace {

static_assert(static_cast<unsigned>(schedule_flag::spin) == cudaDeviceScheduleSpin);
static_assert(static_cast<unsigned>(schedule_flag::yield) == cudaDeviceScheduleYield);
static_assert(static_cast<unsigned>(schedule_flag::blocking_sync) ==
              cudaDeviceScheduleBlockingSync);
static_assert(schedule_mask == cudaDeviceScheduleMask);

std::shared_ptr<CUevent_st> make_blocking_event() {
  cudaEvent_t event{};
  cuda_check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming),
             "cudaEventCreateWithFlags");
  return {event, [](cudaEvent_t made) { cudaEventDestroy(made); }};
}

}  // namespace

flag_access flags_of(const transfers::device& device) {
  if (const auto reason = why_no_schedule_flags(device)) throw transfers::unsupported(*reason);
  return {[] {
            unsigned flags = 0;
            cuda_check(cudaGetDeviceFlags(&flags), "cudaGetDeviceFlags");
            return flags;
          },
          [](unsigned flags) { cuda_check(cudaSetDeviceFlags(flags), "cudaSetDeviceFlags"); }};
}

std::function<void()> blocking_event_wait(const transfers::device& device,
                                          transfers::stream& stream) {
  if (!device.description().cuda) return blocking_event_wait_on_host(stream);
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  return [event = make_blocking_event(), native_stream] {
    cuda_check(cudaEventRecord(event.get(), native_stream), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(event.get()), "cudaEventSynchronize");
  };
}

std::function<void(std::uint32_t)> value_writer(const transfers::device& device,
                                                transfers::stream& stream, std::uint32_t& word) {
  if (!device.description().cuda) return value_writer_on_host(stream, word);
  constexpr unsigned version = 12000;
  const auto write =
      driver_function<PFN_cuStreamWriteValue32_v11070>("cuStreamWriteValue32", version);
  auto* const on_device = device.address_on_device(reinterpret_cast<std::byte*>(&word));
  if (on_device == nullptr)
    throw transfers::unsupported("the device has no address for this memory");
  return [write, native_stream = static_cast<CUstream>(stream.native_handle()),
          address = reinterpret_cast<CUdeviceptr>(on_device)](std::uint32_t value) {
    driver_check(write(native_stream, address, value, CU_STREAM_WRITE_VALUE_DEFAULT),
                 "cuStreamWriteValue32");
  };
}

}  // namespace bench_transfers::bench::subjects
