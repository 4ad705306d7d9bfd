// Const owners give access to const elements only.
#include <numeric>
#include <transfers/transfers.hpp>
#include <vector>

using namespace transfers;

#if CASE == 1
// expect: invalid conversion from 'const float*' to 'float*'
// expect: cannot initialize return object of type 'float *' with an rvalue of type 'const float *'
float* address(const host_array<float>& array) { return array.data(); }
#elif CASE == 2
// expect: invalid conversion from 'const float*' to 'float*'
// expect: cannot initialize return object of type 'float *' with an rvalue of type 'const float *'
float* address(const host_buffer<float>& buffer) { return buffer.data(); }
#elif CASE == 3
// expect: invalid conversion from 'const float*' to 'float*'
// expect: cannot initialize return object of type 'float *' with an rvalue of type 'const float *'
float* address(const gpu_array<float>& array) { return array.data(); }
#elif CASE == 4
// expect: invalid conversion from 'const float*' to 'float*'
// expect: cannot initialize return object of type 'float *' with an rvalue of type 'const float *'
float* address(const device_buffer<float>& buffer) { return buffer.data(); }
#elif CASE == 5
// expect: cannot convert 'transfers::device_view<const float>' to 'transfers::device_view<float>'
// expect: could not convert
// expect: no viable conversion
device_view<float> view(const gpu_array<float>& array) { return array.view(); }
#elif CASE == 6
// expect: assignment of read-only location
// expect: cannot assign to return value because function 'operator
// expect: read-only variable is not assignable
void write(const host_array<float>& array) { array[0] = 1; }
#elif CASE == 7
// expect: assignment of read-only location
// expect: cannot assign to return value because function 'operator
// expect: read-only variable is not assignable
void write(const host_array<float>& array) { array(0, 1) = 1; }
#elif CASE == 8
// expect: assignment of read-only location
// expect: cannot assign to return value because function 'operator
// expect: read-only variable is not assignable
void write(const host_buffer<float>& buffer) { buffer[0] = 1; }
#elif CASE == 9
// expect: assignment of read-only location
// expect: cannot assign to return value because function 'operator
// expect: read-only variable is not assignable
void write(const host_array<float>& array) { std::iota(array.begin(), array.end(), 0.0F); }
#elif CASE == 10
// expect: as 'this' argument discards qualifiers
// expect: but function is not marked const
// expect: no matching member function for call to
void write(const gpu_array<float>& array) { array.clear(); }
#elif CASE == 11
// expect: as 'this' argument discards qualifiers
// expect: but function is not marked const
// expect: no matching member function for call to
void write(const gpu_array<float>& array, const std::vector<float>& src) { array.set(src); }
#elif CASE == 12
// expect: as 'this' argument discards qualifiers
// expect: but function is not marked const
// expect: no matching member function for call to
void write(const device_buffer<float>& buffer, const std::vector<float>& src) {
  buffer.copy_from(src);
}
#elif CASE == 13
// expect: no match for 'operator*='
// expect: no viable overloaded '*='
void write(const gpu_array<float>& array) { array *= 2; }
#elif CASE == 14
// expect: the elements to calculate with must not be const
void write(stream& stream, const gpu_array<float>& array) {
  calculate(stream, arithmetic::multiply, array, 2);
}
#elif CASE == 15
// expect: the memory to clear must not be const
void write(stream& stream, device_view<const float> view) { stream.clear(view); }
#elif CASE == 16
// expect: the destination of a copy must not be const
void write(const context& gpu, device_view<const float> dst, const std::vector<float>& src) {
  gpu.copy(dst, src);
}
#elif CASE == 17
// expect: the destination of a copy must not be const
void write(const context& gpu, device_view<const float> dst, const gpu_array<float>& src) {
  gpu.copy_async(dst, src);
}
#elif CASE == 18
// expect: the destination of a copy must not be const
void write(stream& stream, device_view<const float> dst, device_view<float> src) {
  stream.copy_by_kernel(dst, src);
}
#elif CASE == 19
// expect: the destination of a copy must not be const
void write(const gpu_array<float>& array, const host_array<float>& dst) { array.get(dst); }
#elif CASE == 20
// expect: the destination of a copy must not be const
void write(const gpu_array<float>& array, const host_array<float>& dst) { array.get_async(dst); }
#elif CASE == 21
// expect: the destination of a copy must not be const
void write(const gpu_array<float>& array, const std::vector<float>& dst) { array.get(dst); }
#elif CASE == 22
// expect: the destination of a copy must not be const
void write(const device_buffer<float>& buffer, const host_buffer<float>& dst) {
  buffer.copy_to(dst);
}
#elif CASE == 23
// expect: the destination of a copy must not be const
void write(const device_buffer<float>& buffer, std::span<const float> dst) {
  buffer.copy_to_async(dst);
}
#elif CASE == 24
// expect: the destination of a copy must not be const
void write(const gpu_array<float>& array, const std::vector<float>& dst) {
  array.get(strided_view<const float>(dst, {3}, {2}));
}
#elif CASE == 25
// expect: the destination of a copy must not be const
auto mark(const host_array<float>& array) { return out(array); }
#elif CASE == 26
// expect: the destination of a copy must not be const
auto mark(const host_buffer<float>& buffer) { return in_out(buffer); }
#elif CASE == 27
// expect: the destination of a copy must not be const
auto mark(const std::vector<float>& range) { return out(range); }
#elif CASE == 28
// expect: the destination of a copy must not be const
auto mark(std::span<const float> range) { return in_out(range); }
#elif CASE == 29
// expect: the destination of a copy must not be const
auto mark(const float& value) { return out(value); }
#elif CASE == 30
// expect: the destination of a copy must not be const
auto mark(const float& value) { return in_out(value); }
#elif CASE == 31
// expect: a block may be a destination: it must not be const
auto block(const std::vector<float>& range) { return scattered_block(range); }
#elif CASE == 32
// expect: memory to lock must not be const
auto lock(device& device, const std::vector<float>& range) { return device.lock(range); }
#endif
