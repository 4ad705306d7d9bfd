// Device memory is not taken for host memory, nor host memory for device memory.
#include <span>
#include <transfers/transfers.hpp>
#include <vector>

using namespace transfers;

#if CASE == 1
// expect: no matching function for call to 'transfers::gpu_array<float>::set(
// expect: no matching member function for call to 'set'
void copy(gpu_array<float>& array, device_view<float> src) { array.set(src); }
#elif CASE == 2
// expect: no matching function for call to 'transfers::gpu_array<float>::get(
// expect: no matching member function for call to 'get'
void copy(const gpu_array<float>& array, device_view<float> dst) { array.get(dst); }
#elif CASE == 3
// expect: no matching function for call to 'to_gpu(
// expect: no matching function for call to 'to_gpu'
auto copy(const context& gpu, device_view<float> src) { return to_gpu(gpu, src); }
#elif CASE == 4
// expect: in() marks host memory; device memory is passed to a kernel as it is
void mark(device_view<float> view) { in(view); }
#elif CASE == 5
// expect: out() marks host memory; device memory is passed to a kernel as it is
void mark(device_view<float> view) { out(view); }
#elif CASE == 6
// expect: in_out() marks host memory; device memory is passed to a kernel as it is
void mark(device_view<float> view) { in_out(view); }
#elif CASE == 7
// expect: in() marks host memory; device memory is passed to a kernel as it is
void mark(const gpu_array<float>& array) { in(array); }
#elif CASE == 8
// expect: in_out() marks host memory; device memory is passed to a kernel as it is
void mark(device_buffer<float>& buffer) { in_out(buffer); }
#elif CASE == 9
// expect: no matching function for call to 'std::span<float>::span(transfers::device_view<float>&)'
// expect: no matching conversion
auto convert(device_view<float> view) { return std::span<float>(view); }
#elif CASE == 10
// expect: 'begin' was not declared
// expect: invalid range expression of type
void read(device_view<float> view) {
  for (float element : view) static_cast<void>(element);
}
#elif CASE == 11
// expect: the host cannot access an element of device memory: get() copies the array
float read(const gpu_array<float>& array) { return array[1]; }
#elif CASE == 12
// expect: no matching function for call to 'streaming_load(
// expect: no matching function for call to 'streaming_load'
void copy(std::vector<float>& dst, device_view<float> src) { streaming_load(dst, src); }
#elif CASE == 13
// expect: no matching function for call to 'streaming_store(
// expect: no matching function for call to 'streaming_store'
void copy(device_view<float> dst, std::vector<float>& src) { streaming_store(dst, src); }
#elif CASE == 14
// expect: no matching function for call to 'transfers::device::lock(
// expect: no matching member function for call to 'lock'
auto lock(device& device, device_view<float> view) { return device.lock(view); }
#elif CASE == 15
// expect: no matching function for call to 'round_trip(
// expect: no matching function for call to 'round_trip'
void copy(const context& gpu, device_view<float> src, std::vector<float>& dst) {
  round_trip(gpu, src, dst, [](stream&, device_view<float>, std::size_t) {});
}
#elif CASE == 16
// expect: no matching function for call to 'transfers::scattered_block::scattered_block(
// expect: no matching conversion
auto block(device_view<float> view) { return scattered_block(view); }
#elif CASE == 17
// expect: a kernel cannot calculate with host memory: pass a device_view
void work(stream& stream, std::span<float> range) {
  calculate(stream, arithmetic::multiply, range, 2);
}
#elif CASE == 18
// expect: no matching function for call to 'transfers::stream::copy_by_kernel(
// expect: no matching member function for call to 'copy_by_kernel'
void copy(stream& stream, std::vector<float>& dst, const gpu_array<float>& src) {
  stream.copy_by_kernel(dst, src);
}
#elif CASE == 19
// expect: no matching function for call to 'transfers::stream::copy_by_kernel(
// expect: no matching member function for call to 'copy_by_kernel'
void copy(stream& stream, std::vector<float>& dst, const std::vector<float>& src) {
  stream.copy_by_kernel(dst, src);
}
#elif CASE == 20
// expect: neither end of the copy is device memory: a device address is passed as a device_view
void copy(const context& gpu, std::vector<float>& dst, const std::vector<float>& src) {
  gpu.copy(dst, src);
}
#elif CASE == 21
// expect: neither end of the copy is device memory: a device address is passed as a device_view
void copy(const context& gpu, std::vector<float>& dst, const std::vector<float>& src) {
  gpu.copy_async(dst, src);
}
#elif CASE == 22
// expect: neither end of the copy is device memory: a device address is passed as a device_view
void copy(stream& stream, std::vector<float>& dst, const std::vector<float>& src) {
  stream.copy(dst, src);
}
#elif CASE == 23
// expect: an end of a copy is a contiguous range of host memory (a vector, an array, a span) or
void copy(const context& gpu, device_view<int> dst) { gpu.copy(dst, 5); }
#elif CASE == 24
// expect: a stream or a context copies from device memory to device memory
void copy(device& device, gpu_array<float>& dst, const gpu_array<float>& src) {
  device.copy(dst, src);
}
#elif CASE == 25
// expect: elements must be trivially copyable: a GPU gets bytes, not objects
device_view<std::string> strings() { return {}; }
#endif
