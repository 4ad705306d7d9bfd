// What is used after the expression must not be a temporary.
#include <transfers/transfers.hpp>
#include <vector>

using namespace transfers;

#if CASE == 1
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(stream& stream, device_view<float> dst) { stream.copy(dst, std::vector<float>(3)); }
#elif CASE == 2
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(stream& stream, device_view<float> src) { stream.copy(std::vector<float>(3), src); }
#elif CASE == 3
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(const context& gpu, device_view<float> dst) {
  gpu.copy_async(dst, std::vector<float>(3));
}
#elif CASE == 4
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(const context& gpu, device_view<float> dst) {
  gpu.copy_async(dst, zeros<float>(gpu, {3}));
}
#elif CASE == 5
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(gpu_array<float>& array) { array.set_async(std::vector<float>(3)); }
#elif CASE == 6
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(gpu_array<float>& array) { array.set_async(host_array<float>({3})); }
#elif CASE == 7
// expect: use of deleted function 'void transfers::gpu_array<T>::set_async(std::initializer_list
// expect: call to deleted member function 'set_async'
void copy(gpu_array<float>& array) { array.set_async({1.0F, 2.0F}); }
#elif CASE == 8
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(const gpu_array<float>& array) { array.get_async(std::vector<float>(3)); }
#elif CASE == 9
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(const gpu_array<float>& array) { array.get_async(host_array<float>({3})); }
#elif CASE == 10
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(device_buffer<float>& buffer) { buffer.copy_from_async(std::vector<float>(3)); }
#elif CASE == 11
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(const device_buffer<float>& buffer) { buffer.copy_to_async(std::vector<float>(3)); }
#elif CASE == 12
// expect: the source of an asynchronous copy must outlive it: it must not be a temporary
auto copy(const context& gpu) { return to_gpu_async(gpu, std::vector<float>(3)); }
#elif CASE == 13
// expect: the source of an asynchronous copy must outlive it: it must not be a temporary
auto copy(const context& gpu) { return to_gpu_async(gpu, host_array<float>({3})); }
#elif CASE == 14
// expect: in() refers to a range, which must outlive it: it must not be a temporary
auto mark() { return in(std::vector<float>(3)); }
#elif CASE == 15
// expect: out() refers to a range, which must outlive it: it must not be a temporary
auto mark() { return out(std::vector<float>(3)); }
#elif CASE == 16
// expect: in_out() refers to a range, which must outlive it: it must not be a temporary
auto mark() { return in_out(host_array<float>({3})); }
#elif CASE == 17
// expect: in() refers to a variable, which must outlive it: it must not be a temporary
auto mark() { return in(5); }
#elif CASE == 18
// expect: out() refers to a variable, which must outlive it: it must not be a temporary
auto mark() { return out(5); }
#elif CASE == 19
// expect: page-locked memory must outlive its lock: it must not be a temporary
auto lock(device& device) { return device.lock(std::vector<float>(3)); }
#elif CASE == 20
// expect: a block refers to its elements: they must not be a temporary
auto block() { return scattered_block(std::vector<float>(3)); }
#elif CASE == 21
// expect: the memory must outlive its use here: it must not be a temporary
void add(scattered_copy& copy) { copy.add(std::vector<float>(3)); }
#elif CASE == 22
// expect: use of deleted function 'void transfers::gpu_array<T>::view()
// expect: call to deleted member function 'view'
auto view(const context& gpu) { return zeros<float>(gpu, {3}).view(); }
#elif CASE == 23
// expect: use of deleted function 'void transfers::host_array<T>::on_device()
// expect: call to deleted member function 'on_device'
auto view() { return host_array<float>({3}).on_device(); }
#elif CASE == 24
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(const context& gpu, device_buffer<float>& dst) {
  gpu.copy_or_enqueue(dst, std::vector<float>(3));
}
#elif CASE == 25
// expect: a copy between device memory needs no staging
void copy(const context& gpu, device_buffer<float>& dst, device_view<float> src) {
  gpu.copy_or_enqueue(dst, src);
}
#elif CASE == 26
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const gpu_array<float>& array) { array.get(std::vector<float>(3)); }
#elif CASE == 27
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const context& gpu, const gpu_array<float>& array) {
  gpu.copy(std::vector<float>(3), array);
}
#elif CASE == 28
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(device& device, device_view<float> src) { device.copy(std::vector<float>(3), src); }
#elif CASE == 29
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const device_buffer<float>& buffer) { buffer.copy_to(std::vector<float>(3)); }
#elif CASE == 30
// expect: use of deleted function 'void transfers::device_memory::view()
// expect: call to deleted member function 'view'
auto view(device& device) { return device.allocate(12).view<float>(); }
#elif CASE == 31
// expect: use of deleted function 'void transfers::host_memory::bytes()
// expect: call to deleted member function 'bytes'
void copy(stream& stream, device_memory& memory, device& device) {
  stream.copy(device.allocate_host(4, pinned()).bytes(), memory.view());
}
#elif CASE == 32
// expect: use of deleted function 'transfers::strided_view<T>::strided_view(R&&
// expect: call to deleted constructor of 'strided_view
auto view() { return strided_view<const float>(std::vector<float>(3), {3}, {1}); }
#elif CASE == 33
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const context& gpu, device_view<float> src) {
  copy_politely(gpu, std::vector<float>(3), src);
}
#elif CASE == 34
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const context& gpu) { copy_politely(gpu, zeros<float>(gpu, {3}), std::vector<float>(3)); }
#elif CASE == 35
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const context& gpu, device_view<float> src) {
  copy_promptly(gpu, std::vector<float>(3), src);
}
#elif CASE == 36
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(staged_copier& copier, device_view<float> src) {
  copier.copy(std::vector<float>(3), src);
}
#elif CASE == 37
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(multipath_copier& copier, device_view<float> src) {
  copier.copy(std::vector<float>(3), src);
}
#elif CASE == 38
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const std::vector<float>& src) { streaming_load(std::vector<float>(3), src); }
#elif CASE == 39
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const std::vector<float>& src) { streaming_store(std::vector<float>(3), src); }
#elif CASE == 40
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const context& gpu, const std::vector<float>& src) {
  round_trip(gpu, src, std::vector<float>(3), [](stream&, device_view<float>, std::size_t) {});
}
#elif CASE == 41
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(const context& gpu) { copy_file(gpu, "file", 0, zeros<float>(gpu, {3})); }
#elif CASE == 42
// expect: nobody gets what is copied to a temporary: it must outlive the copy
void copy(file_copier& copier, const context& gpu, const input_file& file) {
  copier.copy(zeros<float>(gpu, {3}), file);
}
#elif CASE == 43
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(polite_copier& copier, stream& stream, device_view<float> src) {
  copier.enqueue(stream, std::vector<float>(3), src);
}
#elif CASE == 44
// expect: the ends of an asynchronous copy must outlive it: they must not be temporaries
void copy(const context& gpu, device_view<float> dst) {
  gpu.stream().copy_by_kernel(dst, zeros<float>(gpu, {3}));
}
#elif CASE == 45
// expect: an argument refers to device memory, which must outlive the launch: it must not be a
auto pack(const context& gpu) { return argument(zeros<float>(gpu, {3})); }
#endif
